"""What suspected injections of a trace come to: one place for counting, one number for rules. Pure."""

from collections.abc import Iterable, Sequence

from evaluators.sample import Place, Suspicion

GRAVITY = {Place.CHUNK: 0.5, Place.QUESTION: 0.25, Place.ANSWER: 0.125}
"""By whom an order reaches: a chunk's whoever asks, a question's who wrote it, an answer's who reads it.

Powers of two: their sum says which places it is of.
"""


def gravest(suspicions: Iterable[Suspicion], places: Iterable[Place] = tuple(Place)) -> Suspicion | None:
    """The gravest suspicion in one of `places`, the first of equals; None where there is none."""
    wanted = frozenset(places)
    among = [one for one in suspicions if one.place in wanted]
    return max(among, key=lambda one: GRAVITY[one.place], default=None)


def value_of(suspicions: Sequence[Suspicion]) -> float:
    """0 where nothing is suspected, else the sum over the places; an answer to such a question is but its echo."""
    places = {one.place for one in suspicions}
    if Place.QUESTION in places:
        places.discard(Place.ANSWER)
    return sum(GRAVITY[place] for place in places)


def is_of(value: float, places: Iterable[Place]) -> bool:
    """Whether a value is of any of these places."""
    return any(value % (2 * GRAVITY[place]) >= GRAVITY[place] for place in places)
