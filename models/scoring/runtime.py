"""ONNX Runtime: which of its packages is there, and on which device a model really runs."""

import os
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from io import StringIO
from pathlib import Path
from typing import Any, Literal

import psutil

from core.errors import BadInput, EngineFailed

DEVICE_VARIABLE = "GROUND_ROUNDS_SCORER_DEVICE"
MOST_THREADS = 4
"""Steps of a few dozen tokens do not fill more."""
CPU_PACKAGE, GPU_PACKAGE = "onnxruntime", "onnxruntime-gpu"

Device = Literal["CUDA", "CPU"]
Wanted = Literal["cuda", "cpu", "auto"]
_PROVIDERS: dict[Device, str] = {"CUDA": "CUDAExecutionProvider", "CPU": "CPUExecutionProvider"}


def is_installed(package: str) -> bool:
    try:
        distribution(package)
    except PackageNotFoundError:
        return False
    return True


def require_one_package(installed: Callable[[str], bool] = is_installed) -> None:
    """Raises `EngineFailed` where both packages are installed: they write into one folder, and each spoils the other."""
    if installed(CPU_PACKAGE) and installed(GPU_PACKAGE):
        raise EngineFailed(
            f"{CPU_PACKAGE} and {GPU_PACKAGE} are both installed and have overwritten each other's files; uninstall both, "
            "then install the one that fits this computer."
        )


@cache
def onnxruntime() -> Any:
    """The library, loaded once, quiet and without telemetry. Raises `EngineFailed` as `require_one_package`."""
    require_one_package()
    import onnxruntime as library

    library.set_default_logger_severity(4)  # its warnings go to the error stream and name files of this computer
    library.disable_telemetry_events()
    return library


@cache
def failures() -> tuple[type[Exception], ...]:
    """What the library raises; its exceptions have no type in common."""
    from onnxruntime.capi import onnxruntime_pybind11_state as native

    return tuple(each for each in vars(native).values() if isinstance(each, type) and issubclass(each, Exception))


def wanted_device(environment: Mapping[str, str] = os.environ) -> Wanted:
    """What GROUND_ROUNDS_SCORER_DEVICE says. Raises `BadInput`."""
    match environment.get(DEVICE_VARIABLE, "auto").lower():
        case "cuda" | "cpu" | "auto" as wanted:
            return wanted
    raise BadInput(f"{DEVICE_VARIABLE} must be cuda, cpu or auto; correct it and start again.")


def devices_to_try(wanted: Wanted) -> tuple[Device, ...]:
    """Best first. That the library lists CUDA says only that it was built for it, not that it works."""
    built_for_cuda = _PROVIDERS["CUDA"] in onnxruntime().get_available_providers()
    return ("CUDA", "CPU") if wanted != "cpu" and built_for_cuda else ("CPU",)


def device_note(wanted: Wanted, gpu_package: bool, ran: Device) -> str | None:
    """A sentence for the reader where the processor did what a graphics card was expected to do."""
    if ran == "CUDA" or wanted == "cpu" or not (gpu_package or wanted == "cuda"):
        return None
    if gpu_package:
        return "The graphics card could not be used (CUDA and cuDNN must fit onnxruntime-gpu); the processor measured instead."
    return "A graphics card was asked for, but onnxruntime-gpu is not installed; the processor measured instead."


def open_session(path: Path, device: Device) -> Any:
    """A session that was asked to run on a device; `device_of` tells where it runs. Raises one of `failures()`."""
    library = onnxruntime()
    options = library.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = threads()
    # Threads that wait must sleep: with spinning, a busy machine made two threads half as fast as one.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    providers = [_PROVIDERS["CPU"]]
    if device == "CUDA":
        providers = [_PROVIDERS["CUDA"], *providers]
        with redirect_stdout(StringIO()):  # what it cannot find, it prints; `device_note` says it to the reader
            library.preload_dlls()
    return library.InferenceSession(str(path), options, providers=providers)


def threads() -> int:
    return min(psutil.cpu_count(logical=False) or 1, MOST_THREADS)


def device_of(session: Any) -> Device:
    """Where a session runs. One that was asked for CUDA falls back to the processor without a word; only this is true."""
    return "CUDA" if session.get_providers()[0] == _PROVIDERS["CUDA"] else "CPU"
