"""What holds for all tests: no screen, no network but this machine, weights only where they lie on the shelf."""

import os

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# Tests assert behavior, never time: these machines are shared, and a slow moment is no failure.
settings.register_profile("shared machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared machine")

TEST_MODEL = "smollm2-135m"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests on real weights are skipped where the weights are not on the shelf, and say so."""
    from core.errors import UnknownModel
    from models.shelf import Shelf

    wanted = [item for item in items if item.get_closest_marker("weights")]
    if not wanted:
        return
    try:
        Shelf().find(TEST_MODEL)
    except UnknownModel:
        for item in wanted:
            item.add_marker(pytest.mark.skip(reason=f"{TEST_MODEL} is not on the shelf"))
