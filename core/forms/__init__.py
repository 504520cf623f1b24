"""Forms: one declaration gives the instructions, the grammar that constrains decoding, and the parser."""

from core.forms.fields import Choice, Field, Name, Number, Option, Picks, Repeat, Text, words
from core.forms.filled import CUT, Filled, Picked, Repeated, Value, Written
from core.forms.form import Form, NotFilled, has_ideographs
from core.forms.walk import Step

__all__ = [
    "CUT", "Choice", "Field", "Filled", "Form", "Name", "NotFilled", "Number", "Option", "Picked", "Picks", "Repeat",
    "Repeated", "Step", "Text", "Value", "Written", "has_ideographs", "words",
]  # fmt: skip
