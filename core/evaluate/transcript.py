"""Reading the transcript of any multi-agent system, so that its agreement can be measured like a panel's.

The simple format is one JSON object:

    {"question": "...",
     "agents": [{"name": "A", "answer": "...", "rationale": "free text, or a list of steps",
                 "answer_before": "...", "rationale_before": "..."}],
     "points": ["..."]}

`answer_before` and `rationale_before` (before the agents heard one another) and `points` (what an expert would say) may be left
out. Anything else is refused. Transcripts of Local-DDx, which have `results.rounds`, are read as they are.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from core.consult.intake import file_content
from core.consult.merge import canonical
from core.consult.segment import segment
from core.domain.alignment import Reasoning, Step
from core.domain.panel import SpecialistId
from core.errors import BadInput

MAX_BYTES = 50_000_000
Rationale = str | tuple[str, ...]
"""Free text, which is cut into steps by rule, or the steps themselves."""


class Agent(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str
    answer: str | None
    rationale: Rationale
    answer_before: str | None = None
    rationale_before: Rationale = ""


class Transcript(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    question: str
    agents: tuple[Agent, ...]
    points: tuple[str, ...] = ()

    @property
    def before(self) -> tuple[Reasoning, ...]:
        return tuple(_reasoning(agent.name, agent.answer_before, agent.rationale_before) for agent in self.agents)

    @property
    def after(self) -> tuple[Reasoning, ...]:
        return tuple(_reasoning(agent.name, agent.answer, agent.rationale) for agent in self.agents)

    @property
    def expert(self) -> Reasoning | None:
        """The scoring points as a reasoning; None where there are none."""
        return _reasoning("expert", None, self.points) if self.points else None


def read_transcript_file(file: Path) -> Transcript:
    """Raises `BadInput` as `read_transcript`, and where the file cannot be read or is larger than 50 MB."""
    content = file_content(file, MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise BadInput(f"{file.name} is larger than {MAX_BYTES // 1_000_000} MB; choose a file with one transcript.")
    return read_transcript(content)


def read_transcript(content: bytes) -> Transcript:
    """Raises `BadInput` with the place of the first fault, never with words of the transcript."""
    fault = "it is no JSON"
    try:
        data = json.loads(content)
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError):
        data = None
    else:
        try:
            return _checked(_local_ddx(data) if _is_local_ddx(data) else msgspec.convert(data, Transcript))
        except msgspec.ValidationError as error:
            fault = re.sub(r"`[^`$]*`", "a field", str(error)) if "unknown field" in str(error) else str(error)
        except (KeyError, TypeError, IndexError):
            fault = "it looks like a Local-DDx transcript, but a round is missing or built differently"
    # Raised outside the `except`: its context would carry words of the transcript into a traceback.
    raise BadInput(
        f"The transcript cannot be read: {fault}. It must have “question” and “agents”, each with “name”, “answer” and "
        "“rationale”."
    )


def _checked(transcript: Transcript) -> Transcript:
    names = [agent.name for agent in transcript.agents]
    if len(set(names)) < len(names) or not all(name.strip() for name in names):
        raise BadInput("Two agents of the transcript have the same name, or one has none; give each its own name.")
    return transcript


def _reasoning(name: str, answer: str | None, rationale: Rationale) -> Reasoning:
    steps = segment(rationale) if isinstance(rationale, str) else [step.strip() for step in rationale if step.strip()]
    said = (answer or "").strip() or None
    return Reasoning(
        speaker=SpecialistId(name),
        answer=said,
        canonical=None if said is None else canonical(said),
        steps=tuple(Step(text=step) for step in dict.fromkeys(steps)),
    )


def _is_local_ddx(data: Any) -> bool:
    return isinstance(data, Mapping) and isinstance(data.get("results"), Mapping) and "rounds" in data["results"]


def _local_ddx(data: Mapping[str, Any]) -> Transcript:
    """Before: each specialist's own differential. After: its last refinement and the first choice of its vote."""
    rounds = data["results"]["rounds"]
    own, refined, votes = (rounds[name]["responses"] for name in ("team_differentials", "refinement", "voting"))
    agents = []
    for name in dict.fromkeys(response["agent_name"] for response in own):
        first, last, vote = (_last(name, responses) for responses in (own, refined, votes))
        ballot = (vote or {}).get("structured_data") or {}
        agents.append(
            Agent(
                name=f"{name} ({first['specialty']})" if first else name,
                answer=next(iter(ballot.get("rankings") or ()), None),
                rationale=_prose(last["content"]) if last else "",
                answer_before=next(iter((first or {}).get("structured_data") or ()), None),
                rationale_before=_prose(first["content"]) if first else "",
            )
        )
    return Transcript(question=data["case"]["description"], agents=tuple(agents))


def _last(name: str, responses: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    return next((response for response in reversed(responses) if response["agent_name"] == name), None)


def _prose(content: str) -> str:
    """What was written besides the JSON object that opens a differential."""
    text = content.strip()
    if text.startswith("{"):
        try:
            _, end = json.JSONDecoder().raw_decode(text)
        except json.JSONDecodeError:
            return text
        return text[end:]
    return text
