import json

import pytest

from evaluators.errors import PermanentError
from evaluators.evaluation import FailReason
from evaluators.facets import ONLINE_FACETS
from evaluators.judges.anthropic import AnthropicJudge, AnthropicSettings
from evaluators.judges.base import JudgeError
from evaluators.judges.http_grade import HttpJudge, HttpSettings
from evaluators.judges.openai import OpenAIJudge, OpenAISettings
from evaluators.judges.subprocess import SubprocessJudge, SubprocessSettings
from tests.fakes import OpenAIStub, StubReply, completion, message
from tests.samples import sample

MAIL, OTHER, CARD = "jane@example.org", "john@example.org", "4111 1111 1111 1111"
KEY, PHONE, IBAN = "sk-proj-abcdefghij0123456789XYZ", "+49 151 1234 5678", "DE89 3704 0044 0532 0130 00"
CHUNK = f"Write to {MAIL} or call {PHONE}. Pay with {CARD} or to {IBAN}. The key is {KEY}."
SECRETS = (MAIL, OTHER, CARD, KEY, PHONE, IBAN)
GIVEN = sample(question=f"I am {OTHER}: whom do I ask?", chunks=(CHUNK,), answer=f"Ask {OTHER}, phone {PHONE}.")
VERDICT = json.dumps(
    {
        "claims": [
            {
                "claim": "One asks [e-mail 1].",
                "support": "contradicted",
                "chunk": "c1",
                "quote": "Write to [e-mail 2]",
                "conflict": {"kind": "name", "claimed": "[e-mail 1]", "found": "[e-mail 2]"},
            }
        ],
        "relevance": [{"chunk": "c1", "score": 1}],
        "answer": {"relevancy": 1, "abstained": False},
    }
)


def upper(text):
    return text.upper()


def no_text(text):
    return None


def fails(text):
    raise ValueError(text)


async def sent(stub, judge):
    try:
        reply = await judge.ask(GIVEN, judge.facets & ONLINE_FACETS or judge.facets)
    finally:
        await judge.aclose()
    return reply, json.dumps(stub.requests[-1], ensure_ascii=False)


def openai(stub, **settings):
    return OpenAIJudge(OpenAISettings(base_url=stub.base_url, model="m", api_key_env=None, **settings))


async def test_nothing_personal_leaves_and_the_verdict_speaks_of_the_texts_as_they_are():
    async with OpenAIStub(completion(VERDICT)) as stub:
        reply, body = await sent(stub, openai(stub, redact=True))
    assert not any(secret in body for secret in SECRETS)
    assert "[e-mail 1]" in body
    [claim] = reply.answers.claim_support.claims
    assert claim.quote == f"Write to {MAIL}"
    assert claim.quote in CHUNK
    assert claim.claim == f"One asks {OTHER}."
    assert (claim.conflict.claimed, claim.conflict.found) == (OTHER, MAIL)


async def test_the_other_ways_out_are_guarded_too():
    grade = StubReply(b'{"score": 1, "passed": true, "reason": "[e-mail 1] is wrong"}')
    async with OpenAIStub(grade) as stub:
        reply, body = await sent(stub, HttpJudge(HttpSettings(url=f"{stub.base_url}/grade", redact=True)))
        assert not any(secret in body for secret in SECRETS)
        assert reply.answers.grade.reason == f"{OTHER} is wrong"
    async with OpenAIStub(message(VERDICT)) as stub:
        settings = AnthropicSettings(
            base_url=stub.base_url.removesuffix("/v1"), model="m", api_key_env=None, redact=True
        )
        _, body = await sent(stub, AnthropicJudge(settings))
        assert not any(secret in body for secret in SECRETS)


def test_it_is_on_for_a_judge_elsewhere_and_off_for_one_on_this_machine():
    def redacts(url, **settings):
        judge = OpenAIJudge(OpenAISettings(base_url=url, model="m", api_key_env=None, **settings))
        return "redaction=1" in str(judge.identity)

    assert redacts("https://api.openai.com/v1")
    assert not redacts("https://api.openai.com/v1", redact=False)
    assert not redacts("http://127.0.0.1:1/v1")
    assert redacts("http://127.0.0.1:1/v1", redact=True)
    assert "redaction" not in str(SubprocessJudge(SubprocessSettings(command=("true",))).identity)


async def test_ones_own_hook_comes_first():
    async with OpenAIStub(completion(VERDICT.replace("Write to [e-mail 2]", "WRITE TO"))) as stub:
        judge = openai(stub, redact=True, redaction_hook="tests.evaluators.test_egress:upper")
        _, body = await sent(stub, judge)
    assert "WRITE TO [e-mail 2]" in body
    assert "test_egress:upper" in str(judge.identity)


@pytest.mark.parametrize("hook", ["fails", "no_text"])
async def test_a_hook_that_fails_sends_nothing_and_shows_nothing(hook):
    async with OpenAIStub(completion(VERDICT)) as stub:
        judge = openai(stub, redaction_hook=f"tests.evaluators.test_egress:{hook}")
        with pytest.raises(JudgeError) as failed:
            await judge.ask(GIVEN, judge.facets & ONLINE_FACETS)
        assert stub.requests == []
    assert failed.value.reason is FailReason.ERROR
    assert not any(secret in str(failed.value) for secret in SECRETS)


@pytest.mark.parametrize("hook", ["no_such_module:f", "json:no_such_function", "json:__name__"])
def test_a_hook_that_cannot_be_had_is_found_when_the_judge_is_built(hook):
    with pytest.raises(PermanentError, match="redaction_hook"):
        OpenAIJudge(OpenAISettings(model="m", api_key_env=None, redaction_hook=hook))


async def test_a_cut_leaves_no_half_of_a_secret():
    async with OpenAIStub(completion(VERDICT.replace('"quote": "Write to [e-mail 2]"', '"quote": "pad"'))) as stub:
        judge = openai(stub, redact=True, max_input_tokens=2_000)
        for padding in range(2_500, 3_700, 10):
            chunk = ("pad " * 2_000)[:padding] + f" {KEY} " + "more " * 3_000
            await judge.ask(sample(chunks=(chunk,)), judge.facets & ONLINE_FACETS)
            assert "sk-proj" not in json.dumps(stub.requests[-1])
        await judge.aclose()
