"""Coverage: how much of a claim the context says, and which sentence says most of it."""

from dataclasses import dataclass

from evaluators.lexical.context import Context
from evaluators.lexical.roots import root_of
from evaluators.lexical.weights import FUNCTION_TERMS, PRIORS

# What a term counts for by where it stands: in the best sentence, in one beside it, in its chunk, elsewhere, nowhere.
_SAME = (1.0, 0.7, 0.5, 0.35, 0.0)
_RELATED = (0.6, 0.4, 0.3, 0.2, 0.0)
_RELATED_HANGUL = (0.85, 0.6, 0.45, 0.3, 0.0)
# A function term beside the sentence: it is somewhere in any text.
_FUNCTION_ELSEWHERE = 0.35
_NOWHERE = 4
_ORDER_SHARE = 0.15
# A claim that adds less than this to the question is measured as a whole.
_LEAST_NEWS = 0.5
_CANDIDATES = 3
_RARE = 6
_WORTH_A_LOOK = 0.6
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
        whole = _sum(credit, self.weights) / sum(self.weights.values())
        news = {term: weight for term, weight in self.weights.items() if term not in self.question}
        if sum(map(PRIORS.__getitem__, news)) > _LEAST_NEWS:
            whole = (whole + _sum(credit, news) / sum(news.values())) / 2
        return (1 - _ORDER_SHARE) * whole + _ORDER_SHARE * self.order


def cover(claim: list[str], question: frozenset[str], context: Context) -> Coverage | None:
    """Cover a claim's terms; None where no sentence shares a content term with it."""
    content = {t: PRIORS[t] * context.rarity(t) for t in claim if t not in FUNCTION_TERMS}
    candidates = _candidates(content, context)
    if not candidates:
        return None
    akin = {term: context.akin.get(root_of(term), 0) for term in content}
    credited = {number: _credit(akin, context, number) for number in candidates}
    pointing = {term: weight * _FIGURE_POINTS if term[0].isdigit() else weight for term, weight in content.items()}
    best = max(
        candidates,
        key=lambda number: _sum(credited[number], pointing) - _LENGTH_COST * len(context.sentences[number].terms),
    )
    sentence = context.sentences[best].terms
    function = {term: PRIORS[term] for term in claim if term not in content}
    return Coverage(
        sentence=best,
        weights=content | function,
        credit=credited[best] | {term: 1.0 if term in sentence else _FUNCTION_ELSEWHERE for term in function},
        order=_order(claim, sentence),
        question=question,
        absent=frozenset(term for term, bits in akin.items() if not bits),
    )


def _candidates(content: dict[str, float], context: Context) -> list[int]:
    """The sentences with the most weight of the claim, of those that hold one of its rarer terms where there is one."""
    held = [(context.holding.get(t, 0) or context.akin.get(root_of(t), 0), weight) for t, weight in content.items()]
    held.sort(key=lambda pair: pair[0].bit_count())
    scores: dict[int, float] = {}
    pointed_at = 0
    for bits, weight in held:
        if pointed_at and bits.bit_count() > _RARE:
            bits &= pointed_at
        pointed_at |= bits
        for _ in range(min(bits.bit_count(), _TOO_COMMON)):
            low = bits & -bits
            number = low.bit_length() - 1
            scores[number] = scores.get(number, 0.0) + weight
            bits ^= low
    ranked = sorted(scores, key=lambda number: (-scores[number], number))[:_CANDIDATES]
    return [number for number in ranked if scores[number] >= _WORTH_A_LOOK * scores[ranked[0]]]


def _credit(akin: dict[str, int], context: Context, number: int) -> dict[str, float]:
    """What every content term counts for when sentence `number` is taken as the evidence."""
    here, near = 1 << number, context.neighbours(number)
    chunk = context.chunk_bits[context.sentences[number].chunk]
    holding = context.holding
    credit = {}
    for term, related in akin.items():
        same = holding.get(term, 0)
        if same & here:
            credit[term] = 1.0
        elif related:
            scale = _RELATED_HANGUL if "가" <= term[0] <= "힣" else _RELATED
            place = 0 if related & here else 1 if related & near else 2 if related & chunk else 3
            exact = 1 if same & near else 2 if same & chunk else 3 if same else _NOWHERE
            credit[term] = max(_SAME[exact], scale[place])
        else:
            credit[term] = 0.0
    return credit


def _sum(credit: dict[str, float], weights: dict[str, float]) -> float:
    return sum(weight * credit[term] for term, weight in weights.items())


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
