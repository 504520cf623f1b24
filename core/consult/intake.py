"""Text or file -> vignette with numbered findings, and what a complete vignette would also say.

Nothing is left out: every word of the text is in one of the findings, however many there are.
Source: protocol section 1.
"""

import re
from pathlib import Path

from core.consult.cant_miss import detect_complaints
from core.domain.case import Finding, FindingId, Vignette
from core.errors import BadInput
from core.terms.measures import names_sex, read_age, read_vital_signs
from core.terms.negation import negated_spans, says_absent
from core.terms.sentences import split_sentences

MAX_BYTES = 200_000
"""Largest case file. About 40,000 words: more is no single case."""
NO_CASE = "anything that looks like a clinical case"
_DOCUMENTS = (
    (b"PK\x03\x04", "a Word or zip file"),
    (b"%PDF", "a PDF file"),
    (b"\xd0\xcf\x11\xe0", "an old Word or Excel file"),
    (b"{\\rtf", "a rich-text file"),
)
_DURATION = re.compile(
    r"\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|several|few|couple of|past|last|a|an)[- ]*"
    r"(?:min(?:ute)?|hour|hr|day|night|week|wk|month|mo|year|yr)s?\b(?![- ]*(?:old|of age))|"
    r"\b(?:since|yesterday|this morning|tonight|today|overnight|sudden(?:ly)?|acute onset|chronic|lifelong|seit|desde|"
    r"depuis|tagen?|días|jours|giorni|dias)\b",
    re.IGNORECASE,
)
_MEDICATION = re.compile(
    r"\b(?:medic(?:ation|ine|ament)\w*|meds|drugs?|takes|taking|prescri\w+|treated with|therapy|insulin|aspirin|"
    r"ibuprofen|acetaminophen|paracetamol|metformin|lisinopril|warfarin|contracepti\w+|antibiotics?|supplements?|"
    r"nimmt|toma|prend|b\.i\.d|t\.i\.d|q\.d)\b|\b\d+(?:[.,]\d+)?\s?(?:mg|mcg|µg|units)\b(?!\s*/)",
    re.IGNORECASE,
)
_CLINICAL = re.compile(
    r"\b(?:patients?|presents?|complain\w*|symptom\w*|pain\w*|ache\w*|history of|examination|diagnos\w+|physician|"
    r"doctor|hospital|clinic|emergency|fever\w*|cough\w*|swell\w*|bleed\w*|tender\w*|lesions?|rash\w*|nausea|vomit\w*|"
    r"fatigue|weakness|blood|surgery|\w+itis|\w+emia|\w+uria|\w+schmerz\w*|schmerz\w*|fieber|husten|patientin|dolor|fiebre|"
    r"paciente|douleurs?|fièvre|toux|dolore|febbre|paziente|dor|febre)\b|患者|疼|痛|发热|発熱|환자|통증|пациент|боль",
    re.IGNORECASE,
)
_CLINICAL_WORDS = 2
"""Ours: a text with fewer clinical words, no complaint, no vital sign and no age is taken for no case."""
_LIST_ITEM = re.compile(r"[-*•‣◦·\u2013]|\(?\w{1,2}[.)]\s")


def read_case_file(path: str) -> str:
    """The text of a case file. Raises `BadInput` where it cannot be read or is no plain text; see `read_case_bytes`."""
    return read_case_bytes(file_content(Path(path), MAX_BYTES + 1), Path(path).name)


def file_content(file: Path, most_bytes: int) -> bytes:
    """The first `most_bytes` of a file that the user chose. Raises `BadInput` where it cannot be read."""
    try:
        with file.open("rb") as stream:
            return stream.read(most_bytes)
    except FileNotFoundError:
        raise BadInput(f"There is no file {file.name}; check the name and the folder.") from None
    except IsADirectoryError:
        raise BadInput(f"{file.name} is a folder; choose a text file in it.") from None
    except OSError as error:
        raise BadInput(f"{file.name} cannot be read ({error.strerror}); check that you may open it.") from None


def read_case_bytes(data: bytes, name: str) -> str:
    """The text in `data`, UTF-8 with or without byte order mark, at most `MAX_BYTES` long.

    `name` is the file's name, for the messages. Raises `BadInput` for anything that is no plain text.
    """
    for magic, kind in _DOCUMENTS:
        if data.startswith(magic):
            raise BadInput(f"{name} is {kind} and no plain text; open it and save the case as plain text (UTF-8).")
    if len(data) > MAX_BYTES:
        raise BadInput(f"{name} has more than {MAX_BYTES:,} bytes; save only the one case in it as a text file.")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadInput(f"{name} is text in UTF-16; save it again with the encoding UTF-8.")
    if b"\x00" in data:
        raise BadInput(f"{name} holds binary data and no text; choose the text file of the case.")
    text = _decoded(data)
    if text is None:
        raise BadInput(f"{name} is not in UTF-8; save it again with the encoding UTF-8.")
    if not text.strip():
        raise BadInput(f"{name} is empty; choose a file that holds the case, or type the case in.")
    return text


def vignette(text: str) -> Vignette:
    """The findings of a case, what is missing and the complaints detected. Raises `BadInput` where `text` is empty."""
    text = text.strip()
    if not text:
        raise BadInput("The case is empty; type or paste what is known about the patient.")
    complaints = detect_complaints(text)
    missing = _missing(text, has_complaint=bool(complaints))
    return Vignette(text=text, findings=_findings(text), missing=missing, complaints=complaints)


def _decoded(data: bytes) -> str | None:
    # Not chained to the error that is raised: a UnicodeDecodeError holds the whole text of the case.
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _findings(text: str) -> tuple[Finding, ...]:
    findings = []
    under_denial = False
    for number, sentence in enumerate(split_sentences(text), 1):
        is_item = _LIST_ITEM.match(sentence) is not None
        under_denial = under_denial and is_item
        absent = under_denial or says_absent(sentence)
        findings.append(Finding(finding_id=FindingId(f"S{number}"), text=sentence, present=not absent))
        # `Denies:` holds for all items of the list below it.
        if sentence.endswith(":") and not is_item:
            under_denial = bool(negated_spans(sentence))
    return tuple(findings)


def _missing(text: str, *, has_complaint: bool) -> tuple[str, ...]:
    age, signs = read_age(text), read_vital_signs(text)
    known = {
        "age": age is not None,
        "sex": names_sex(text),
        "duration": _DURATION.search(text) is not None,
        "vital signs": bool(signs),
        "medication": _MEDICATION.search(text) is not None,
    }
    missing = tuple(name for name, is_known in known.items() if not is_known)
    clinical_words = {match[0].lower() for match in _CLINICAL.finditer(text)}
    looks_clinical = len(clinical_words) >= _CLINICAL_WORDS or has_complaint or bool(signs) or bool(age)
    return missing if looks_clinical else (*missing, NO_CASE)
