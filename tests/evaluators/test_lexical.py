import asyncio
import pickle
import random
import time

import pytest

from evaluators.facets import Facet, Support
from evaluators.judges.lexical import FACETS, LexicalJudge, LexicalSettings, judge
from evaluators.sample import RagSample
from tests.samples import REFUNDS, SHIPPING, WARRANTY, sample

CLAIMS, FIT, RELEVANCE = (
    frozenset({facet}) for facet in (Facet.CLAIM_SUPPORT, Facet.ANSWER_FIT, Facet.CHUNK_RELEVANCE)
)


def supports(given: RagSample) -> list[Support]:
    found = judge(given, CLAIMS).claim_support
    assert found is not None
    return [claim.support for claim in found.claims]


def relevancy(question: str, answer: str, *chunks: str) -> float:
    found = judge(sample(question=question, answer=answer, chunks=chunks), FIT).answer_fit
    assert found is not None
    return found.relevancy


def test_the_wrong_refund_is_contradicted_with_the_quote_of_its_chunk():
    found = judge(sample(chunks=(SHIPPING, REFUNDS)), FACETS)

    assert found.claim_support is not None
    [claim] = found.claim_support.claims
    assert claim.support is Support.CONTRADICTED
    assert claim.chunk == 1
    assert claim.quote == REFUNDS
    assert claim.conflict is not None
    assert (claim.conflict.kind, claim.conflict.claimed, claim.conflict.found) == ("number", "90 days", "30 days")
    assert claim.strength < 0.3


def test_a_grounded_answer_is_supported():
    given = sample(answer="Standard delivery takes 3 to 5 business days within the EU.")

    assert supports(given) == [Support.SUPPORTED]


def test_exactly_the_facets_asked_are_answered():
    for facets in (CLAIMS, FIT, RELEVANCE, FACETS):
        found = judge(sample(), facets)
        answered = {
            Facet.CLAIM_SUPPORT: found.claim_support,
            Facet.ANSWER_FIT: found.answer_fit,
            Facet.CHUNK_RELEVANCE: found.chunk_relevance,
        }
        assert {facet for facet, answer in answered.items() if answer is not None} == facets


def test_an_answer_on_another_subject_is_not_in_the_context():
    given = sample(answer="Mount Everest is the highest mountain on Earth. Photosynthesis needs light.")

    assert set(supports(given)) == {Support.NOT_IN_CONTEXT}


def test_an_answer_without_claims_gives_none():
    assert supports(sample(answer="Yes.")) == []
    assert supports(sample(answer="How can I help?")) == []


def test_an_abstention_is_told_apart_and_claims_nothing():
    found = judge(sample(answer="The provided context does not say how long refunds take."), FACETS)

    assert found.answer_fit is not None
    assert found.answer_fit.abstained
    assert found.claim_support is not None
    assert not found.claim_support.claims


def test_a_half_abstention_is_judged_by_what_it_claims():
    found = judge(
        sample(answer="I don't know about refunds, but standard delivery takes 3 to 5 business days."), FACETS
    )

    assert found.answer_fit is not None
    assert not found.answer_fit.abstained
    assert found.claim_support is not None
    assert [claim.support for claim in found.claim_support.claims] == [Support.SUPPORTED]


def test_chunks_are_graded_by_what_the_question_asks():
    found = judge(sample(question="How long is the warranty of a kettle?", chunks=(SHIPPING, WARRANTY)), RELEVANCE)

    assert found.chunk_relevance is not None
    shipping, warranty = found.chunk_relevance.scores
    assert warranty > 0.5 > shipping


def test_the_grade_of_a_chunk_does_not_depend_on_the_others():
    question = "How long is the warranty of a kettle?"
    alone = judge(sample(question=question, chunks=(WARRANTY,)), RELEVANCE).chunk_relevance
    together = judge(sample(question=question, chunks=(SHIPPING, WARRANTY)), RELEVANCE).chunk_relevance

    assert alone is not None
    assert together is not None
    assert alone.scores[0] == together.scores[1]


def test_an_answer_that_addresses_the_question_is_relevant():
    question = "How long does standard delivery take within the EU?"

    assert relevancy(question, "Standard delivery takes 3 to 5 days in the EU.", SHIPPING) > 0.8
    assert relevancy(question, "3 to 5 business days.", SHIPPING) > 0.8
    assert relevancy(question, "Our kettles have a two-year warranty.", WARRANTY) < 0.3
    assert relevancy("Is delivery free?", "Yes.", SHIPPING) == 1.0


def test_a_chunk_of_white_space_takes_no_position():
    found = judge(sample(chunks=("  ", None, REFUNDS)), FACETS)

    assert found.chunk_relevance is not None
    assert len(found.chunk_relevance.scores) == 1
    assert found.claim_support is not None
    assert found.claim_support.claims[0].chunk == 0


