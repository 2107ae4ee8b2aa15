"""Coverage: how much of a claim the context says, and which sentence says most of it."""

from collections.abc import Collection
from dataclasses import dataclass

from evaluators.lexical.context import Context, prefix
from evaluators.lexical.weights import FUNCTION_TERMS, prior

# What a term counts for by where it stands: in the best sentence, in one beside it, in its chunk, elsewhere, nowhere.
_SAME = (1.0, 0.7, 0.5, 0.35, 0.0)
_RELATED = (0.6, 0.4, 0.3, 0.2, 0.0)
_RELATED_HANGUL = (0.85, 0.6, 0.45, 0.3, 0.0)
_NOWHERE = 4
_ORDER_SHARE = 0.15
# A claim that adds less than this to the question is measured as a whole.
_LEAST_NEWS = 0.5
_CANDIDATES = 3
# A term in more sentences than this points at none of them: only the first ones are candidates.
_TOO_COMMON = 64
_LENGTH_COST = 0.003
# A figure points less at its sentence than words do: it may be the wrong one.
_FIGURE_POINTS = 0.5


@dataclass(frozen=True, slots=True)
class Coverage:
    """How a claim is covered when `sentence` is taken as the evidence.

    `weights` are those of the claim's distinct terms, `credit` in 0..1 is how far each is said, `order` in 0..1 how far
    in the same order; `absent` are terms that the context holds in no form.
    """

    sentence: int
    weights: dict[str, float]
    credit: dict[str, float]
    order: float
    question: frozenset[str]
    absent: frozenset[str]

    def value(self, said_otherwise: frozenset[str] = frozenset()) -> float:
        """How much of the claim is said, in 0..1; `said_otherwise` are terms that the sentence says in other words.

        The mean over all terms and over those that the question had not already said, with a share for their order.
        """
        credit = {**self.credit, **dict.fromkeys(said_otherwise, 1.0)} if said_otherwise else self.credit
        whole = _sum(credit, self.weights, self.weights) / sum(self.weights.values())
        news = [term for term in self.weights if term not in self.question]
        if sum(map(prior, news)) > _LEAST_NEWS:
            whole = (whole + _sum(credit, self.weights, news) / sum(self.weights[term] for term in news)) / 2
        return (1 - _ORDER_SHARE) * whole + _ORDER_SHARE * self.order


def cover(claim: list[str], question: frozenset[str], context: Context) -> Coverage | None:
    """Cover a claim's terms; None where no sentence shares a content term with it."""
    weights = {term: prior(term) * context.rarity(term) for term in claim}
    candidates = _candidates(weights, context)
    if not candidates:
        return None
    akin = {term: context.akin.get(prefix(term), 0) for term in weights}
    credited = {number: _credit(weights, akin, context, number) for number in candidates}
    pointing = {term: weight * _FIGURE_POINTS if term[0].isdigit() else weight for term, weight in weights.items()}
    best = max(
        candidates,
        key=lambda number: (
            _sum(credited[number], pointing, pointing) - _LENGTH_COST * len(context.sentences[number].terms)
        ),
    )
    return Coverage(
        sentence=best,
        weights=weights,
        credit=credited[best],
        order=_order(claim, context.sentences[best].terms),
        question=question,
        absent=frozenset(term for term in weights if not akin[term]),
    )


def _candidates(weights: dict[str, float], context: Context) -> list[int]:
    scores: dict[int, float] = {}
    for term, weight in weights.items():
        if term in FUNCTION_TERMS:
            continue
        bits = context.holding.get(term, 0) or context.akin.get(prefix(term), 0)
        for _ in range(min(bits.bit_count(), _TOO_COMMON)):
            low = bits & -bits
            number = low.bit_length() - 1
            scores[number] = scores.get(number, 0.0) + weight
            bits ^= low
    return sorted(scores, key=lambda number: (-scores[number], number))[:_CANDIDATES]


def _credit(weights: dict[str, float], akin: dict[str, int], context: Context, number: int) -> dict[str, float]:
    """What every term counts for when sentence `number` is taken as the evidence."""
    here, near = 1 << number, context.neighbours(number)
    chunk = context.chunk_bits[context.sentences[number].chunk]
    credit = {}
    for term in weights:
        same = context.holding.get(term, 0)
        if same & here:
            credit[term] = 1.0
        elif akin[term]:
            related = _RELATED_HANGUL if "가" <= term[0] <= "힣" else _RELATED
            place = _place(akin[term], here, near, chunk)
            credit[term] = max(_SAME[_place(same, here, near, chunk)], related[place])
        else:
            credit[term] = 0.0
    return credit


def _place(bits: int, here: int, near: int, chunk: int) -> int:
    if not bits:
        return _NOWHERE
    if bits & here:
        return 0
    if bits & near:
        return 1
    return 2 if bits & chunk else 3


def _sum(credit: dict[str, float], weights: dict[str, float], selected: Collection[str]) -> float:
    return sum(weights[term] * credit[term] for term in selected)


def _order(claim: list[str], sentence: list[str]) -> float:
    """Longest common subsequence / claim length (ROUGE-L precision), bit-parallel: one step per term of the claim."""
    places: dict[str, int] = {}
    for position, term in enumerate(sentence):
        places[term] = places.get(term, 0) | 1 << position
    everywhere = (1 << len(sentence)) - 1
    free = everywhere
    for term in claim:
        hit = free & places.get(term, 0)
        free = (free + hit | free - hit) & everywhere
    return (len(sentence) - free.bit_count()) / len(claim)
