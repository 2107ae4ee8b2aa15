"""The question to a scorer with a definition of its own, and its answer: `{"score", "passed", "reason"}`."""

from typing import Annotated, Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evaluators.clean_text import clean
from evaluators.evaluation import FailReason
from evaluators.extraction import last_object
from evaluators.facets import Grade
from evaluators.judges.base import JudgeError
from evaluators.sample import RagSample
from evaluators.shown import Shown

MAX_REASON = 1_000
"""Characters kept of a scorer's reason."""


class _GradeModel(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True, allow_inf_nan=False, hide_input_in_errors=True)

    score: Annotated[float, Field(ge=0.0, le=1.0)]
    passed: bool
    reason: str = ""


def texts_to_grade(sample: RagSample) -> Shown:
    """Question, answer, readable context and, where there is one, the reference answer."""
    return Shown(
        question=sample.question or "",
        chunks=tuple(chunk.text or "" for chunk in sample.context),
        answer=sample.answer or "",
        reference=sample.reference.answer if sample.reference else None,
    )


def dump_question(texts: Shown) -> bytes:
    """`{"input", "output", "expected", "context"}` with sorted keys; `context` only where there is one."""
    question: dict[str, Any] = {"input": texts.question, "output": texts.answer, "expected": texts.reference}
    if texts.chunks:
        question["context"] = list(texts.chunks)
    return orjson.dumps(question, option=orjson.OPT_SORT_KEYS)


def read_grade(text: str) -> Grade:
    """The last JSON object in `text`.

    Raises JudgeError: `malformed` where there is none, `invalid_verdict` where it has another shape.
    """
    found = last_object(text)
    if found is None:
        raise JudgeError(FailReason.MALFORMED, "no JSON object in the scorer's output")
    try:
        grade = _GradeModel.model_validate_json(found)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        reason = FailReason.MALFORMED if first["type"] == "json_invalid" else FailReason.INVALID_VERDICT
        raise JudgeError(reason, f"{'.'.join(map(str, first['loc']))}: {first['type']}".lstrip(": ")) from None
    return Grade(grade.score, grade.passed, clean(grade.reason[:MAX_REASON]))
