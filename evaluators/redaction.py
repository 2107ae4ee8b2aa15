"""Personal data and keys, recognised by their shape."""

import re
from collections.abc import Callable

Replace = Callable[[str, str], str]
"""Gets the kind (`e-mail`, `phone`, `card`, `iban`, `key`) and what was found, and gives what stands there instead."""

_KEY = re.compile(r"\b(?:sk|pk|rk|ghp|gho|ghs|xox[abp]|glpat|AKIA|ASIA|AIza|eyJ)[-_]?[A-Za-z0-9_\-.]{14,}")
_SECRET = re.compile(
    # A run of such characters is looked at once, from its beginning: no text makes this quadratic.
    r"(?<![A-Za-z0-9+/_])(?=[a-zA-Z+/_]*\d)(?=[A-Z0-9+/_]*[a-z])(?=[a-z0-9+/_]*[A-Z])[A-Za-z0-9+/_]{40,}={0,2}"
)
_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_INTERNATIONAL = re.compile(r"(?<![\w.])\+\d{1,3}(?:[ ().-]{0,2}\d){6,13}(?!\d)")
_PHONE = re.compile(r"(?<![\w.-])\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?![\w-])")
_CARD = re.compile(r"(?<![\w.+])\d(?:[ -]?\d){12,18}(?!\w)")
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}")

_IBAN_REGISTRY = """
AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24
FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21
LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22
RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20
"""
_IBAN_LENGTHS = {entry[:2]: int(entry[2:]) for entry in _IBAN_REGISTRY.split()}
"""The length says where an account number ends, when capitals run on behind it."""


def substitute(text: str, replace: Replace) -> str:
    """`text` with e-mail addresses, telephone, card and account numbers and keys as `replace` has it."""
    text = _IBAN.sub(lambda match: _iban(match[0], replace), text)
    text = _CARD.sub(lambda match: replace("card", match[0]) if _passes_luhn(match[0]) else match[0], text)
    for kind, pattern in (("key", _KEY), ("key", _SECRET), *((("e-mail", _EMAIL),) if "@" in text else ())):
        text = pattern.sub(lambda match, kind=kind: replace(kind, match[0]), text)
    for pattern in (*((_INTERNATIONAL,) if "+" in text else ()), _PHONE):
        text = pattern.sub(lambda match: replace("phone", match[0]), text)
    return text


def redact(text: str) -> str:
    """`text` with what `substitute` finds replaced by its kind, as in [e-mail]."""
    return substitute(text, lambda kind, _: f"[{kind}]")


class Pseudonyms:
    """Numbered stand-ins, as in [e-mail 1]: the same for the same, so that texts can still be compared."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, str], str] = {}
        self._counts: dict[str, int] = {}

    def hide(self, text: str) -> str:
        """`text` with stand-ins."""
        return substitute(text, self._name)

    def restore(self, text: str) -> str:
        """`text` with what the stand-ins stand for."""
        if "[" in text:
            for (_, found), name in self._names.items():
                text = text.replace(name, found)
        return text

    def _name(self, kind: str, found: str) -> str:
        known = self._names.get((kind, found))
        if known is None:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            known = self._names[kind, found] = f"[{kind} {self._counts[kind]}]"
        return known


def _passes_luhn(number: str) -> bool:
    """Only what passes the check digit: long numbers are often ids that the reader needs."""
    digits = [int(char) for char in number if char.isdigit()]
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return (sum(digits[::-2]) + sum(doubled)) % 10 == 0


def _iban(candidate: str, replace: Replace) -> str:
    """The account number at the beginning of `candidate` replaced, where its check digits are right (ISO 13616)."""
    length, end, left = _IBAN_LENGTHS.get(candidate[:2], 0), 0, 0
    while end < len(candidate) and left < length:
        left += candidate[end] != " "
        end += 1
    number = candidate[:end].replace(" ", "")
    if not length or len(number) != length or candidate[end : end + 1].isalnum():
        return candidate
    value = int("".join(str(int(char, 36)) for char in number[4:] + number[:4]))
    return replace("iban", candidate[:end]) + candidate[end:] if value % 97 == 1 else candidate
