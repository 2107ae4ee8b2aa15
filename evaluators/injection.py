"""Notices text that gives orders to a model, without mistaking manuals, legal texts or API documentation for it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

from evaluators.encodings import decoded, may_be_encoded
from evaluators.lexical.scripts import visible
from evaluators.sample import Chunk, Place, RagSample, Suspicion

_THE_ANSWER = (
    r"(?:(?:this|the|my|any|every) (?:answer|response|reply|claim)s?|all (?:answer|response|claim)s|everything)"
)
_FULL_MARKS = (
    # "from 1 to 10" asks people for their opinion, "1.0" asks a judge.
    r"(?:(?<!from )(?<!to )(?<!scale of )\b(?:1(?:\.0+)?|10|100)\b(?! ?(?:to|through|-|\u2013)(?!\w))"
    r"|\bperfect|\bfully|\bsupported|\bfaithful|\bcorrect\b)"
)
_JUDGES = r"(?:\w+ )?(?:judge|evaluator|grader)s?\b"


def _pattern(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.DOTALL)


_IGNORE = _pattern(
    # "Ignore all previous instructions", here and in languages that put the adjective last. Manuals warn against it,
    # and say that a rule is ignored where another goes before.
    r"(?<!not )(?<!n't )(?<!never )(?:ignore|disregard|forget|override) (?:all |any |of |the |your |these |my )*"
    r"(?:previous|prior|above|preceding|earlier|other|system|your|all)\b.{0,20}\b(?:instruction|prompt)",
    r"(?<![\w,] )(?:ignore|disregard|forget) (?:all |any |of |the |your |these |my )*"
    r"(?:previous|prior|above|preceding|earlier|your)\b.{0,20}\b(?:rule|direction|guideline)",
    # `*+` gives no letter back, so that repeated words cost no more than others.
    r"(?:ignor|oublie)\w*+\b.{0,30}\b(?:instru[cç]|istruzion)\w*+.{0,20}\b(?:anterior|previ|pr[ée]c[ée]d|ci-dessus)",
    r"ignorier\w*+.{0,20}\b(?:vorherig|bisherig|obig|vorig)\w*+.{0,20}\banweisung",
    r"negeer\w*+.{0,20}\b(?:eerdere|vorige|voorgaande|bovenstaande)\b.{0,20}instructie",
    r"ignoruj\w*+.{0,20}\b(?:poprzedni|wcześniejsz|powyższ)\w*+.{0,20}instrukcj",
    r"игнорируй\w*+.{0,20}\b(?:предыдущ|прежн|вышеуказанн)\w*+.{0,20}(?:инструкц|указани)",
    r"(?:önceki|yukarıdaki).{0,20}talimat.{0,20}(?:yok say|görmezden gel|dikkate alma)",
    r"(?:이전|위).{0,12}(?:지시|지침|명령).{0,6}무시",
    r"تجاهل.{0,20}(?:التعليمات|الأوامر).{0,10}(?:السابقة|أعلاه)",
    r"(?:पिछले|पूर्व|उपरोक्त).{0,20}(?:निर्देश|आदेश).{0,12}(?:अनदेखा|नज़रअंदाज़)",
    r"忽略.{0,12}(?:指示|指令)",
    r"(?:指示|指令).{0,6}無視",
)
_VERDICT = _pattern(
    rf"\b(?:score|rate|grade|mark|judge|evaluate) {_THE_ANSWER}\b.{{0,30}}{_FULL_MARKS}",
    rf"\b(?:give|assign|award) {_THE_ANSWER}\b.{{0,30}}\b(?:score|rating|verdict|faithfulness)\b.{{0,20}}{_FULL_MARKS}",
)
_JUDGE = _pattern(
    # Courts have judges and schools have graders: only these are told about answers.
    rf"\b(?:note|message|instructions?) (?:to|for)(?: the| any| all)? {_JUDGES}.{{0,80}}\b{_THE_ANSWER}",
    rf"\bas an? {_JUDGES}.{{0,10}}\byou (?:must|should|will|have to) .{{0,30}}\b{_THE_ANSWER}\b.{{0,30}}{_FULL_MARKS}",
)
_FORGED = _pattern(
    r"\"claims?\"\s*:.{0,80}?\"support\"\s*:\s*\"(?:supported|contradicted|not_in_context)\"",
    r"\"support\"\s*:\s*\"(?:supported|contradicted|not_in_context)\"\s*,\s*\"(?:chunk|quote)\"",
    r"\"relevancy\"\s*:\s*[\d.]+\s*,\s*\"abstained\"",
    r"\"score\"\s*:\s*1(?:\.0*)?\s*,\s*\"passed\"\s*:\s*true\s*,\s*\"reason\"",
)
_VERB = re.compile(rb"\b(?:score|rate|grade|mark|judge|evaluate|give|assign|award) (?:[a-z]{2,5} )?$")
"""What goes before " answer" and the like, or else these say nothing: they are in every other text."""


class _Cue(NamedTuple):
    """A word without which a pattern cannot match. `lead` is what must stand right before it, if anything must.

    Looking for words first, and then only around them, is 50 times faster.
    """

    word: bytes
    lead: re.Pattern[bytes] | None
    pattern: re.Pattern[str]


_CUES = tuple(
    _Cue(word.encode(), lead, pattern)
    for words, lead, pattern in (
        ("ignor disregard forget overrid oublie negeer гнорируй ГНОРИРУЙ talimat TALİMAT", None, _IGNORE),
        ("忽略 無視 무시 تجاهل अनदेखा नज़रअंदाज़", None, _IGNORE),
        ("answer response reply claim everything", _VERB, _VERDICT),
        ("judge evaluator grader", None, _JUDGE),
        ('support" abstained" passed"', None, _FORGED),
    )
    for word in words.split()
)

_ASCII_CUES = tuple(cue for cue in _CUES if cue.word.isascii())

_BEFORE, _AFTER = 100, 200
"""Bytes around a cue that are looked at."""

_MAX_CUES = 64
"""Occurrences of a cue looked at in one text, so that no text takes long."""

_PATIENCE = 500_000
"""Bytes that are decoded or looked at closely in one sample, so that no trace takes longer than a fraction of a second.

