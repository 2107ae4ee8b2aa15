import json

import orjson
import pytest

from evaluators.evaluation import FailReason
from evaluators.facets import FacetAnswers
from tests.fakes import completion
from tests.judging import judging_by_llm
from tests.samples import sample


def verdict(claim, conflict=None):
    return {
        "claims": [
            {
                "claim": claim,
                "support": "contradicted",
                "chunk": "c1",
                "quote": "within 30 days",
                "conflict": {"kind": "number", "claimed": conflict or claim, "found": "30 days"},
            }
        ],
        "relevance": [{"chunk": "c1", "score": 1}, {"chunk": "c2", "score": 0}],
        "answer": {"relevancy": 1, "abstained": False},
    }


async def judged(reply):
    async with judging_by_llm(reply) as (_, running):
        [judgement] = await running.judge(sample())
    return judgement.result


async def test_a_lone_surrogate_is_refused():
    text = json.dumps(verdict("PLACE")).replace("PLACE", "\\ud800")
    assert (await judged(completion(text))).reason in (FailReason.INVALID_VERDICT, FailReason.MALFORMED)


@pytest.mark.parametrize("odd", ["\x00", "\x1b[31m", "\u202e", "\u200b", "\x85"])
async def test_control_and_invisible_characters_are_cleaned(odd):
    result = await judged(completion(json.dumps(verdict(f"90{odd} days"))))
    assert isinstance(result, FacetAnswers)
    [claim] = result.claim_support.claims
    assert odd not in claim.claim + claim.conflict.claimed
    assert orjson.dumps(result)


async def test_a_long_text_is_cut():
    result = await judged(completion(json.dumps(verdict("word " * 20_000))))
    [claim] = result.claim_support.claims
    assert len(claim.claim) <= 1_000
    assert len(claim.conflict.claimed) <= 200


async def test_a_megabyte_is_refused():
    assert (await judged(completion(json.dumps(verdict("x" * 1_000_000))))).reason is FailReason.MALFORMED
