"""Assessments as JSON: what evaluating workers tell alerting ones."""

from types import MappingProxyType
from typing import Any

import orjson

from evaluators.evaluation import (
    Assessment,
    Diagnosis,
    Evaluation,
    Failed,
    FailReason,
    Outcome,
    Scored,
    Skipped,
    SkipReason,
)
from evaluators.reply_codec import reply_from
from evaluators.sample import Chunk, ModelTokens, Place, RagSample, Readiness, Suspicion


def dump_assessment(assessment: Assessment) -> bytes:
    """JSON of an assessment. Raises TypeError for text that is not valid Unicode (lone surrogates)."""
    return orjson.dumps(assessment, default=dict)


def load_assessment(data: bytes) -> Assessment:
    """The assessment that `dump_assessment` wrote. Raises ValueError, KeyError or TypeError for anything else."""
    raw: dict[str, Any] = orjson.loads(data)
    given = {
        "sample": _sample(raw["sample"]),
        "evaluations": tuple(map(_evaluation, raw["evaluations"])),
        "answers": reply_from({"answers": raw["answers"], "usage": {}, "model": None, "flags": ()}).answers,
        "diagnosis": Diagnosis(raw["diagnosis"]),
    }
    return Assessment(**(raw | given))


def _sample(raw: dict[str, Any]) -> RagSample:
    raw.pop("reference", None)  # no live trace has one
    given = {
        "readiness": Readiness(raw["readiness"]),
        "chunks": tuple(Chunk(**chunk) for chunk in raw["chunks"]),
        "dialects": tuple(raw["dialects"]),
        "suspicions": tuple(Suspicion(**(one | {"place": Place(one["place"])})) for one in raw.get("suspicions", ())),
        "tokens": tuple(ModelTokens(**one) for one in raw["tokens"]),
        "attributes": MappingProxyType(dict(raw["attributes"])),
    }
    return RagSample(**(raw | given))


def _evaluation(raw: dict[str, Any]) -> Evaluation:
    return Evaluation(**(raw | {"outcome": _outcome(raw["outcome"])}))


def _outcome(raw: dict[str, Any]) -> Outcome:
    if "value" in raw:
        return Scored(raw["value"])
    if "detail" in raw:
        return Failed(FailReason(raw["reason"]), raw["detail"])
    return Skipped(SkipReason(raw["reason"]))
