"""One spelling for names that differ only in case, accents, hyphens, possessive, plural, British or American form."""

import re
import unicodedata

_LETTERS = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "\u2019": "'", "\u2018": "'", "\u02bc": "'", "`": "'", "&": " and "}
    | {"\u03b1": "alpha", "β": "beta", "\u03b3": "gamma", "δ": "delta", "κ": "kappa", "λ": "lambda"}
)
_POSSESSIVE = re.compile(r"(?<=\w)'s\b|(?<=s)'(?!\w)")
_SEPARATOR = re.compile(r"[^\w+%<>]+|_+")
_PLURAL_OF_ABBREVIATION = re.compile(r"\b([A-Z]{2,})s\b")
_GLUED = re.compile(r"\b(non|anti|post|pre|gastro|tracheo|angio|hyper|hypo|pseudo|peri|sub|intra) (?=[a-z]{2})")
_NUMERAL = re.compile(
    r"\b(?:ii|iii|vi|vii|viii|ix|(?:(?<=type )|(?<=grade )|(?<=stage )|(?<=class )|(?<=factor ))[ivx]+)\b"
)
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii")
_ARABIC = {roman: str(number) for number, roman in enumerate(_ROMAN, 1)}
_AMERICAN = tuple(
    (re.compile(pattern), american)
    for pattern, american in (
        (r"haem", "hem"),
        (r"aemi", "emi"),
        (r"\boesophag", "esophag"),
        (r"ooesophag", "oesophag"),
        (r"iooedem", "ioedem"),
        (r"(?<!angi)oedem", "edem"),
        (r"oestr", "estr"),
        (r"coeli", "celi"),
        (r"foet", "fet"),
        (r"pnoea", "pnea"),
        (r"rrhoea", "rrhea"),
        (r"paed", "ped"),
        (r"gynaec", "gynec"),
        (r"caec", "cec"),
        (r"faec", "fec"),
        (r"aesth", "esth"),
        (r"aetio", "etio"),
        (r"phaeo", "pheo"),
        (r"caesar", "cesar"),
        (r"amoeb", "ameb"),
        (r"taenia", "tenia"),
        (r"leuc(?=ocyt|open|odystr|orrh)", "leuk"),
        (r"(tum|col|hum|od|behavi)our", r"\1or"),
        (r"\bfibre", "fiber"),
        (r"\bcentre", "center"),
        (r"sulph", "sulf"),
        (r"(?<=[nlrtd])is(?=ed\b|ation\b)", "iz"),
        (r"lys(?=ed\b)", "lyz"),
        (r"\bneurone", "neuron"),
        (r"\bdisc(?=s?\b)", "disk"),
        (r"\bgrey\b", "gray"),
    )
)
_SINGULAR_IN_S = frozenset(
    {
        "achilles",
        "ascites",
        "caries",
        "diabetes",
        "facies",
        "feces",
        "graves",
        "herpes",
        "measles",
        "menses",
        "mumps",
        "pancreas",
        "rabies",
        "rickets",
        "scabies",
        "series",
        "species",
        "tabes",
    }
)
"""Words that end in s and are no plural."""
_IRREGULAR = {
    "calculi": "calculus",
    "diverticula": "diverticulum",
    "emboli": "embolus",
    "ganglia": "ganglion",
    "metastases": "metastasis",
    "teeth": "tooth",
    "thrombi": "thrombus",
    "varices": "varix",
}


def normal_spelling(name: str) -> str:
    """Lower-case words of `name` with single spaces between them; the same for all spellings of one name.

    Removed are case, accents, hyphens and other punctuation, possessive and plural endings, and British forms; Roman
    numerals become Arabic. No word and no digit is ever left out: `21-hydroxylase deficiency` keeps its number.
    Idempotent.
    Source: protocol section 4.
    """
    name = _PLURAL_OF_ABBREVIATION.sub(r"\1", name)
    text = unicodedata.normalize("NFKD", name.casefold().translate(_LETTERS)).casefold()
    text = "".join(character for character in text if not unicodedata.combining(character)).translate(_LETTERS)
    text = _SEPARATOR.sub(" ", _POSSESSIVE.sub("", text)).strip()
    while (plainer := _respell(text)) != text:
        text = plainer
    return text


def _respell(text: str) -> str:
    """One pass of the spelling rules. Gluing a prefix may make a new plural or British form, hence the repetition."""
    text = _GLUED.sub(r"\1", " ".join(_singular(word) for word in text.split()))
    for british, american in _AMERICAN:
        text = british.sub(american, text)
    return _NUMERAL.sub(lambda match: _ARABIC.get(match[0], match[0]), text)


def _singular(word: str) -> str:
    """`word` without its plural ending. Short words are left alone: APL and APLS are two diseases."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 5 or word in _SINGULAR_IN_S or not word.isalpha() or re.search(r"(ss|us|is|[^m]as|os|sis)$", word):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if re.search(r"(ss|x|ch|sh)es$", word):
        return word[:-2]
    return word.removesuffix("s")
