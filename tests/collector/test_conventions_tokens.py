"""What the application's model calls took, whoever recorded it, each call once."""

import json

import pytest

from evaluators.sample import ModelTokens
from tests.collector.handmade import Made, chain, model, read, retriever
from tests.collector.test_conventions_captures import KEY, samples

TOLD = {
    "langfuse-manual": ("fake-gpt", 50, 12),
    "oi_haystack-bm25": ("fake-1", 50, 12),
    "oi_haystack-embedding": ("fake-1", 50, 12),
    "oi_manual-plain": ("gpt-4o-mini", 50, 12),
    "openlit-lc": ("FakeChat", 50, 12),
    "otel_genai-lc": ("fake-gpt", 50, 12),
    "otel_genai-lc_default": ("fake-gpt", 50, 12),
    "traceloop-lc": ("fake-gpt", 50, 12),
    "traceloop-lc_simple": ("fake-gpt", 50, 12),
    "vercel-plain": ("fake-gpt", 100, 24),
    "vercel-v7": ("fake-gpt", 100, 24),
}
"""By capture: model, input and output of each of its traces that calls a model."""


def tokens(*spans: Made) -> list[ModelTokens]:
    return list(read(chain(), retriever(2, "text"), *spans).tokens)


def call(number: int, used: tuple[int, int] | None, *, parent: int = 1, name: str = "big", **rest: object) -> Made:
    """A model call by the GenAI conventions."""
    attributes: dict[str, object] = {"gen_ai.operation.name": "chat", "gen_ai.request.model": name}
    if used is not None:
        attributes |= {"gen_ai.usage.input_tokens": used[0], "gen_ai.usage.output_tokens": used[1]}
    return Made(number, attributes, parent, **rest)  # type: ignore[arg-type]


def agent(number: int, used: tuple[int, int], *, parent: int = 1) -> Made:
    """An agent's run, which sums up its steps and names no model."""
    attributes = {"gen_ai.operation.name": "invoke_agent"}
    counts = {"gen_ai.usage.input_tokens": used[0], "gen_ai.usage.output_tokens": used[1]}
    return Made(number, attributes | counts, parent)


def told() -> dict[str, list[tuple[ModelTokens, ...]]]:
    """By capture the tokens of its traces that tell any."""
    found: dict[str, list[tuple[ModelTokens, ...]]] = {}
    for entry in KEY:
        sample = samples(ruled=False).get(str(entry["trace_id"]))
        if sample is not None and any(one.input for one in sample.tokens):
            found.setdefault(f"{entry['lib']}-{entry['capture']}", []).append(sample.tokens)
    return found


def test_every_call_of_the_captures_is_counted_once() -> None:
    found = told()
    assert sum(map(len, found.values())) == 34
    agents = found.pop("pydantic_ai-default")
    assert {name: set(traces) for name, traces in found.items()} == {
        name: {(ModelTokens(*expected),)} for name, expected in TOLD.items()
    }
    # An agent's span says what its two steps took together: 64 + 119 and 13 + 25, for instance.
    assert [(one.input, one.output) for (one,) in agents] == [(183, 38), (191, 49), (148, 29)]


def test_a_span_around_a_call_that_repeats_its_counts_adds_nothing() -> None:
    assert tokens(agent(3, (50, 12)), call(4, (50, 12), parent=3)) == [ModelTokens("big", 50, 12)]
    assert tokens(call(3, (50, 12)), call(4, (50, 12), parent=3)) == [ModelTokens("big", 50, 12)]


def test_an_agents_sum_makes_up_for_a_step_whose_span_was_lost() -> None:
    assert tokens(agent(3, (150, 30)), call(4, (50, 12), parent=3)) == [ModelTokens("big", 150, 30)]


def test_calls_side_by_side_are_added_up_by_model() -> None:
    spans = (call(3, (10, 1), name="small"), call(4, (100, 20)), call(5, (200, 30)))
    assert tokens(*spans) == [ModelTokens("small", 10, 1), ModelTokens("big", 300, 50)]


def test_what_an_agent_of_several_models_says_beyond_its_steps_is_of_no_known_model() -> None:
    steps = (call(4, (10, 1), name="small", parent=3), call(5, (100, 20), parent=3))
    assert tokens(agent(3, (120, 21)), *steps)[-1] == ModelTokens(None, 10, 0)


def test_a_call_that_tells_nothing_is_untold_and_not_free() -> None:
    assert tokens(call(3, (50, 12)), call(4, None)) == [ModelTokens("big", 50, 12, untold=1)]
    assert tokens(model(3)) == [ModelTokens("fake-1", untold=1)]


