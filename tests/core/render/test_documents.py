"""What a clinician reads: everything that was said, nothing that is withheld, no text that acts as markup."""

import re
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from core.domain.report import Report
from core.domain.statement import BallotStatement
from core.errors import BadInput
from core.render import Issued, document, read_report_file, render_html, render_json, render_markdown
from core.render.contents import Document, Facts, Items, Paragraph, Section, visible
from core.render.markdown import _in_line, _text
from core.render.opening import DISCLAIMER

Rewrite = Callable[[Report, Callable[[str], str]], Report]
HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(1)> {{ 7*7 }} {% raw %} &lt; # head *em* _em_ `code` | cell "
    "[link](https://evil.example) ![i](https://evil.example/i.png) https://evil.example <https://evil.example> ~~s~~ \\"
)
CHARACTERS = (
    "em dash \u2014 micro \u00b5 at least \u2265 beta \u03b2 caf\u00e9 \u7530\u4e2d \u0639\u0631\u0628\u064a "
    "\U0001f600 " + "x" * 300
)
ATTRIBUTES = frozenset(
    {"class", "dir", "id", "aria-labelledby", "aria-label", "href", "lang", "scope", "charset", "name", "content"}
) | {"http-equiv"}


class Page(HTMLParser):
    """Text and elements of a page as a browser has them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += "" if self.open[-1:] == ["style"] else data


def texts(made: Document) -> list[str]:
    """Every text of the tree, in order."""

    def walk(block: object) -> list[str]:
        match block:
            case Section():
                return [block.title, *(text for inner in block.blocks for text in walk(inner))]
            case Paragraph():
                return [block.text]
            case Items():
                return list(block.lines)
            case Facts():
                return [text for row in block.rows for text in (row.label, *row.lines)]
        return [block.caption, *block.head, *(cell for row in block.rows for cell in row)]

    return [made.title, *(text for section in made.sections for text in walk(section)), made.footer]


def read_markdown(markdown: str) -> tuple[str, set[str]]:
    """The text a reader sees and the kinds of marks that were understood."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(markdown)
    inner = [child for token in tokens for child in token.children or ()]
    shown = "".join("\n" if child.type in ("hardbreak", "html_inline") else child.content for child in inner)
    raw = {child.content for child in inner if child.type == "html_inline"}
    return shown, {token.type for token in (*tokens, *inner)} | raw


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def test_both_documents_say_everything_in_the_same_order(released: Report, issued: Issued) -> None:
    expected = squeezed("".join(map(visible, texts(document(released, issued)))))
    page = Page(render_html(released, issued=issued))
    body = squeezed(page.text).split("HowthisreportwasmadeLimits", 1)[1]
    title = squeezed(f"Ground Rounds: {released.case.title}")
    assert title + body == expected
    shown, _ = read_markdown(render_markdown(released, issued=issued))
    assert squeezed(shown).replace(":", "") == expected.replace(":", "")


@pytest.mark.parametrize(
    "text", [HOSTILE, CHARACTERS, "1. one\n# two\n- three\n\n    four\n+ five\n---\n| a |\n:--\n> q"]
)
def test_any_text_appears_as_text(released: Report, issued: Issued, rewrite: Rewrite, text: str) -> None:
    seen: list[str] = []

    def write(original: str) -> str:
        seen.append(f"{text} no{len(seen)}no")
        return seen[-1]

    hostile = rewrite(released, write)
    page = Page(render_html(hostile, issued=issued))
    assert {tag for tag, _ in page.tags} == {tag for tag, _ in Page(render_html(released, issued=issued)).tags}
    assert {name for _, attributes in page.tags for name in attributes} <= ATTRIBUTES
    shown, marks = read_markdown(render_markdown(hostile, issued=issued))
    _, usual = read_markdown(render_markdown(released, issued=issued))
    assert marks <= usual | {"<br>", "hardbreak", "html_inline"}
    for words in map(squeezed, seen):
        assert words in squeezed(page.text)
        assert words in squeezed(shown)


def test_no_free_text_is_dropped(released: Report, issued: Issued, rewrite: Rewrite) -> None:
    written: list[str] = []

    def write(original: str) -> str:
        written.append(f"word{len(written)}end")
        return written[-1]

    text = Page(render_html(rewrite(released, write), issued=issued)).text
    assert [word for word in written if word not in text] == []


