"""Sentences of a passage, repeated as they are and with another number or name: what a contradiction looks like."""

import random
import re
from dataclasses import dataclass

from evaluators.lexical.sentences import sentence_spans

_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{3,}(?: [A-Z][a-z]{3,})*\b")
_NUMBER = re.compile(r"(?<![\w.,])\d{1,4}(?![\w.,-])")
_SENTENCES = 3
_LENGTHS = range(60, 300)


@dataclass(frozen=True)
class Swap:
    """`kind`: number or name. `told` is in the passage, `changed` is the same with another figure or name."""

    kind: str
    passage: str
    told: str
    changed: str


def swaps(passages: list[str]) -> list[Swap]:
    """Names are taken from elsewhere in the same passage, numbers are made up."""
    rng = random.Random(3)
    found = []
    for passage in passages:
        spans = [span for span in sentence_spans(passage) if span[1] - span[0] in _LENGTHS]
        names = sorted(set(_NAME.findall(passage)))
        for start, end in rng.sample(spans, min(_SENTENCES, len(spans))):
            told = passage[start:end]
            others = [name for name in names if name not in told]
            if others and (own := _NAME.findall(told)):
                found.append(Swap("name", passage, told, told.replace(rng.choice(own), rng.choice(others))))
            if numbers := _NUMBER.findall(told):
                other = str(int(numbers[0]) + rng.choice((1, 2, 7, 20)))
                found.append(Swap("number", passage, told, _NUMBER.sub(other, told, count=1)))
    return found
