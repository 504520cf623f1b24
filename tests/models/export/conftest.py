"""What the hub's client keeps goes to a folder of the test run, not to the user's; it must be told before it is loaded."""

import atexit
import os
import shutil
import tempfile

os.environ["HF_HOME"] = tempfile.mkdtemp(prefix="export-tests-")
os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"
os.environ["HF_HUB_OFFLINE"] = "0"
atexit.register(shutil.rmtree, os.environ["HF_HOME"], ignore_errors=True)