@given(st.text(alphabet=st.one_of(st.sampled_from("ab1 \n\t\r#*_`~[]()<>|\\&;!-+=.:@/"), st.characters()), max_size=60))
def test_markdown_shows_any_text(text: str) -> None:
    shown, marks = read_markdown(_text(text))
    assert marks <= {"paragraph_open", "paragraph_close", "inline", "text", "hardbreak", "text_special"}
    assert squeezed(shown) == squeezed(visible(text))
    shown, marks = read_markdown(f"| a |\n| --- |\n| {_in_line(text)} |\n")
    assert squeezed(shown) == "a" + squeezed(visible(text))


def test_page_needs_nothing_from_outside_and_runs_nothing(released: Report, issued: Issued) -> None:
    html = render_html(released, issued=issued)
    page = Page(html)
    assert not {"script", "img", "link", "iframe", "object", "base", "form"} & {tag for tag, _ in page.tags}
    assert not re.search(r"url\(|@import|https?:", html)
    assert ("html", {"lang": "en-US"}) in page.tags
    assert page.text.count(DISCLAIMER) == 2
    assert f'content: "{DISCLAIMER}"' in html


def test_headings_go_down_by_one_and_tables_have_heads(released: Report, issued: Issued) -> None:
    page = Page(render_html(released, issued=issued))
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    tags = [tag for tag, _ in page.tags]
    assert tags.count("table") == tags.count("caption") == tags.count("thead")
    assert all(attributes["scope"] in {"col", "row"} for tag, attributes in page.tags if tag == "th")
    anchors = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(anchors) == len(set(anchors))


@pytest.mark.parametrize(
    "sentence",
    [
        "Quorum: 4 of 5 ballots were cast.",
        "emergency medicine: place 1, 3 x weight 61.2 = 183.8",
        "the leaders differ. By weighted points it is Aortic dissection, by plain points Myocardial infarction.",
        "Warning: with private answers the leader is Myocardial infarction instead of Aortic dissection.",
        "nephrology: Renal artery would be involved (findings: S4)",
        "guideline: stated by the model, not looked up",
        "Known course of myocardial infarction.",
        "Q1, cardiology (CHALLENGE, DISAGREE): The arms differ\nGround: Infarction does not change one arm",
        "nephrology answered UPDATE: The difference between the arms is real",
        "CHANGED because of NEW-GROUND, C1 (emergency medicine, Aortic dissection)",
        "emergency medicine gave the name Aortic dissections twice; the list ended there.",
        "Abstention, neurology: The reply picked the same id twice.",
        "Myocardial infarction; Heart attack",
        "67% of 3 repeats gave the ballot's diagnosis",
        "50% of the specialists with a private answer were flagged",
        "Rule list (chest pain/Aortic dissection), triggered by the words: tearing (S1)",
        "Taken into the differential: CT shows an intimal flap (Dr. Ada Vale, 2026-03-01T09:30:00Z)",
        "Revised, no longer counts: Needs a test: CT angiography ordered",
        "were not reviewed by a clinician",
        "R1 cardiology: relevance 9 of 10. ...",
        "5eed5eed",
        "1.54 billion",
    ],
)
def test_released_report_tells_how_it_came_about(released: Report, issued: Issued, sentence: str) -> None:
    assert sentence in Page(render_html(released, issued=issued)).text
    shown, _ = read_markdown(render_markdown(released, issued=issued))
    assert squeezed(sentence) in squeezed(shown)


RANKS_OR_COUNTS = re.compile(
    r"\bpoints?\b|\brank|weighted|leading|quorum|proposed by|first choice|\d of \d|contagion|best first|confidence, as",
    re.I,
)


def test_withheld_report_ranks_and_counts_nothing(withheld: Report, issued: Issued) -> None:
    for text in (
        Page(render_html(withheld, issued=issued)).text,
        read_markdown(render_markdown(withheld, issued=issued))[0],
    ):
        assert "Status: withheld" in text
        assert "Not settled yet: Aortic dissection." in text
        assert "Infarction does not change one arm" in text
        # Quoted from a prompt: the relevance of a specialty, not of a diagnosis.
        assert RANKS_OR_COUNTS.findall(text.replace("relevance 9 of 10", "")) == []