def test_a_call_that_failed_is_not_missed() -> None:
    assert tokens(call(3, None, failed=True), call(4, (50, 12))) == [ModelTokens("big", 50, 12)]


def test_a_call_within_a_span_that_tells_is_not_untold() -> None:
    assert tokens(agent(3, (50, 12)), call(4, None, parent=3)) == [ModelTokens("big", 50, 12)]


def test_embeddings_and_evaluations_are_not_the_answers_cost() -> None:
    counts = {"gen_ai.usage.input_tokens": 9}
    embedding = Made(3, {"gen_ai.operation.name": "embeddings", "gen_ai.request.model": "e", **counts}, 1)
    judged = Made(4, {"openinference.span.kind": "EVALUATOR"}, 1)
    assert tokens(embedding, judged, call(5, (70, 7), parent=4)) == []


def test_a_trace_without_a_model_call_has_no_tokens() -> None:
    assert tokens() == []


def test_models_beyond_the_limit_share_one_entry_without_a_name() -> None:
    found = tokens(*(call(3 + i, (1, 1), name=f"m-{i}") for i in range(50)))
    assert len(found) == 17
    assert sum(one.input for one in found) == 50


@pytest.mark.parametrize("count", ["many", -5, True, float("nan"), 1 << 40, [50], None])
def test_a_count_that_is_none_is_not_counted(count: object) -> None:
    span = Made(3, {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": count}, 1)
    assert tokens(span) == [ModelTokens(None, untold=1)]


USAGE = {
    "prompt_tokens": 50,
    "completion_tokens": 12,
    "total_tokens": 62,
    "prompt_tokens_details": {"cached_tokens": 4},
}
CHAT = {"role": "assistant", "content": "text", "meta": {"model": "m", "usage": USAGE}}
PARTS = {"input": 40, "input_cached_tokens": 10, "output": 8, "output_reasoning_tokens": 4, "total": 62}
WRITTEN: dict[str, dict[str, object]] = {
    "genai-old": {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m",
        "gen_ai.usage.prompt_tokens": 50,
        "gen_ai.usage.completion_tokens": "12",
    },
    "openllmetry": {
        "traceloop.span.kind": "task",
        "traceloop.association.properties.ls_model_name": "m",
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "unknown",
        "gen_ai.usage.input_tokens": 50,
        "gen_ai.usage.output_tokens": 12,
    },
    "openllmetry-old": {
        "traceloop.span.kind": "task",
        "llm.request.type": "chat",
        "llm.request.model": "m",
        "llm.usage.prompt_tokens": 50,
        "llm.usage.completion_tokens": 12,
    },
    "vercel-4": {
        "ai.operationId": "ai.generateText.doGenerate",
        "ai.model.id": "m",
        "ai.usage.promptTokens": 50,
        "ai.usage.completionTokens": 12,
    },
    "langfuse": {
        "langfuse.observation.type": "generation",
        "langfuse.observation.model.name": "m",
        "langfuse.observation.usage_details": json.dumps(PARTS),
    },
    "mlflow": {
        "mlflow.spanType": '"CHAT_MODEL"',
        "mlflow.llm.model": '"m"',
        "mlflow.chat.tokenUsage": '{"input_tokens": 50, "output_tokens": 12, "total_tokens": 62}',
    },
    "trulens": {
        "ai.observability.span_type": "generation",
        "ai.observability.cost.model": "m",
        "ai.observability.cost.num_prompt_tokens": 50,
        "ai.observability.cost.num_completion_tokens": 12,
    },
    "deepeval": {
        "confident.span.type": "llm",
        "confident.llm.model": "m",
        "confident.llm.input_token_count": 50,
        "confident.llm.output_token_count": 12.0,
    },
    "haystack": {
        "haystack.component.type": "OpenAIGenerator",
        "haystack.component.output": json.dumps({"replies": ["text"], "meta": [{"model": "m", "usage": USAGE}]}),
    },
    "haystack-chat": {
        "haystack.component.type": "OpenAIChatGenerator",
        "haystack.component.output": json.dumps({"replies": [CHAT]}),
    },
}


@pytest.mark.parametrize("attributes", WRITTEN.values(), ids=WRITTEN)
def test_each_dialect_tells_tokens_and_model(attributes: dict[str, object]) -> None:
    assert tokens(Made(3, attributes, 1)) == [ModelTokens("m", 50, 12)]
