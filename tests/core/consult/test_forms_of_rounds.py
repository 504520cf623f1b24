"""The real forms of a case in the notation of servers: llama.cpp reads every one of them and takes what was filled in."""

from pathlib import Path

from models.scripted import ScriptedModel, filled_in
from tests.core.consult.panels import CountedModel, library_at, open_seated, run
from tests.core.forms.gbnf import Gbnf


def test_llama_cpp_reads_the_form_of_every_question(tmp_path: Path) -> None:
    model = CountedModel(ScriptedModel())
    with library_at(tmp_path) as library:
        run(library, open_seated(library), model)
    judge = Gbnf(tmp_path)
    stages = {request.address.split("/")[0]: request for request in model.asked}
    assert set(stages) >= {"r1", "r2", "r3", "r5a", "r5b", "r5c", "r6", "r7", "referee"}
    for request in stages.values():
        text, grammar = filled_in(request), request.form.gbnf()
        assert judge.accepts(grammar, text), request.address
        assert not judge.accepts(grammar, text + "more"), request.address
