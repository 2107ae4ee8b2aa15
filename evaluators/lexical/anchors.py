"""Anchors: whether a place in one term list has the same surroundings as a place in another."""

from evaluators.lexical.weights import FUNCTION_TERMS

_REACH = 3
# A list goes on with any member: what differs behind these words does not contradict.
_LISTING = frozenset({"includ", "include", "such", "like", "among", "and", "or", "eg", "exampl"})


def anchored(
    claim: list[str], first: int, last: int, sentence: list[str], start: int, stop: int, *, least: int = 3
) -> bool:
    """Whether claim[first..last] and sentence[start..stop] stand between the same terms.

    At least `least` adjacent terms must agree on both sides together, one of them a content term; an edge that both
    have counts as one.
    """
    left = _agreeing(claim[:first][::-1], sentence[:start][::-1])
    right = _agreeing(claim[last + 1 :], sentence[stop + 1 :])
    around = [*left, *right]
    if left and left[0] in _LISTING:
        return False
    edges = (first == 0 and start == 0) + (last == len(claim) - 1 and stop == len(sentence) - 1)
    return len(around) + edges >= least and any(term not in FUNCTION_TERMS for term in around)


def _agreeing(one: list[str], other: list[str]) -> list[str]:
    agreeing = []
    for term, counterpart in zip(one[:_REACH], other[:_REACH], strict=False):
        if term != counterpart:
            break
        agreeing.append(term)
    return agreeing
