"""A chat model that follows a script and a scorer that draws its numbers: for tests, the demonstration and the self-check.
Both know nothing and say so.

Whatever the script leaves open is filled in with words that nobody can take for medicine ("Scripted disease Kilo").
"""

import hashlib
import math
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import mul
from types import MappingProxyType

from core.errors import Stopped, TextTooLong
from core.forms import Choice, Field, Form, Name, Number, Picks, Repeat, Text
from core.ports import (
    Address,
    CancelToken,
    ChatRequest,
    Contradictions,
    ModelIdentity,
    Reply,
    ScorerIdentity,
    Similarities,
    TextGrown,
    Watch,
)
from models.scoring.texts import require_words

MODEL_ID = "scripted"
DISEASES = ("Alpha", "Bravo", "Charlie", "Delta", "Echo", "Foxtrot", "Golf", "Hotel", "India", "Juliet", "Kilo", "Lima")
SCORER_WINDOW_WORDS = 512
_DIMENSIONS = 64
Script = Callable[[ChatRequest], str | None]
"""The reply to a request, or None where the script leaves it open. A text that is no filled-in form ends `context_full`."""


def open_script(request: ChatRequest) -> str | None:
    """The script that leaves everything open."""
    return None


class ScriptedModel:
    """`core.ports.ChatModel` without a model. The same request always gets the same reply."""

    def __init__(self, script: Script = open_script, pace_s: float = 0.0) -> None:
        """`pace_s`: pause behind every word, so that a demonstration can be watched."""
        self._script, self._pace_s = script, pace_s

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity(
            model_id=MODEL_ID,
            file_sha256=hashlib.sha256(MODEL_ID.encode()).hexdigest(),
            parameters=0,
            quantization="none",
            context_tokens=1_000_000,
            engine="script",
            device="none",
            notes=("These replies come from a script, not from a model.",),
        )

    def close(self) -> None:
        """Nothing to free."""

    def ask_all(
        self, requests: Sequence[ChatRequest], watch: Watch, cancel: CancelToken
    ) -> Iterator[tuple[Address, Reply]]:
        for request in requests:
            said = self._script(request)
            text = filled_in(request) if said is None else said
            words = text.split(" ")
            for place, word in enumerate(words):
                if cancel.is_set():
                    raise Stopped
                watch(TextGrown(address=request.address, piece=word if place == 0 else f" {word}", tokens=1))
                if self._pace_s:
                    time.sleep(self._pace_s)
            yield request.address, self._reply(request, text, len(words))

    def _reply(self, request: ChatRequest, text: str, words: int) -> Reply:
        prompt = sum(len(block.text.split()) for block in request.shared) + len(request.own.split())
        return Reply(
            text=text,
            ended="complete" if _is_answer(request, text) else "context_full",
            prompt_tokens=prompt,
            evaluated_tokens=prompt,
            decoded_tokens=words,
            forced_tokens=0,
            seconds=0.0,
            model=self.identity,
        )


class ScriptedScorer:
    """`core.ports.PairScorer` without a model. The same texts always get the same numbers; common words make a high cosine."""

    @property
    def identity(self) -> ScorerIdentity:
        sha256 = hashlib.sha256(MODEL_ID.encode()).hexdigest()
        return ScorerIdentity(
            nli_id=MODEL_ID,
            nli_sha256=sha256,
            embedding_id=MODEL_ID,
            embedding_sha256=sha256,
            engine="script",
            device="none",
            grade="demonstration only",
            notes=("These figures are drawn, not measured.",),
        )

    def close(self) -> None:
        """Nothing to free."""

    def similarities(self, texts: Sequence[str], cancel: CancelToken) -> Similarities:
        _require_fitting(texts, cancel)
        vectors = [_drawn_vector(text) for text in texts]
        cosines = tuple(tuple(round(sum(map(mul, one, other)), 6) for other in vectors) for one in vectors)
        return Similarities(cosines=cosines, scorer=self.identity)

    def contradictions(self, pairs: Sequence[tuple[str, str]], cancel: CancelToken) -> Contradictions:
        for pair in pairs:
            _require_fitting(pair, cancel)
        return Contradictions(probabilities=tuple(_drawn_share(*pair) for pair in pairs), scorer=self.identity)


def _require_fitting(texts: Sequence[str], cancel: CancelToken) -> None:
    require_words(texts)
    longest = max((len(text.split()) for text in texts), default=0)
    if longest > SCORER_WINDOW_WORDS:
        raise TextTooLong(
            f"A step has {longest:,} words, but the scripted scorer sees {SCORER_WINDOW_WORDS:,} at once; split long steps."
        )
    if cancel.is_set():
        raise Stopped


def _drawn_vector(text: str) -> list[float]:
    """A vector of length 1: the sum of one drawn direction a word."""
    words = [random.Random(word) for word in text.lower().split()]
    summed = [sum(word.gauss(0, 1) for word in words) for _ in range(_DIMENSIONS)]
    length = math.hypot(*summed)
    return [each / length for each in summed]


def _drawn_share(premise: str, hypothesis: str) -> float:
    """0..1; nothing contradicts itself."""
    return 0.0 if premise == hypothesis else round(random.Random(f"{premise}\0{hypothesis}").random(), 6)


def _is_answer(request: ChatRequest, text: str) -> bool:
    try:
        if request.until is None:
            request.form.parse(text)
        else:
            request.form.first(text, request.until)
    except ValueError:
        return False
    return True


def filled_in(request: ChatRequest, wanted: Mapping[str, str] | None = None) -> str:
    """A filled-in form in which nothing means anything; what is chosen follows from the seed of the request.

    `wanted`: what stands in certain fields all the same, by label, wherever it can stand there.
    """
    return fill_form(request.form, random.Random(request.seed), wanted or {})


def fill_form(form: Form, chance: random.Random, wanted: Mapping[str, str] = MappingProxyType({})) -> str:
    return "".join(_line(field, chance, set(), wanted) for field in form.fields)


def _line(field: Field, chance: random.Random, used: set[str], wanted: Mapping[str, str]) -> str:
    """One field as text. `used` are the names that may not be taken again."""
    wish = wanted.get(field.label)
    match field:
        case Text():
            return f"{field.lead} {(wish or f'Scripted words about {field.label.lower()}.')[: field.max_chars]}\n"
        case Name():
            name = chance.choice([disease for disease in DISEASES if disease not in used])
            if wish is not None and wish not in used:
                used.add(wish)
                return f"{field.lead} {wish}\n"
            used.add(name)
            return f"{field.lead} Scripted disease {name}\n"
        case Number():
            return f"{field.lead} {chance.randint(field.low, field.high)}\n"
        case Choice():
            options = [option for option in field.options if option.name not in used]
            option = next((option for option in options if option.name == wish), None) or chance.choice(options)
            used.add(option.name)
            return f"{field.lead} {option.name}\n" + "".join(_line(then, chance, set(), wanted) for then in option.then)
        case Picks():
            picked = chance.sample(field.options, chance.randint(field.least, field.most))
            if wish in field.options or (wish == "none" and field.least == 0):
                return f"{field.lead} {wish}\n"
            return f"{field.lead} {', '.join(picked) or 'none'}\n"
        case Repeat():
            lines, taken = [], set[str]()
            for _ in range(chance.randint(field.least, field.most)):
                lines.append(_line(field.fields[0], chance, taken if field.distinct else set(), wanted))
                lines += [_line(inner, chance, set(), wanted) for inner in field.fields[1:]]
            return "".join(lines) + "END\n"
