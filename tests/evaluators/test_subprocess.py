import asyncio
import json
import os
import sys

import psutil
import pytest
from pydantic import ValidationError

from evaluators.errors import PermanentError
from evaluators.evaluation import FailReason
from evaluators.judges.base import JudgeError
from evaluators.judges.subprocess import SubprocessJudge, SubprocessSettings
from evaluators.sample import Reference
from tests.samples import REFUNDS, SHIPPING, sample
from tests.servers import until

ECHO = "import json,sys; q=sys.stdin.read(); print(json.dumps({'score': 1, 'passed': True, 'reason': q}))"


async def run(program, one=None, **settings):
    judge = SubprocessJudge(SubprocessSettings(command=(sys.executable, "-c", program), **settings))
    return (await judge.ask(one or sample(), judge.facets)).answers.grade


async def failure(program, **settings):
    with pytest.raises(JudgeError) as failed:
        await run(program, **settings)
    return failed.value


async def test_it_reads_sorted_json_on_stdin():
    told = (await run(ECHO, sample(reference=Reference("Within 30 days.")))).reason
    assert told == json.dumps(json.loads(told), sort_keys=True, separators=(",", ":"))
    assert json.loads(told) == {
        "input": "Within how many days can I get a refund?",
        "output": "You can get a full refund within 90 days of purchase.",
        "expected": "Within 30 days.",
        "context": [REFUNDS, SHIPPING],
    }


async def test_context_is_there_only_when_present():
    told = json.loads((await run(ECHO, sample(chunks=("", None)))).reason)
    assert told.keys() == {"input", "output", "expected"}
    assert told["expected"] is None


async def test_what_it_prints_before_its_verdict_is_no_matter():
    grade = await run('print(\'loading\'); print(\'{"score": 0.25, "passed": false, "reason": ""}\')')
    assert (grade.score, grade.passed) == (0.25, False)


async def test_a_non_zero_exit_is_a_failure_with_the_end_of_its_stderr_cut():
    program = "import sys; sys.stderr.write('x' * 100000 + '\\x1b[31m no model file\\n'); sys.exit(3)"
    failed = await failure(program)
    assert failed.reason is FailReason.ERROR
    assert failed.detail.startswith("exit status 3: ")
    assert failed.detail.endswith("no model file")
    assert len(failed.detail) < 400
    assert failed.detail.isprintable()


async def test_a_signal_is_a_failure():
    assert "exit status -9" in (await failure("import os; os.kill(os.getpid(), 9)")).detail


async def test_a_verdict_before_a_non_zero_exit_is_none():
    program = 'import sys; print(\'{"score": 1, "passed": true}\'); sys.exit(1)'
    assert (await failure(program)).reason is FailReason.ERROR


async def test_endless_output_is_cut_off():
    assert (await failure("while True: print('x' * 1000)")).reason is FailReason.MALFORMED


async def test_a_program_that_reads_nothing_may_still_answer():
    grade = await run('print(\'{"score": 1, "passed": true}\')', sample(chunks=("word " * 100_000,)))
    assert grade.score == 1.0


async def test_nothing_of_it_is_left_after_its_time(tmp_path):
    note = tmp_path / "pid"
    program = (
        "import subprocess, sys; child = subprocess.Popen(['sleep', '60']);"
        f"open({str(note)!r}, 'w').write(str(child.pid)); child.wait()"
    )
    assert (await failure(program, timeout_s=2.0)).reason is FailReason.TIMEOUT
    child = int(note.read_text())
    await until(lambda: not psutil.pid_exists(child) or psutil.Process(child).status() == psutil.STATUS_ZOMBIE)


async def test_it_gets_only_the_variables_that_are_named(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("MODEL_DIR", "/models")
    program = ECHO.replace("sys.stdin.read()", "json.dumps(dict(__import__('os').environ))")
    told = json.loads((await run(program, environment=("MODEL_DIR",))).reason)
    assert told["MODEL_DIR"] == "/models"
    assert "OPENAI_API_KEY" not in told
    assert "PATH" in told


async def test_text_of_a_trace_is_no_part_of_the_command(tmp_path):
    target = tmp_path / "owned"
    await run(ECHO, sample(answer=f"$(touch {target}); `touch {target}`"))
    assert not target.exists()


def test_a_program_that_is_not_there_is_found_when_the_judge_is_built():
    with pytest.raises(PermanentError, match="no program 'no-such-scorer'"):
        SubprocessJudge(SubprocessSettings(command=("no-such-scorer",)))


@pytest.mark.parametrize("command", [(), ("",), ("a\0b",)])
def test_a_command_that_cannot_be_is_refused(command):
    with pytest.raises(ValidationError):
        SubprocessSettings(command=command)


def test_another_command_or_version_is_another_judge():
    def identity(*command, version="1"):
        return str(SubprocessJudge(SubprocessSettings(command=command, version=version)).identity)

    assert len({identity("true"), identity("true", "-x"), identity("true", version="2")}) == 3
    assert os.sep not in identity("true").removeprefix("subprocess/")


async def test_a_program_that_is_ended_in_the_midst_of_its_output_frees_its_place():
    judge = SubprocessJudge(SubprocessSettings(command=("head", "-c", "2000000", "/dev/zero")))
    asked = [judge.ask(sample(), judge.facets) for _ in range(40)]
    async with asyncio.timeout(20):
        failures = await asyncio.gather(*asked, return_exceptions=True)
    assert {failure.reason for failure in failures} == {FailReason.MALFORMED}
