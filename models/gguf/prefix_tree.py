"""Prompts as a prefix tree: every token that several prompts share is one node and is evaluated once."""

from collections.abc import Sequence

from msgspec import Struct


class Node(Struct, frozen=True):
    token: int
    position: int
    members: tuple[int, ...]
    """Indices of the prompts that go through this node."""


def common_prefix(prompts: Sequence[Sequence[int]]) -> int:
    """Number of tokens at the start that all prompts have in common."""
    shortest, first = min(map(len, prompts)), prompts[0]
    for position in range(shortest):
        if any(prompt[position] != first[position] for prompt in prompts):
            return position
    return shortest


def nodes(prompts: Sequence[Sequence[int]], start: int = 0) -> list[Node]:
    """All nodes from position `start` on, parents before children; prompts agree on everything before `start`."""
    found: list[Node] = []
    groups = [tuple(range(len(prompts)))]
    position = start
    while groups:
        following: list[tuple[int, ...]] = []
        for group in groups:
            branches: dict[int, list[int]] = {}
            for member in group:
                if position < len(prompts[member]):
                    branches.setdefault(prompts[member][position], []).append(member)
            for token, members in branches.items():
                found.append(Node(token, position, tuple(members)))
                following.append(tuple(members))
        groups, position = following, position + 1
    return found
