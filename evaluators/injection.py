"""Notices text that addresses the judge, without mistaking manuals, legal texts or API documentation for it."""

import re
from collections.abc import Sequence

_RULES = r"\b(?:instruction|prompt|rule|direction|guideline)"
_THE_ANSWER = (
    r"(?:(?:this|the|my|any|every) (?:answer|response|reply|claim)s?|all (?:answer|response|claim)s|everything)"
)


def _pattern(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.DOTALL)


_IGNORE = _pattern(
    # "Ignore all previous instructions", here and in languages that put the adjective last.
    r"(?:ignore|disregard|forget|override) (?:all |any |of |the |your |these |my )*"
    rf"(?:previous|prior|above|preceding|earlier|other|system|your|all)\b.{{0,20}}{_RULES}",
    r"(?:ignor\w*|oublie\w*)\b.{0,30}\b(?:instru[cç]|istruzion)\w*.{0,20}\b(?:anterior|previ|pr[ée]c[ée]d|ci-dessus)",
    r"ignorier\w*.{0,20}\b(?:vorherig|bisherig|obig|vorig)\w*.{0,20}\banweisung",
    r"negeer\w*.{0,20}\b(?:eerdere|vorige|voorgaande|bovenstaande)\b.{0,20}instructie",
    r"ignoruj\w*.{0,20}\b(?:poprzedni|wcześniejsz|powyższ)\w*.{0,20}instrukcj",
    r"игнорируй\w*.{0,20}\b(?:предыдущ|прежн|вышеуказанн)\w*.{0,20}(?:инструкц|указани)",
    r"(?:önceki|yukarıdaki).{0,20}talimat.{0,20}(?:yok say|görmezden gel|dikkate alma)",
    r"(?:이전|위).{0,12}(?:지시|지침|명령).{0,6}무시",
    r"تجاهل.{0,20}(?:التعليمات|الأوامر).{0,10}(?:السابقة|أعلاه)",
    r"(?:पिछले|पूर्व|उपरोक्त).{0,20}(?:निर्देश|आदेश).{0,12}(?:अनदेखा|नज़रअंदाज़)",
    r"忽略.{0,12}(?:指示|指令)",
    r"(?:指示|指令).{0,6}無視",
)
_VERDICT = _pattern(
    rf"\b(?:score|rate|grade|mark|judge|evaluate) {_THE_ANSWER}\b.{{0,30}}"
    r"(?:\b1(?:\.0+)?\b|\b10\b|\b100\b|\bperfect|\bfully|\bsupported|\bfaithful|\bcorrect\b)",
    rf"\b(?:give|assign|award) {_THE_ANSWER}\b.{{0,30}}\b(?:score|rating|verdict|faithfulness)\b",
)
_JUDGE = _pattern(
    r"\b(?:note|message|instructions?) (?:to|for)(?: the| any| all)? (?:\w+ )?(?:judge|evaluator|grader)s?\b",
    r"\bas an? (?:\w+ )?(?:judge|evaluator|grader)\b.{0,10}\byou (?:must|should|will|have to|are)\b",
)
_FORGED = _pattern(
    r"\"support\"\s*:\s*[\"'](?:supported|contradicted|not_in_context)", r"[\"'](?:relevancy|abstained)[\"']\s*:"
)
_CUES = (
    *((cue, _IGNORE) for cue in ("ignor", "disregard", "forget", "overrid", "oublie", "忽略", "無視")),
    *((cue, _IGNORE) for cue in ("negeer", "игнорир", "talimat", "무시", "تجاهل", "अनदेखा", "नज़रअंदाज़")),
    *((cue, _VERDICT) for cue in (" answer", " response", " reply", " claim", " everything")),
    *((cue, _JUDGE) for cue in (" judge", "evaluator", "grader")),
    *((cue, _FORGED) for cue in ("support\"", "relevancy", "abstained")),
)  # fmt: skip
"""Words without which a pattern cannot match: looking for them first, and then only around them, is 50 times faster."""

_BEFORE, _AFTER = 60, 120
_MAX_CUES = 64
"""Occurrences of a cue looked at in one text, so that no text takes long."""

_CHAT_TOKEN = re.compile(r"<[|\uff5c]|\[/?INST\]|<</?SYS>>|</?(?:start|end)_of_turn>")
_TAGS = re.compile("[\U000e0020-\U000e007e]{8,}")
"""A flag needs at most six of these invisible letters; a sentence needs more."""


def hides_text(text: str) -> bool:
    """Whether `text`, as it arrived, holds a sentence in characters that only a model reads."""
    return not text.isascii() and _TAGS.search(text) is not None


def addresses_the_judge(text: str) -> bool:
    """Whether `text`, without invisible characters, looks like orders to a model, a forged verdict or chat turn."""
    if ("<" in text or "[" in text) and _CHAT_TOKEN.search(text):
        return True
    lowered = text.lower().replace("\n", " ")
    return any(_stands_near(cue, pattern, lowered) for cue, pattern in _CUES if cue in lowered)


def any_addresses_the_judge(texts: Sequence[str]) -> bool:
    """Whether one of `texts` does; one look for cues in all of them is cheaper than one in each."""
    joined = "\n".join(texts).lower()
    suspicious = "<" in joined or "[" in joined or any(cue in joined for cue, _ in _CUES)
    return suspicious and any(map(addresses_the_judge, texts))


def _stands_near(cue: str, pattern: re.Pattern[str], text: str) -> bool:
    position = text.find(cue)
    for _ in range(_MAX_CUES):
        if position < 0:
            return False
        if pattern.search(text, max(position - _BEFORE, 0), position + _AFTER):
            return True
        position = text.find(cue, position + len(cue))
    return False