def test_withheld_report_shows_nothing_even_where_the_record_holds_it(
    released: Report, withheld: Report, issued: Issued
) -> None:
    leaky = msgspec.structs.replace(
        withheld, statements=released.statements, differential=released.differential, refereeing=released.refereeing
    )
    assert any(isinstance(statement, BallotStatement) for statement in leaky.statements)
    assert render_html(leaky, issued=issued) == render_html(withheld, issued=issued)
    assert render_markdown(leaky, issued=issued) == render_markdown(withheld, issued=issued)


def test_withheld_lists_stand_in_the_order_of_the_alphabet(withheld: Report, issued: Issued) -> None:
    turned = msgspec.structs.replace(
        withheld,
        statements=tuple(
            msgspec.structs.replace(statement, claims=statement.claims[::-1])
            if type(statement).__name__ == "DifferentialStatement"
            else statement
            for statement in withheld.statements
        ),
    )
    assert render_html(turned, issued=issued) == render_html(withheld, issued=issued)


def test_nobody_answered(silent: Report, issued: Issued) -> None:
    text = Page(render_html(silent, issued=issued)).text
    assert "There is no differential: nobody proposed a diagnosis, or nobody cast a ballot." in text
    assert text.count("It counts as no answer, never as agreement.") == 20
    assert "Not measured: no scorer is installed." in text
    assert "not measured: no specialist gave a private answer" in text


def test_sixty_diagnoses_six_first(released: Report, issued: Issued) -> None:
    found = released.differential
    assert found is not None
    rows = tuple(
        msgspec.structs.replace(found.ranking.rows[0], name=f"Disease {n}", weighted_rank=n) for n in range(1, 61)
    )
    ranking = msgspec.structs.replace(found.ranking, rows=rows)
    many = msgspec.structs.replace(released, differential=msgspec.structs.replace(found, ranking=ranking))
    text = Page(render_html(many, issued=issued)).text
    places = [text.index(f"{n}. Disease {n} (") for n in range(1, 61)]
    assert places == sorted(places)
    assert places[5] < text.index("Further diagnoses") < places[6]


@pytest.mark.parametrize("name", ["released", "withheld", "silent"])
def test_json_reads_back_equal(name: str, issued: Issued, request: pytest.FixtureRequest) -> None:
    report = request.getfixturevalue(name)
    text = render_json(report, issued=issued)
    assert '"schema_version": 3' in text
    file = read_report_file(text)
    assert file.report == report
    assert file.issued == issued


def test_json_of_another_kind_is_declined_without_its_words(released: Report, issued: Issued) -> None:
    with pytest.raises(BadInput) as declined:
        read_report_file('{"patient": "Tearing chest pain"}')
    assert declined.value.__context__ is None
    with pytest.raises(BadInput, match="another version"):
        read_report_file(render_json(released, issued=issued).replace('"schema_version": 3', '"schema_version": 2'))


def test_marks_that_turn_the_direction_of_text_are_written_out() -> None:
    assert visible("a\u202eb\x00c\ud800\r\nd") == "a[U+202E]b[U+0000]c[U+D800]\nd"


def _luminance(color: str) -> float:
    """Relative luminance, 0..1. Source: WCAG 2.2."""
    parts = [int(color[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_text_contrasts_with_its_ground_in_light_dark_and_print(released: Report, issued: Issued) -> None:
    schemes = re.findall(r":root \{(.*?)\}", render_html(released, issued=issued), re.DOTALL)
    assert len(schemes) == 3
    for scheme in schemes:
        colors = dict(re.findall(r"--([\w-]+): (#\w{6})", scheme))
        grounds = [colors[name] for name in ("ground", "band", "notice", "warning")]
        pairs = [(colors["text"], ground) for ground in grounds]
        pairs += [(colors[name], colors["ground"]) for name in ("quiet", "accent")]
        for text, ground in pairs:
            low, high = sorted((_luminance(text), _luminance(ground)))
            assert (high + 0.05) / (low + 0.05) >= 4.5
