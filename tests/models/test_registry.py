"""What the registry promises of every model."""

import re

import pytest

from core.errors import UnknownModel
from models.registry import HubSource, PackageSource, card, cards


def test_the_trial_model_comes_first() -> None:
    assert [each.id for each in cards()] == ["qwen2.5-coder-1.5b", "smollm2-135m", "qwen2.5-coder-0.5b"]


def test_unknown_id_lists_the_known_ones() -> None:
    with pytest.raises(UnknownModel) as caught:
        card("gpt-9")
    assert "gpt-9" in str(caught.value)
    assert all(each.id in str(caught.value) for each in cards())


@pytest.mark.parametrize("known", cards(), ids=lambda each: each.id)
def test_a_card_is_found_by_its_id_and_can_be_fetched(known) -> None:
    assert card(known.id) is known
    assert known.sources
    assert known.purpose.endswith(".")


@pytest.mark.parametrize("known", cards(), ids=lambda each: each.id)
def test_the_hub_is_asked_before_the_packages(known) -> None:
    kinds = [type(source) for source in known.sources]
    assert kinds in ([HubSource, PackageSource], [HubSource], [PackageSource])


@pytest.mark.parametrize("known", cards(), ids=lambda each: each.id)
def test_the_parts_add_up_to_the_file(known) -> None:
    for source in known.sources:
        if isinstance(source, PackageSource):
            assert (
                (len(source.packages) - 1) * source.part_bytes < known.bytes <= len(source.packages) * source.part_bytes
            )
            assert re.compile(source.member)
            assert len(set(source.packages)) == len(source.packages)
