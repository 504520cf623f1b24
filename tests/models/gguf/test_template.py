"""Chat templates are cut around the texts; whatever a file brings, the result can be used."""

import pytest

from models.gguf.template import frame

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] | trim }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
GEMMA = (
    "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"
    "{% for m in messages %}<start_of_turn>{{ m['role'] }}\n{{ m['content'] | trim }}<end_of_turn>\n{% endfor %}"
    "{% if add_generation_prompt %}<start_of_turn>model\n{% endif %}"
)
IGNORES_SYSTEM = "{% for m in messages if m['role'] == 'user' %}[INST] {{ m['content'] }} [/INST]{% endfor %}"
ALTERNATES = (
    "{% for m in messages %}{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Roles must alternate user/assistant') }}{% endif %}[INST] {{ m['content'] }} [/INST]{% endfor %}"
)


def test_the_texts_stand_between_the_parts_of_the_template() -> None:
    found = frame(CHATML, "<s>", "</s>")
    assert found.before == "<|im_start|>system\n"
    assert found.between == "<|im_end|>\n<|im_start|>user\n"
    assert found.after == "<|im_end|>\n<|im_start|>assistant\n"
    assert found.notes == ()


@pytest.mark.parametrize("template", [GEMMA, IGNORES_SYSTEM, ALTERNATES])
def test_without_a_system_role_the_rules_stand_in_the_turn_of_the_user(template: str) -> None:
    found = frame(template, "<bos>", "<eos>")
    assert found.between == "\n\n"
    assert found.notes == (
        "This model's chat template knows no system role: the rules stand in the user's turn.",
    )  # fmt: skip
    assert found.before
    assert found.after


def test_the_mark_that_begins_a_text_comes_from_the_model() -> None:
    assert frame(GEMMA, "<bos>", "<eos>").before == "<bos><start_of_turn>user\n"


@pytest.mark.parametrize("template", [None, ""])
def test_no_template_is_told(template: str | None) -> None:
    found = frame(template, "", "")
    assert found.before == ""
    assert "Filled-in form" in found.after
    assert found.notes == ("This model file has no chat template: a plain one is used.",)


@pytest.mark.parametrize(
    "template",
    [
        "{% for m in messages %}", "{{ 1 / 0 }}", "{{ messages[0].missing.more }}", "{{ messages | nosuchfilter }}",
        "no text at all", "{{ raise_exception('never') }}", "{{ messages[0]['content'][0]['text'] }}", "{{ [1][5] + 1 }}",
        "{% for m in messages %}{{ m['content'] }}{{ m['content'] }}{% endfor %}", "{{ messages.append(1) }}",
        "{% for m in messages | reverse %}{{ m['content'] }}{% endfor %}{{ cycler.__init__.__globals__ }}",
        "{{ 'x' + 1 }}", "{{ dict(messages) }}",
    ],
)  # fmt: skip
def test_a_template_that_cannot_be_used_is_replaced_and_told(template: str) -> None:
    found = frame(template, "", "")
    assert "Filled-in form" in found.after
    assert found.notes == ("This model's chat template could not be used: a plain one is used.",)


def test_templates_may_leave_a_loop() -> None:
    leaves = "{% for m in messages %}{% if loop.index0 > 1 %}{% break %}{% endif %}{{ m['content'] }}|{% endfor %}"
    assert frame(leaves, "", "").notes == ()
