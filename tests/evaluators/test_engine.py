"""Judges that are evaluation libraries, but for the libraries: those are extras, and have a `--check` of their own."""

import json
import sys
from dataclasses import replace

import pytest
from pydantic import BaseModel, Field

from evaluators.call import Call, attempt
from evaluators.errors import PermanentError
from evaluators.evaluation import FailReason, SkipReason
from evaluators.judges.base import JudgeError, NotJudgedError, Usage
from evaluators.judges.deepeval import DeepEvalJudge, DeepEvalSettings
from evaluators.judges.engine import EngineJudge, EngineSettings
from evaluators.judges.engine_check import AgreeableModel, self_test
from evaluators.judges.ragas import RagasJudge, RagasSettings
from evaluators.sample import Reference
from tests.fakes import OpenAIStub, StubReply, api_error, completion
from tests.samples import sample


class Claims(BaseModel):
    claims: list[str] = Field(min_length=1)


class Verdict(BaseModel):
    supported: int = Field(ge=0)


class TwoCalls(EngineJudge):
    """A library of two calls: the claims, then how many of them are supported."""

    library = "two_calls"
    reference_metrics = frozenset({"recall"})

    def __init__(self, stub, metric="faithfulness", wraps=False, **settings):
        self.wraps = wraps
        given = {"name": "two", "metric": metric, "model": "m", "api_key_env": None, **settings}
        super().__init__(EngineSettings(base_url=stub.base_url, **given))

    def _load(self, metric):
        async def score(model, texts):
            try:
                claims = (await model.complete(f"Claims of: {texts.answer}", Claims)).claims
                return (await model.complete(f"Of {claims} in {texts.chunks}", Verdict)).supported / len(claims)
            except Exception as error:
                if self.wraps:
                    raise RuntimeError("the library's own") from error
                raise

        return "9.9", score


class NoNumber(TwoCalls):
    def _load(self, metric):
        async def score(model, texts):
            return float("nan")

        return "1", score


class Endless(TwoCalls):
    def _load(self, metric):
        async def score(model, texts):
            while True:
                await model.complete("again", Claims)

        return "1", score


CLAIMS, ONE, FIVE = (completion(text) for text in ('{"claims": ["a", "b"]}', '{"supported": 1}', '{"supported": 5}'))


async def ask(*script, one=None, kind=TwoCalls, **settings):
    async with OpenAIStub(*script) as stub:
        judge = kind(stub, **settings)
        try:
            return await judge.ask(one or sample(), judge.facets), stub
        finally:
            await judge.aclose()


async def test_a_library_scores_over_our_connection_and_its_calls_are_added_up():
    reply, stub = await ask(CLAIMS, ONE)
    assert (reply.answers.grade.score, reply.answers.grade.passed) == (0.5, True)
    assert reply.usage == Usage(1_800, 240)
    assert [r["response_format"]["json_schema"]["schema"]["title"] for r in stub.requests] == ["Claims", "Verdict"]


async def test_its_version_metric_and_server_are_its_identity():
    async with OpenAIStub(CLAIMS) as stub:
        identity = str(TwoCalls(stub).identity)
    assert identity.startswith("two_calls/m@9.9?metric=faithfulness,server=127.0.0.1:")


@pytest.mark.parametrize("wraps", [False, True])
@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ([api_error(401)], FailReason.UNAUTHORIZED),
        ([CLAIMS, api_error(429)], FailReason.RATE_LIMITED),
        ([completion("no json")], FailReason.INVALID_VERDICT),
        ([completion("{}")], FailReason.INVALID_VERDICT),
        ([completion("")], FailReason.MALFORMED),
        ([StubReply(b"{}")], FailReason.MALFORMED),
        ([completion('{"claims": ["a', finish_reason="length")], FailReason.TRUNCATED),
        ([CLAIMS, FIVE], FailReason.INVALID_VERDICT),
    ],
)
async def test_what_goes_wrong_keeps_its_reason_whatever_the_library_makes_of_it(script, reason, wraps):
    with pytest.raises(JudgeError) as failed:
        await ask(*script, wraps=wraps)
    assert failed.value.reason is reason


@pytest.mark.parametrize("wraps", [False, True])
async def test_all_calls_of_a_sample_that_failed_are_paid_for(wraps):
    with pytest.raises(JudgeError) as failed:
        await ask(CLAIMS, completion("no json"), wraps=wraps)
    assert failed.value.usage == Usage(1_800, 240)


async def test_calls_that_were_answered_before_the_deadline_are_paid_for():
    async with OpenAIStub(CLAIMS, replace(ONE, delay_s=60)) as stub:
        judge = TwoCalls(stub)
        call = Call(sample(), judge.facets, deadline=0.0, done=print)
        late = await attempt(judge, call, timeout_s=0.5)
        await judge.aclose()
    assert (late.reason, late.usage) == (FailReason.TIMEOUT, Usage(900, 120))


async def test_a_sample_that_turns_out_to_have_no_score_is_paid_for():
    with pytest.raises(NotJudgedError) as skipped:
        await ask(CLAIMS, api_error(400, "maximum context length"))
    assert (skipped.value.reason, skipped.value.usage) == (SkipReason.TOO_LONG, Usage(900, 120))


async def test_a_number_that_the_library_does_not_give_is_a_skip_and_no_score():
    with pytest.raises(NotJudgedError) as skipped:
        await ask(CLAIMS, kind=NoNumber)
    assert skipped.value.reason is SkipReason.NO_CLAIMS


async def test_a_library_that_never_ends_is_stopped():
    with pytest.raises(JudgeError, match="more than 64 calls for one sample"):
        await ask(CLAIMS, kind=Endless)


async def test_a_metric_that_needs_a_reference_is_skipped_without_one():
    with pytest.raises(NotJudgedError) as skipped:
        await ask(CLAIMS, ONE, metric="recall")
    assert skipped.value.reason is SkipReason.NO_REFERENCE
    reply, _ = await ask(CLAIMS, ONE, metric="recall", one=sample(reference=Reference("Within 30 days.")))
    assert reply.answers.grade.score == 0.5


async def test_nothing_personal_leaves_through_a_library():
    _, stub = await ask(CLAIMS, ONE, one=sample(answer="Write to jane@example.org."), redact=True)
    assert "jane@example.org" not in json.dumps(stub.requests)


@pytest.mark.parametrize(
    ("kind", "settings"), [(RagasJudge, RagasSettings), (DeepEvalJudge, DeepEvalSettings)], ids=["ragas", "deepeval"]
)
def test_a_library_that_is_not_installed_is_said_when_the_judge_is_built(kind, settings, monkeypatch):
    monkeypatch.setitem(sys.modules, kind.library, None)
    with pytest.raises(PermanentError, match=rf"groundwatch\[{kind.library}\]"):
        kind(settings(model="m", api_key_env=None))


async def test_the_agreeable_model_says_yes_to_any_schema():
    assert (await AgreeableModel().complete("?", Claims)).claims == ["yes"]
    assert (await AgreeableModel().complete("?", Verdict)).supported == 1


def test_the_self_test_tells_each_metric_and_fails_where_one_does(capsys):
    def load(metric):
        async def score(model, texts):
            if metric == "broken":
                raise RuntimeError("the prompt is gone")
            return (await model.complete("?", Verdict)).supported

        return "9.9", score

    assert self_test("lib", load, ("fine",)) == 0
    assert self_test("lib", load, ("fine", "broken")) == 1
    shown = capsys.readouterr()
    assert "lib 9.9 fine: 1.00" in shown.out
    assert "lib broken: RuntimeError: the prompt is gone" in shown.err
