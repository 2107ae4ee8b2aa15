"""The self-test of a judge that is an evaluation library: no network, no key."""

import asyncio
import sys
from collections.abc import Callable
from typing import Any

from evaluators.judges.engine import Schema, Score
from evaluators.shown import Shown


class AgreeableModel:
    """Says yes to everything, without a network: for a self-test of a library's definitions."""

    async def complete(self, prompt: str, schema: type[Schema]) -> Schema:
        """The smallest object of `schema`, with 1, true and yes where it may choose."""
        whole = schema.model_json_schema()
        return schema.model_validate(_agree(whole, whole.get("$defs", {})))


def _agree(schema: dict[str, Any], definitions: dict[str, Any]) -> Any:
    if "$ref" in schema:
        return _agree(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "anyOf" in schema:
        return _agree(schema["anyOf"][0], definitions)
    if "enum" in schema:
        return "yes" if "yes" in schema["enum"] else schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {name: _agree(part, definitions) for name, part in schema.get("properties", {}).items()}
        case "array":
            return [_agree(schema["items"], definitions)]
        case "integer" | "number" | "boolean":
            return 1 if schema["type"] != "boolean" else True
        case _:
            return "yes"


def self_test(library: str, load: Callable[[str], tuple[str, Score]], metrics: tuple[str, ...]) -> int:
    """`--check`: compute every metric about a small sample with an agreeable model; the exit status."""
    texts = Shown("Until when?", ("Refunds within 30 days.",), "Within 30 days.", "Within 30 days.")
    problems = 0
    for metric in metrics:
        try:
            version, score = load(metric)
            value = asyncio.run(_checked(score, texts))
        except Exception as error:  # the report is the purpose
            problems += 1
            print(f"{library} {metric}: {type(error).__name__}: {error}", file=sys.stderr)
        else:
            print(f"{library} {version} {metric}: {value:.2f}")
    return 1 if problems else 0


async def _checked(score: Score, texts: Shown) -> float:
    value = await score(AgreeableModel(), texts)
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{value} is no score")
    return value
