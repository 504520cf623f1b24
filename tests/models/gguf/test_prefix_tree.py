"""The prefix tree holds every shared token once."""

from hypothesis import given
from hypothesis import strategies as st

from models.gguf.prefix_tree import common_prefix, nodes

prompts = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=8).map(tuple), min_size=1, max_size=6)


@given(prompts)
def test_one_node_for_each_distinct_prefix(given_prompts: list[tuple[int, ...]]) -> None:
    prefixes = {prompt[:length] for prompt in given_prompts for length in range(1, len(prompt) + 1)}
    found = nodes(given_prompts)
    assert len(found) == len(prefixes)
    assert {given_prompts[node.members[0]][: node.position + 1] for node in found} == prefixes


@given(prompts)
def test_every_prompt_is_spelled_by_its_nodes_in_order(given_prompts: list[tuple[int, ...]]) -> None:
    found = nodes(given_prompts)
    for member, prompt in enumerate(given_prompts):
        own = [node for node in found if member in node.members]
        assert [node.position for node in own] == list(range(len(prompt)))
        assert tuple(node.token for node in own) == prompt


@given(prompts)
def test_what_is_kept_is_not_evaluated_again(given_prompts: list[tuple[int, ...]]) -> None:
    shared = common_prefix(given_prompts)
    assert len({prompt[:shared] for prompt in given_prompts}) == 1
    assert len(nodes(given_prompts, shared)) == len(nodes(given_prompts)) - shared
    if min(map(len, given_prompts)) > shared:
        assert len({prompt[: shared + 1] for prompt in given_prompts}) > 1