Each text has an equal share of what those before it left: none hides another by exhausting it.
"""

_CHAT_TOKEN = re.compile(
    # Operators of programming languages look like these, but hold no words.
    r"<[|\uff5c][A-Za-z][A-Za-z0-9_\u2581]{1,40}[|\uff5c]>|\[/?INST\]|<</?SYS>>|</?(?:start|end)_of_turn>"
)
_TAGS = re.compile("[\U000e0020-\U000e007e]{8,}")
"""A flag needs at most six of these invisible letters; a sentence needs more."""

_EXCERPT = 400
"""Characters kept of an order: more than is ever shown, so that redaction sees what the later cut would halve."""

_MAX_CHUNKS = 32
"""Suspected chunks that are told of one sample, the first: what is told travels, and is kept."""

_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|[\n。！？]")


def addresses_the_judge(text: str) -> bool:
    """Whether `text`, without invisible characters, looks like orders to a model, a forged verdict or chat turn."""
    return bool(_Hints(_CUES, encoded=True, hidden=True).order_in(text, _Patience(_PATIENCE)))


def suspicions_in(sample: RagSample) -> tuple[Suspicion, ...]:
    """Each text of the sample, as it arrived, that gives orders to a model: chunks, question, answer.

    Of chunks at most 32 are told. A chunk's name counts as part of it: applications show their model titles and file
    names, too.
    """
    texts: list[tuple[Place, int | None, str]] = [
        *((Place.CHUNK, position, _with_name(chunk)) for position, chunk in enumerate(sample.context)),
        (Place.QUESTION, None, sample.question or ""),
        (Place.ANSWER, None, sample.answer or ""),
    ]
    orders = _orders([text for *_, text in texts])
    found = zip(texts, orders, strict=True)
    suspected = [Suspicion(place, order, position) for (place, position, _), order in found if order]
    chunks = [one for one in suspected if one.place is Place.CHUNK]
    return (*chunks[:_MAX_CHUNKS], *suspected[len(chunks) :])


def _with_name(chunk: Chunk) -> str:
    return "\n".join(part for part in (chunk.text, chunk.source, chunk.id) if part)


def _orders(texts: Sequence[str]) -> Iterator[str]:
    hints = _Hints.of("\n".join(texts))
    left = _PATIENCE
    for number, text in enumerate(texts):
        share = -(-left // (len(texts) - number))
        patience = _Patience(share)
        yield _order_in(text, hints, patience)
        left -= share - patience.left


def _order_in(text: str, hints: "_Hints", patience: "_Patience") -> str:
    if hints.hidden and (tags := _TAGS.search(text)):
        return "".join(chr(ord(char) - 0xE0000) for char in tags[0])[:_EXCERPT]
    return hints.order_in(visible(text) if hints.hidden else text, patience)


@dataclass(slots=True)
class _Patience:
    """Bytes of one text that may still be looked at closely."""

    left: int

    def take(self, size: int) -> bool:
        """Take so many, at least as many as around a cue; False where there were none left."""
        had = self.left > 0
        self.left -= max(size, _BEFORE + _AFTER)
        return had


class _Hints(NamedTuple):
    """What is worth looking for in some texts; one look at all of them is cheaper than one at each."""

    cues: Sequence[_Cue]
    encoded: bool
    hidden: bool

    @classmethod
    def of(cls, text: str) -> "_Hints":
        shown = visible(text)
        raw = _raw(shown)
        cues = _ASCII_CUES if shown.isascii() else _CUES
        return cls([cue for cue in cues if cue.word in raw], may_be_encoded(shown), len(shown) != len(text))

    def order_in(self, text: str, patience: _Patience) -> str:
        """The words that give orders to a model, decoded; empty where none do."""
        order = _order(text, self.cues, patience)
        if order or not self.encoded:
            return order
        readings = takewhile(lambda reading: patience.take(len(reading)), decoded(text, patience.left // 4))
        return next(filter(None, (_order(reading, _CUES, patience) for reading in readings)), "")


def _order(text: str, cues: Sequence[_Cue], patience: _Patience) -> str:
    start = _start_of_order(text, cues, patience)
    return "" if start is None else _sentence(text[start : start + _EXCERPT])


def _sentence(text: str) -> str:
    """From the order's first word, which no secret straddles, to the end of its sentence."""
    end = _SENTENCE_END.search(text, 24)
    return text[: end.end()].strip() if end else text


def _start_of_order(text: str, cues: Sequence[_Cue], patience: _Patience) -> int | None:
    """Where `text` begins to address a model, near enough; None where it does not."""
    if ("<" in text or "[" in text) and (token := _CHAT_TOKEN.search(text)):
        return token.start()
    if not cues:
        return None
    raw = _raw(text)
    starts = (_start_near(cue, raw, patience) for cue in cues if cue.word in raw)
    return next((start for start in starts if start is not None), None)


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "replace").lower().replace(b"\n", b" ")


def _start_near(cue: _Cue, raw: bytes, patience: _Patience) -> int | None:
    at = raw.find(cue.word)
    for _ in range(_MAX_CUES):
        if at < 0:
            return None
        begin = max(at - _BEFORE, 0)
        if cue.lead is None or cue.lead.search(raw, begin, at):
            if not patience.take(at + _AFTER - begin):
                return None
            around = raw[begin : at + _AFTER].decode("utf-8", "ignore").lower()
            if match := cue.pattern.search(around):
                return len(raw[:begin].decode("utf-8", "ignore")) + match.start()
        at = raw.find(cue.word, at + len(cue.word))
    return None
