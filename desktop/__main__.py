"""`ground-rounds` without arguments opens the window; with arguments it is the command line."""

import sys


def main() -> int:
    if len(sys.argv) > 1:
        from desktop.cli import run

        return run(sys.argv[1:])
    from desktop import window
    from desktop.bootstrap import Workplace

    return window.main(lambda passphrase, notice: Workplace.open(None, passphrase, notice))


if __name__ == "__main__":
    sys.exit(main())