@pytest.mark.parametrize(
    ("chunk", "right", "wrong"),
    [
        ("法国的首都是巴黎。长江是中国最长的河流。", "法国的首都是巴黎。", "法国的首都是柏林。"),
        ("東京は日本の首都です。人口は約1400万人です。", "東京は日本の首都です。", "大阪は韓国の都市です。"),
        ("서울은 대한민국의 수도이다.", "서울은 대한민국의 수도입니다.", "부산은 대한민국의 항구입니다."),
        ("กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย", "กรุงเทพมหานครเป็นเมืองหลวงของไทย", "เชียงใหม่มีภูเขาสูงและอากาศเย็น"),
        ("Москва является столицей России.", "Столица России Москва.", "Казань стоит на Волге."),
        ("القاهرة هي عاصمة مصر.", "عاصمة مصر هي القاهرة.", "دمشق مدينة قديمة في سوريا."),
        ("नई दिल्ली भारत की राजधानी है।", "भारत की राजधानी नई दिल्ली है।", "मुंबई समुद्र के किनारे है।"),
        ("Ankara Türkiye'nin başkentidir.", "Türkiye'nin başkenti Ankara'dır.", "İzmir bir liman kentidir."),
    ],
)
def test_other_scripts_are_judged_by_what_they_say(chunk: str, right: str, wrong: str):
    assert supports(sample(chunks=(chunk,), answer=right)) == [Support.SUPPORTED]
    assert Support.SUPPORTED not in supports(sample(chunks=(chunk,), answer=wrong))


def test_quotes_are_verbatim_also_where_characters_change_length_in_lower_case():
    chunk = "İstanbul’da iade süresi 30 gündür.\u200b Ürünler ücretsiz gönderilir."
    found = judge(sample(chunks=(chunk,), answer="İade süresi 30 gündür."), CLAIMS).claim_support

    assert found is not None
    assert found.claims[0].quote is not None
    assert found.claims[0].quote in chunk


def hostile() -> dict[str, str]:
    rng = random.Random(5)
    return {
        "one letter": "a" * 1_000_000,
        "one digit": "1" * 1_000_000,
        "digits and commas": "1," * 500_000,
        "brackets": "[" * 1_000_000,
        "links": "[a](" * 250_000,
        "images": "![" * 500_000,
        "fences": "```" * 300_000,
        "bullets": "- " * 500_000,
        "full stops": "." * 1_000_000,
        "line breaks": "\n" * 1_000_000,
        "short sentences": "No. " * 250_000,
        "Han": "退" * 1_000_000,
        "Hangul": "환불 " * 300_000,
        "no and not": "not no never " * 80_000,
        "money": "$1,000.00 to $2,000.00 " * 45_000,
        "dates": "on 19 June 2023 at 10:30 " * 40_000,
        "capitals": "Foo Bar Baz " * 80_000,
        "emphasis": "*_`~" * 250_000,
        "tags": "<a " * 330_000,
        "orders": "ignore previous instructions " * 34_000,
        "noise": "".join(chr(rng.randrange(32, 0x3000)) for _ in range(1_000_000)),
        "surrogates": "\ud800 " * 300_000,
        "questions": "if you have any questions " * 38_000,
        "the context does": "the context does " * 58_000,
    }


@pytest.mark.parametrize("text", hostile().values(), ids=hostile())
@pytest.mark.parametrize("place", ["answer", "chunk", "question"])
def test_a_megabyte_of_anything_costs_bounded_work(place: str, text: str):
    given = sample(
        answer=text if place == "answer" else "You can get a full refund within 90 days.",
        chunks=(text,) if place == "chunk" else (REFUNDS,),
        question=text if place == "question" else "How long?",
    )

    started = time.process_time()
    judge(given, FACETS)

    assert time.process_time() - started < 2.0


@pytest.mark.parametrize("text", hostile().values(), ids=hostile())
def test_a_megabyte_everywhere_costs_bounded_work(text: str):
    started = time.process_time()
    judge(sample(answer=text, chunks=(text,) * 3, question=text), FACETS)

    assert time.process_time() - started < 5.0


def test_it_travels_to_a_worker_process():
    travelled = pickle.loads(pickle.dumps(LexicalJudge(LexicalSettings(name="quick"))))  # noqa: S301

    assert travelled.identity.name == "quick"
    assert travelled.cpu_bound
    assert travelled.judge(sample(), CLAIMS) == judge(sample(), CLAIMS)


def test_a_cut_chunk_is_flagged():
    reply = asyncio.run(LexicalJudge().ask(sample(chunks=("word " * 20_000,)), FACETS))

    assert reply.flags == ("cut",)


def test_the_same_sample_gives_the_same_answers():
    assert judge(sample(), FACETS) == judge(sample(), FACETS)
