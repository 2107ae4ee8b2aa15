"""A judge that is a program: reads one JSON object on stdin, writes one on stdout (see evaluators/grading.py)."""

import asyncio
import contextlib
import hashlib
import os
import shutil
import signal
from asyncio.subprocess import PIPE, Process
from typing import Annotated, Literal

from pydantic import Field, field_validator

from evaluators.clean_text import clean
from evaluators.egress import EgressSettings, build_egress
from evaluators.errors import PermanentError
from evaluators.evaluation import FailReason
from evaluators.facets import Facet, FacetAnswers
from evaluators.grading import dump_question, read_grade, texts_to_grade
from evaluators.judges.base import JudgeError, JudgeIdentity, JudgeReply
from evaluators.judges.settings import Name, Timeout
from evaluators.redaction import redact
from evaluators.sample import RagSample

MAX_OUTPUT = 256 * 1024
"""Bytes read of stdout; a verdict has a few hundred."""

_MAX_STDERR = 300


class SubprocessSettings(EgressSettings):
    """`command` is the program and its arguments, run without a shell; nothing of a trace is ever an argument.

    `version` is yours to raise when the program's scores change meaning. `environment` names the variables of the
    monitor's environment that the program gets beside PATH, HOME and the locale.
    """

    type: Literal["subprocess"] = "subprocess"
    name: Name = "subprocess"
    command: tuple[Annotated[str, Field(min_length=1)], ...] = Field(min_length=1)
    version: str = Field("1", pattern=r"^[\w.+-]{1,32}$")
    environment: tuple[str, ...] = ()
    timeout_s: Timeout = 30.0

    @property
    def facets(self) -> frozenset[Facet]:
        """A grade and nothing else."""
        return frozenset({Facet.GRADE})

    @field_validator("command")
    @classmethod
    def _has_no_null(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if any("\0" in part for part in value):
            raise ValueError("a command holds no NUL character")
        return value


class SubprocessJudge:
    """Runs the program once per sample. A non-zero exit is a failure that shows the end of its stderr.

    Raises PermanentError where the program is not found.
    """

    remote = False

    def __init__(self, settings: SubprocessSettings) -> None:
        program = shutil.which(settings.command[0])
        if program is None:
            raise PermanentError(f"judge {settings.name!r}: command: there is no program {settings.command[0]!r}")
        self.facets = settings.facets
        self._egress = build_egress(settings.name, settings, remote=self.remote)
        self.identity = JudgeIdentity(
            settings.name,
            provider="subprocess",
            model=_basename(program),
            version=settings.version,
            parameters={
                "command": hashlib.sha256("\0".join(settings.command).encode()).hexdigest()[:12],
                **self._egress.parameters,
            },
        )
        self._command = (program, *settings.command[1:])
        self._environment = _environment(settings.environment)
        self._timeout_s = settings.timeout_s

    async def ask(self, sample: RagSample, facets: frozenset[Facet]) -> JudgeReply:
        """Run it, with the sample as its stdin."""
        texts, passage = texts_to_grade(sample).each(clean), self._egress.open()
        output = await self._run(dump_question(texts.each(passage.protect)))
        grade = read_grade(output.decode("utf-8", "replace"))
        return JudgeReply(passage.restored(FacetAnswers(grade=grade)))

    async def aclose(self) -> None:
        """Nothing to close: each program ends with its sample."""

    async def _run(self, question: bytes) -> bytes:
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=self._environment, start_new_session=True
            )
        except OSError as error:
            raise JudgeError(FailReason.UNAVAILABLE, f"it does not start: {error.strerror}") from None
        try:
            async with asyncio.timeout(self._timeout_s):
                return await _exchange(process, question)
        except TimeoutError:
            raise JudgeError(FailReason.TIMEOUT, f"no verdict within {self._timeout_s:g} s", retryable=True) from None
        finally:
            await _end(process)


async def _exchange(process: Process, question: bytes) -> bytes:
    """All of stdout after a clean exit; stdin, stdout and stderr are moved at once, so that no pipe fills up."""
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise JudgeError(FailReason.ERROR, "it has no pipes")
    try:
        async with asyncio.TaskGroup() as together:
            together.create_task(_feed(process.stdin, question))
            output = together.create_task(_read(process.stdout))
            complaint = together.create_task(_tail(process.stderr))
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None
    if status := await process.wait():
        raise JudgeError(FailReason.ERROR, f"exit status {status}: {complaint.result()}".rstrip(": "))
    return output.result()


async def _feed(stdin: asyncio.StreamWriter, question: bytes) -> None:
    with contextlib.suppress(ConnectionError):  # a program may answer without reading all
        stdin.write(question)
        await stdin.drain()
    stdin.close()


async def _read(stream: asyncio.StreamReader) -> bytes:
    data = bytearray()
    while part := await stream.read(65_536):
        data += part
        if len(data) > MAX_OUTPUT:
            raise JudgeError(FailReason.MALFORMED, f"more than {MAX_OUTPUT} bytes on stdout")
    return bytes(data)


async def _tail(stream: asyncio.StreamReader) -> str:
    """The end of what a program complains of, on one line: where it says what went wrong."""
    tail = b""
    while part := await stream.read(65_536):
        tail = (tail + part)[-4 * _MAX_STDERR :]
    return redact(" ".join(clean(tail.decode("utf-8", "replace")).split()))[-_MAX_STDERR:]


async def _end(process: Process) -> None:
    """End the program and what it started; waits, so that no zombie stays."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    if process.stdin is not None:
        process.stdin.close()
    # asyncio tells the end of a process after that of its pipes, which a full buffer that nobody reads hides.
    for stream in (process.stdout, process.stderr):
        while stream is not None and await stream.read(65_536):
            pass
    await process.wait()


def _environment(names: tuple[str, ...]) -> dict[str, str]:
    """Only what is named: the monitor's own keys are none of a program's business."""
    wanted = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", *names)
    return {name: os.environ[name] for name in wanted if name in os.environ}


def _basename(program: str) -> str:
    return "".join(char if char.isalnum() or char in "._-" else "_" for char in os.path.basename(program))[:64]  # noqa: PTH119
