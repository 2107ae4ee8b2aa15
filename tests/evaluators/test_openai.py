import json

import pytest
from pydantic import ValidationError

from evaluators.errors import PermanentError
from evaluators.evaluation import FailReason, SkipReason
from evaluators.facets import ONLINE_FACETS
from evaluators.judges.base import JudgeError, NotJudgedError, Usage
from evaluators.judges.openai import OpenAIJudge, OpenAISettings
from tests.fakes import OpenAIStub, StubReply, api_error, completion
from tests.samples import sample

ALL = ONLINE_FACETS
VERDICT = json.dumps(
    {
        "claims": [
            {
                "claim": "Refunds within 90 days.",
                "support": "contradicted",
                "chunk": "c1",
                "quote": "within 30 days",
                "conflict": {"kind": "number", "claimed": "90 days", "found": "30 days"},
            }
        ],
        "relevance": [{"chunk": "c1", "score": 1.0}, {"chunk": "c2", "score": 0.0}],
        "answer": {"relevancy": 1.0, "abstained": False},
    }
)
GOOD = completion(VERDICT)


def judge_at(stub, **settings):
    return OpenAIJudge(OpenAISettings(base_url=stub.base_url, model="m", api_key_env=None, **settings))


async def asked(stub, *, facets=ALL, times=1, **settings):
    judge = judge_at(stub, **settings)
    try:
        for _ in range(times):
            reply = await judge.ask(sample(), facets)
        return reply
    finally:
        await judge.aclose()


async def failure(*script, **settings):
    async with OpenAIStub(*script) as stub:
        with pytest.raises(JudgeError) as failed:
            await asked(stub, **settings)
        return failed.value


async def test_one_call_answers_all_facets_with_tokens_and_the_model_that_answered():
    async with OpenAIStub(GOOD) as stub:
        reply = await asked(stub)
    assert reply.answers.claim_support.claims[0].quote == "within 30 days"
    assert reply.answers.chunk_relevance.scores == (1.0, 0.0)
    assert reply.usage == Usage(900, 120)
    assert reply.model == "model-2026-01"
    assert len(stub.requests) == 1


async def test_the_request_is_deterministic_bound_to_a_schema_and_offers_no_tools():
    async with OpenAIStub(GOOD) as stub:
        await asked(stub, max_output_tokens=777)
    [request] = stub.requests
    assert {key for key in request if key != "messages"} == {
        "model",
        "max_tokens",
        "temperature",
        "seed",
        "response_format",
    }
    assert (request["temperature"], request["max_tokens"]) == (0, 777)
    schema = request["response_format"]["json_schema"]
    assert schema["strict"] is True
    assert schema["schema"]["required"] == ["claims", "relevance", "answer"]
    assert [message["role"] for message in request["messages"]] == ["system", "user"]


async def test_the_key_comes_from_the_environment_and_goes_into_the_header_only(monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", "sk-very-secret")
    async with OpenAIStub(GOOD) as stub:
        judge = OpenAIJudge(OpenAISettings(base_url=stub.base_url, model="m", api_key_env="JUDGE_KEY"))
        await judge.ask(sample(), ALL)
        await judge.aclose()
    assert stub.headers[0]["Authorization"] == "Bearer sk-very-secret"
    assert "sk-very-secret" not in str(judge.identity)


def test_a_key_that_is_not_set_is_said_with_its_name_and_the_way_out(monkeypatch):
    monkeypatch.delenv("JUDGE_KEY", raising=False)
    with pytest.raises(PermanentError, match=r"'llm'.*JUDGE_KEY.*not set.*null"):
        OpenAIJudge(OpenAISettings(name="llm", model="m", api_key_env="JUDGE_KEY"))


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"base_url": "ftp://host/v1"}, "http"),
        ({"base_url": "https://user:pw@host/v1"}, "api_key_env"),
        ({"base_url": "https://host/v1?key=x"}, "api_key_env"),
        ({"base_url": "not a url"}, "http"),
        ({"timeout_s": 0}, "greater than 0"),
        ({"modle": "m"}, "modle"),
        ({"name": "Has Spaces"}, "pattern"),
        ({"plan": "both"}, "combined"),
    ],
)
def test_wrong_settings_are_refused_and_not_repeated(settings, says):
    with pytest.raises(ValidationError, match=says) as refused:
        OpenAISettings(**{"model": "m", **settings})
    assert "user:pw" not in str(refused.value)


async def test_a_server_without_schemas_is_asked_for_an_object_and_remembered():
    refusal = api_error(400, "response_format json_schema is not supported", param="response_format")
    async with OpenAIStub(refusal, GOOD) as stub:
        await asked(stub, times=2)
    formats = [request["response_format"]["type"] for request in stub.requests]
    assert formats == ["json_schema", "json_object", "json_object"]


async def test_a_server_that_takes_no_format_at_all_is_asked_in_words():
    refusal = api_error(422, "unknown field response_format")
    async with OpenAIStub(refusal, refusal, GOOD) as stub:
        await asked(stub)
    assert "response_format" not in stub.requests[-1]


