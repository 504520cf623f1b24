"""`ground-rounds` without arguments opens the window; with arguments it is the command line."""

import sys


def main() -> int:
    if len(sys.argv) > 1:
        from desktop.cli import run

        return run(sys.argv[1:])
    from desktop.bootstrap import open_window

    return open_window()


if __name__ == "__main__":
    sys.exit(main())
