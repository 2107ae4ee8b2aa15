"""Tables of words and patterns, one entry a line, read once. A line that begins with `#` is a comment."""

import re
from importlib.resources import files


def lines(name: str) -> list[str]:
    """The entries of a table."""
    text = (files(__name__) / f"{name}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def words(name: str) -> list[str]:
    """The words of a table of nothing but words."""
    return [word for line in lines(name) for word in line.split()]


def entries(name: str) -> dict[str, list[str]]:
    """A table of `key: word word ...`."""
    split = (line.split(": ", 1) for line in lines(name))
    return {key: forms.split() for key, forms in split}


def by_word(name: str) -> dict[str, float]:
    """A table of `number: word word ...`, turned round."""
    return {form: float(value) for value, forms in entries(name).items() for form in forms}


def pattern(name: str) -> re.Pattern[str]:
    """A table of regular expressions as one alternation; `<name>` in it stands for what a line `name = ...` defines."""
    parts: dict[str, str] = {}
    alternatives = []
    for line in lines(name):
        key, defines, value = line.partition(" = ")
        if defines and key.isalpha():
            parts[key] = value
            continue
        for part, meaning in parts.items():
            line = line.replace(f"<{part}>", meaning)
        alternatives.append(f"(?:{line})")
    return re.compile("|".join(alternatives))
