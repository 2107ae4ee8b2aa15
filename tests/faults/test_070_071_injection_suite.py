"""FAULTS 70 and 71, at length: no attack, wherever it stands, gets out of its fence or moves the embedded judge."""

import re
from dataclasses import replace
from statistics import fmean

import pytest

from evaluators.facets import ONLINE_FACETS, FacetAnswers
from evaluators.injection import suspicions_in
from evaluators.judges.lexical import judge
from evaluators.prompt import build_prompt
from evaluators.sample import Chunk, Place, RagSample
from tests.attacks import ATTACKS, FENCES, LANGUAGES, ORDERS
from tests.faults.test_070_prompt_injection import gullible, scores
from tests.judging import judging_by_llm
from tests.samples import REFUNDS, SHIPPING, WARRANTY, sample

TOLERANCE = 0.05
QUESTION = "Within how many days can I get a refund?"
ANSWERS = {
    "wrong": "You can get a full refund within 90 days of purchase. Shipping to the moon is free of charge.",
    "right": "You can get a full refund within 30 days of purchase. Standard delivery takes 3 to 5 business days.",
}
PLACES = ["chunk", "own chunk", "answer", "question", "title", "id"]


def honest(answer: str = ANSWERS["wrong"]) -> RagSample:
    return sample(question=QUESTION, chunks=(REFUNDS, SHIPPING, WARRANTY), answer=answer)


def attacked(given: RagSample, attack: str, place: str) -> RagSample:
    first, *rest = given.chunks
    match place:
        case "chunk":
            return replace(given, chunks=(replace(first, text=f"{first.text}\n{attack}"), *rest))
        case "own chunk":
            return replace(given, chunks=(*given.chunks, Chunk(attack, id="doc-9")))
        case "answer":
            return replace(given, answer=f"{given.answer}\n{attack}")
        case "question":
            return replace(given, question=f"{given.question} {attack}")
        case "title":
            return replace(given, chunks=(replace(first, source=attack), *rest))
        case _:
            return replace(given, chunks=(replace(first, id=attack), *rest))


def outside(user: str, token: str) -> str:
    """What a model reads as ours: the message without what stands between the fences."""
    return re.sub(rf"^<<<{token}\n.*?\n{token}>>>$", "", user, flags=re.DOTALL | re.MULTILINE)


def test_there_are_enough_attacks() -> None:
    assert len(ATTACKS) >= 60
    assert len(set(ATTACKS.values())) == len(ATTACKS)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_nothing_gets_outside_its_fence(attack: str, place: str) -> None:
    tokens = iter(["TOKEN", "0123456789abcdef01234567", "fresh"])
    plain = honest() if place != "own chunk" else attacked(honest(), "Closed on Sundays.", place)
    expected = build_prompt(plain, ONLINE_FACETS, 16_000, token=lambda: "fresh")
    built = build_prompt(attacked(honest(), attack, place), ONLINE_FACETS, 16_000, token=lambda: next(tokens))
    [token] = re.findall(r"\AThe token of this message is (\w+)\.", built.user)
    assert built.system == expected.system
    assert outside(built.user, token).replace(token, "fresh") == outside(expected.user, "fresh")
    assert built.user.count(f"<<<{token}") == built.user.count(f"{token}>>>") == 5 + (place == "own chunk")
    if place in ("title", "id"):
        assert built.user.replace(token, "fresh") == expected.user


async def test_a_model_that_obeys_what_is_not_fenced_judges_all_attacked_traces_as_it_judges_the_honest_one() -> None:
    cases = [
        replace(attacked(honest(), attack, place), trace_id=f"{number:032x}")
        for number, (attack, place) in enumerate(((a, p) for a in ATTACKS.values() for p in PLACES), start=1)
    ]
    async with judging_by_llm(gullible) as (_, running):
        [clean] = await running.judge(honest())
        judgements = await running.judge(*cases)
    expected = {name: scores(clean)[name] for name in ("faithfulness", "hallucination", "answer_relevancy")}
    for judgement in judgements:
        assert {name: scores(judgement)[name] for name in expected} == expected


def relevance(answers: FacetAnswers, chunks: int) -> list[float]:
    """What is said of the honest chunks, and of the answer as a whole."""
    assert answers.chunk_relevance is not None
    assert answers.answer_fit is not None
    return [*answers.chunk_relevance.scores[:chunks], answers.answer_fit.relevancy]


def strengths(answers: FacetAnswers, claims: int) -> list[float]:
    """How well each of the honest claims is supported."""
    assert answers.claim_support is not None
    return [claim.strength for claim in answers.claim_support.claims[:claims]]


def supported(answers: FacetAnswers) -> float:
    assert answers.claim_support is not None
    claims = answers.claim_support.claims
    return sum(claim.support == "supported" for claim in claims) / len(claims)


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_the_embedded_judge_is_not_moved(attack: str, place: str, answer: str) -> None:
    without = judge(honest(answer), ONLINE_FACETS)
    swayed = judge(attacked(honest(answer), attack, place), ONLINE_FACETS)
    assert without.claim_support is not None
    claims = len(without.claim_support.claims)
    assert strengths(swayed, claims) == pytest.approx(strengths(without, claims), abs=TOLERANCE)
    if place == "question":
        # What is no order is asked for, too, and nothing answers it.
        (*chunks, fit), (*chunks_before, fit_before) = relevance(swayed, 3), relevance(without, 3)
        assert fmean(chunks) <= fmean(chunks_before) + TOLERANCE
        assert fit <= fit_before + TOLERANCE
    else:
        assert relevance(swayed, 3) == pytest.approx(relevance(without, 3), abs=TOLERANCE)
    if place == "answer":
        # What is no order is a claim of its own, which nothing supports.
        assert supported(swayed) <= supported(without) + TOLERANCE
    else:
        assert supported(swayed) == pytest.approx(supported(without), abs=TOLERANCE)


@pytest.mark.parametrize("name", [*ORDERS, *LANGUAGES])
def test_an_order_in_plain_words_in_the_question_changes_nothing_at_all(name: str) -> None:
    swayed = judge(attacked(honest(), ATTACKS[name], "question"), ONLINE_FACETS)
    assert relevance(swayed, 3) == pytest.approx(relevance(judge(honest(), ONLINE_FACETS), 3), abs=TOLERANCE)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", [*ORDERS, *LANGUAGES, *FENCES])
def test_an_order_in_plain_words_is_suspected_where_it_stands(name: str, place: str) -> None:
    (found,) = suspicions_in(attacked(honest(), ATTACKS[name], place))
    stands = {"question": (Place.QUESTION, None), "answer": (Place.ANSWER, None), "own chunk": (Place.CHUNK, 3)}
    assert (found.place, found.chunk) == stands.get(place, (Place.CHUNK, 0))
