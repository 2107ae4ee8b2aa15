"""What must not travel in an alert: personal data and keys, recognised by their shape."""

import re
from collections.abc import Callable

ELLIPSIS = "…"

_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("key", re.compile(r"\b(?:sk|pk|rk|ghp|gho|ghs|xox[abp]|glpat|AKIA|ASIA|AIza|eyJ)[-_]?[A-Za-z0-9_\-.]{14,}")),
    ("key", re.compile(r"\b(?=[a-zA-Z+/_]*\d)(?=[A-Z0-9+/_]*[a-z])(?=[a-z0-9+/_]*[A-Z])[A-Za-z0-9+/_]{40,}={0,2}")),
    ("e-mail", re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")),
    ("phone", re.compile(r"(?<![\w.])\+\d{1,3}(?:[ ().-]{0,2}\d){6,13}(?!\d)")),
    ("phone", re.compile(r"(?<![\w.-])\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?![\w-])")),
)
_CARD = re.compile(r"(?<![\w.+])\d(?:[ -]?\d){12,18}(?!\w)")


def redact(text: str) -> str:
    """`text` with e-mail addresses, telephone numbers, card numbers and keys replaced by their kind, as in [e-mail]."""
    text = _CARD.sub(_card, text)
    for kind, pattern in _PATTERNS:
        text = pattern.sub(f"[{kind}]", text)
    return text


def shorten(text: str, limit: int) -> str:
    """`text` on one line in at most `limit` characters, cut at the end with an ellipsis."""
    line = " ".join(text.split())
    line = (
        line
        if line.isprintable()
        else "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in line)
    )
    return line if len(line) <= limit else line[: limit - 1] + ELLIPSIS


def presentable(limit: int) -> Callable[[str], str]:
    """Redact first, cut second: a cut through a key would leave half of it."""
    return lambda text: shorten(redact(text), limit) if text else ""


def _card(match: re.Match[str]) -> str:
    """Only what passes the check digit: long numbers are often ids that the reader needs."""
    digits = [int(char) for char in match[0] if char.isdigit()]
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return "[card]" if (sum(digits[::-2]) + sum(doubled)) % 10 == 0 else match[0]
