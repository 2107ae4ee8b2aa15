"""Stems: forms of one word made equal by cutting endings. Light on purpose: it never needs to know the language."""

from evaluators.lexical import tables

# English number words up to ninety stand for their figures, so that `ninety` matches `90`. They lead their lines.
_NUMBER_WORDS = {forms[0]: value for value, forms in tables.entries("numbers").items()}
_IRREGULAR = {form: base for base, forms in tables.entries("irregular_forms").items() for form in forms}
_ENDINGS = tuple(
    (ending, replacement.strip("-"), int(rest)) for ending, replacement, rest in map(str.split, tables.lines("endings"))
)
_KOREAN_ENDINGS = tuple(tables.lines("korean_endings"))
_PLURAL_LOOKALIKES = ("ss", "us", "is", "sses", "ies", "xes", "ches", "shes")
_NEVER_A_STEM = frozenset({"not", "non", "nor", "on", "in", "the"})
_VOWELS = frozenset("aeiouyáéíóúäöüàèìòùâêîôûåæøœ")
_SHORTEST = 3
_KOREAN_ROOT = 2


def stem(word: str) -> str:
    """The stem of a folded word; two forms of one word mostly share it."""
    if word in _NUMBER_WORDS:
        return _NUMBER_WORDS[word]
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= _SHORTEST:
        return word
    if "가" <= word[0] <= "힣":
        return _korean(word)
    stemmed = _alphabetic(word)
    # `noted` is no negation.
    return word if stemmed in _NEVER_A_STEM else stemmed


def _korean(word: str) -> str:
    for ending in _KOREAN_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _KOREAN_ROOT:
            return word[: -len(ending)]
    return word


def _alphabetic(word: str) -> str:
    if word.endswith("s") and not word.endswith(_PLURAL_LOOKALIKES):
        word = word[:-1]
    for _ in range(2):
        word = _without_ending(word)
    if len(word) > _SHORTEST + 1 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    if len(word) > _SHORTEST and word[-1] in "ey":
        word = word[:-1] + ("i" if word[-1] == "y" else "")
    return word


def _without_ending(word: str) -> str:
    for ending, replacement, rest in _ENDINGS:
        root = word[: -len(ending)]
        if len(root) >= rest and word.endswith(ending) and not _VOWELS.isdisjoint(root):
            return root + replacement
    return word
