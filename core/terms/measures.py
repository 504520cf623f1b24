"""Age, sex and vital signs as numbers, read from clinical text."""

import re
from typing import Literal

from msgspec import Struct

_DIGITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = ("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORD_NUMBERS = {word: number for number, word in enumerate(_DIGITS + _TEENS, 1)} | {
    word: 10 * tens for tens, word in enumerate(_TENS, 2)
}
_YEARS_IN = {"y": 1.0, "m": 1 / 12, "w": 1 / 52, "d": 1 / 365}
_AGE = re.compile(
    rf"\b(?P<number>\d{{1,3}}(?:\.\d)?|{'|'.join(_WORD_NUMBERS)})(?:[ -](?P<ones>{'|'.join(_DIGITS)}))?[ -]*"
    r"(?:(?P<unit>years?|yrs?|y|months?|mos?|m|weeks?|wks?|days?)[ -]*(?:old\b|of age\b|/?o\b)|(?P<yo>yo\b|y\.o\.)|"
    r"(?P<letter>(?<=\d)[MF])\b|(?P<other>Jahre alt|Jahre|jährige\w*|años|ans|anni|anos)\b)",
    re.IGNORECASE,
)
_AGE_AFTER = re.compile(r"\b(?:aged?|alter|edad|âge|età|idade)\b[:\s]*(?P<number>\d{1,3})\b", re.IGNORECASE)
_BABY = re.compile(r"\b(?:newborn|neonate)\b", re.IGNORECASE)
_SEX = re.compile(
    r"\b(?:males?|females?|m[ae]n|wom[ae]n|boys?|girls?|gentleman|lady|he|she|his|her|him|mother|pregnant|frau|mann|"
    r"patientin|mujer|hombre|mujeres|femme|homme|donna|uomo|mulher|homem|niñ[oa]|mädchen|junge)\b|"
    r"\b\d{1,3}\s?(?:yo|y/o|y)?\s?[MF]\b|\bsex:\s*[mf]\b",
    re.IGNORECASE,
)
_NUMBER = r"(?P<number>\d{1,3}(?:[.,]\d{1,2})?)"
_GAP = r"(?:\s*(?:\([a-z]+\)|rate|is|was|are|were|of|at|to|:|=|-))*\s*"
_VITALS = {
    "temperature_c": re.compile(
        rf"(?:\b(?:temp(?:erature)?|fever|febrile|t)\b\.?{_GAP}{_NUMBER}\s*(?:°|deg\w*|º)?\s*(?P<scale>[CF])?\b"
        r"|(?<![\d.])(?P<bare>\d{2,3}(?:[.,]\d{1,2})?)\s*(?:°|º|degrees?)\s*(?P<bare_scale>[CF])?\b)",
        re.IGNORECASE,
    ),
    "systolic_mmhg": re.compile(
        r"(?<![\d/])(?P<number>\d{2,3})\s*/\s*\d{2,3}(?![\d/])(?=\s*mm|\s|[.,;)]|$)"
        rf"|\bsystolic(?: blood pressure)?{_GAP}(?P<bare>\d{{2,3}})",
        re.IGNORECASE,
    ),
    "pulse_per_min": re.compile(
        rf"\b(?:pulse|heart rate|hr|puls|bpm){_GAP}{_NUMBER}|(?P<bare>\b\d{{2,3}}) ?(?:bpm|beats)\b", re.IGNORECASE
    ),
    "breaths_per_min": re.compile(
        rf"\b(?:respirat(?:ions?|ory)|breathing|rr|resp)\b\.?{_GAP}{_NUMBER}|(?P<bare>\b\d{{1,2}}) ?breaths\b",
        re.IGNORECASE,
    ),
    "spo2_percent": re.compile(
        rf"\b(?:spo2|sao2|o2 sats?|oxygen saturation|saturations?|sats?|o2){_GAP}{_NUMBER}\s*%?", re.IGNORECASE
    ),
}
_PLAUSIBLE = {
    "temperature_c": (25.0, 45.0),
    "systolic_mmhg": (30.0, 300.0),
    "pulse_per_min": (20.0, 300.0),
    "breaths_per_min": (3.0, 90.0),
    "spo2_percent": (40.0, 100.0),
}
"""Ours: numbers outside are taken for something else."""

Measure = Literal["age_years", "temperature_c", "systolic_mmhg", "pulse_per_min", "breaths_per_min", "spo2_percent"]


class Measured(Struct, frozen=True, kw_only=True):
    """One number and the words it was read from."""

    measure: Measure
    value: float
    """In the unit that the name of the measure says."""
    words: str


def read_age(text: str) -> Measured | None:
    """The first age of `text` in years, or None. Months, weeks and days become parts of a year."""
    if match := _AGE.search(text):
        number = match["number"].lower()
        value = float(_WORD_NUMBERS.get(number, number))
        value += _WORD_NUMBERS.get((match["ones"] or "").lower(), 0)
        unit = (match["unit"] or "y")[0].lower()
        return Measured(measure="age_years", value=value * _YEARS_IN[unit], words=match[0])
    if match := _AGE_AFTER.search(text):
        return Measured(measure="age_years", value=float(match["number"]), words=match[0])
    if match := _BABY.search(text):
        return Measured(measure="age_years", value=0.0, words=match[0])
    return None


def read_vital_signs(text: str) -> tuple[Measured, ...]:
    """Vital signs of `text`: temperature in degrees C, systolic pressure in mmHg, rates per minute, saturation in %."""
    found = []
    for measure, pattern in _VITALS.items():
        for match in pattern.finditer(text):
            groups = match.groupdict()
            value = float((groups.get("number") or groups["bare"]).replace(",", "."))
            if measure == "temperature_c":
                value = _celsius(value, groups["scale"] or groups["bare_scale"])
            low, high = _PLAUSIBLE[measure]
            if low <= value <= high:
                found.append(Measured(measure=measure, value=value, words=match[0].strip()))  # type: ignore[arg-type]
    return tuple(found)


def names_sex(text: str) -> bool:
    """Whether `text` says or shows the patient's sex."""
    return _SEX.search(text) is not None


def _celsius(value: float, scale: str | None) -> float:
    is_fahrenheit = scale in ("F", "f") or (scale is None and value > 80)
    return round((value - 32) / 1.8, 2) if is_fahrenheit else value