async def test_parameters_that_a_model_refuses_are_dropped_and_remembered():
    async with OpenAIStub(
        api_error(400, "Use 'max_completion_tokens' instead.", param="max_tokens"),
        api_error(400, "Only the default (1) value is supported.", param="temperature"),
        api_error(400, "Unsupported parameter: 'seed'"),
        GOOD,
    ) as stub:
        await asked(stub, times=2)
    last = stub.requests[-1]
    assert last["max_completion_tokens"] == 2_000
    assert not {"max_tokens", "temperature", "seed"} & last.keys()
    assert len(stub.requests) == 5


async def test_a_bad_request_that_names_nothing_of_ours_is_an_error_and_not_repeated():
    async with OpenAIStub(api_error(400, "no such thing as SECRET")) as stub:
        with pytest.raises(JudgeError) as failed:
            await asked(stub)
    assert failed.value.reason is FailReason.ERROR
    assert "SECRET" not in str(failed.value)
    assert len(stub.requests) == 1


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 8192 tokens",
        "request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it",
        "The input (4390 tokens) is longer than the model's context length (4096 tokens).",
    ],
)
async def test_a_context_over_the_models_window_is_skipped(message):
    async with OpenAIStub(api_error(400, message)) as stub:
        with pytest.raises(NotJudgedError) as skipped:
            await asked(stub)
    assert skipped.value.reason is SkipReason.TOO_LONG


async def test_a_reply_cut_by_the_token_limit_raises_the_limit_once():
    cut = completion(VERDICT[:40], finish_reason="length")
    async with OpenAIStub(cut) as stub:
        judge = judge_at(stub, max_output_tokens=100)
        outcomes = []
        for _ in range(3):
            with pytest.raises(JudgeError) as failed:
                await judge.ask(sample(), ALL)
            outcomes.append((failed.value.reason, failed.value.retryable))
        await judge.aclose()
    assert outcomes == [(FailReason.TRUNCATED, True), (FailReason.TRUNCATED, False), (FailReason.TRUNCATED, False)]
    assert [request["max_tokens"] for request in stub.requests] == [100, 200, 200]


async def test_a_reply_cut_before_the_limit_tells_of_the_servers_context():
    failed = await failure(completion(VERDICT[:40], finish_reason="length"), max_output_tokens=1_000)
    assert failed.reason is FailReason.TRUNCATED
    assert "at 120 tokens, below the limit of 1000: is the server's context full" in failed.detail


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (completion(None, refusal="I'd rather not"), FailReason.REFUSED),
        (completion("", finish_reason="content_filter"), FailReason.CONTENT_FILTER),
        (completion(""), FailReason.MALFORMED),
        (completion(None), FailReason.MALFORMED),
        (StubReply(b"{}"), FailReason.MALFORMED),
        (StubReply(b'{"choices": []}'), FailReason.MALFORMED),
        (StubReply(b'{"choices": [{"message": "text"}]}'), FailReason.MALFORMED),
        (StubReply(b'{"choices": [null]}'), FailReason.MALFORMED),
        (completion("I think it is fine."), FailReason.MALFORMED),
    ],
)
async def test_what_is_no_complete_answer_is_a_failure_with_its_reason(reply, reason):
    assert (await failure(reply)).reason is reason


@pytest.mark.parametrize(
    "reply",
    [
        completion("I think it is fine."),
        completion('{"claims": []}'),
        completion(""),
        completion(VERDICT[:40], finish_reason="length"),
        completion("", finish_reason="content_filter"),
        completion(None, refusal="I'd rather not"),
    ],
)
async def test_a_reply_that_cannot_be_used_tells_what_it_cost(reply):
    assert (await failure(reply)).usage == Usage(900, 120)


async def test_a_reply_that_never_came_cost_nothing():
    assert (await failure(api_error(503))).usage == Usage()


@pytest.mark.parametrize("usage", [None, [], {"prompt_tokens": "many"}, {"prompt_tokens": -5}, {"prompt_tokens": True}])
async def test_odd_token_counts_are_none_and_cost_no_verdict(usage):
    body = json.loads(GOOD.body)
    body["usage"], body["model"] = usage, "x" * 10_000
    async with OpenAIStub(StubReply(json.dumps(body).encode())) as stub:
        reply = await asked(stub)
    assert reply.usage == Usage()
    assert reply.model is None


async def test_a_judge_on_this_machine_is_not_remote():
    def remote(url):
        return OpenAIJudge(OpenAISettings(base_url=url, model="m", api_key_env=None)).remote

    assert remote("https://api.openai.com/v1")
    assert remote("http://10.0.0.7/v1")
    assert not remote("http://127.0.0.1:8000/v1")
    assert not remote("http://[::1]:8000/v1")
    assert not remote("http://localhost:8000/v1/")


async def test_the_identity_tells_server_model_prompt_and_parameters():
    judge = OpenAIJudge(OpenAISettings(base_url="http://h:8000/v1", model="m", api_key_env=None))
    assert str(judge.identity) == ("openai/m@1?max_input_tokens=16000,redaction=1,seed=7,server=h:8000,temperature=0")
