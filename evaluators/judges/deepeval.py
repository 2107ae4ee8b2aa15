"""Scores by the definitions of DeepEval (extra `deepeval`). `python -m evaluators.judges.deepeval --check` tests it."""

import sys
from typing import Any, Literal, get_args

from evaluators.judges.engine import EngineJudge, EngineSettings, Model, Score, keep_quiet
from evaluators.judges.engine_check import self_test
from evaluators.judges.settings import Name
from evaluators.shown import Shown

Metric = Literal[
    "faithfulness", "answer_relevancy", "contextual_relevancy", "contextual_precision", "contextual_recall"
]

_CLASSES = {
    "faithfulness": "FaithfulnessMetric",
    "answer_relevancy": "AnswerRelevancyMetric",
    "contextual_relevancy": "ContextualRelevancyMetric",
    "contextual_precision": "ContextualPrecisionMetric",
    "contextual_recall": "ContextualRecallMetric",
}


class DeepEvalSettings(EngineSettings):
    """`contextual_precision` and `contextual_recall` need a reference answer."""

    type: Literal["deepeval"] = "deepeval"
    name: Name = "deepeval"
    metric: Metric = "faithfulness"


class DeepEvalJudge(EngineJudge):
    """One metric of DeepEval, without its call for a reason."""

    library = "deepeval"
    reference_metrics = frozenset({"contextual_precision", "contextual_recall"})

    def _load(self, metric: str) -> tuple[str, Score]:
        return load(metric)


def load(metric: str) -> tuple[str, Score]:
    """Version and metric. Raises ImportError where DeepEval, or what it needs, does not import."""
    keep_quiet()
    import deepeval
    from deepeval import metrics
    from deepeval.models import DeepEvalBaseLLM
    from deepeval.test_case import LLMTestCase

    class Adapter(DeepEvalBaseLLM):  # type: ignore[misc]
        """DeepEval's prompts, our connection."""

        def __init__(self, model: Model) -> None:
            self._ours = model
            super().__init__("ours")

        def load_model(self) -> "Adapter":
            return self

        def generate(self, prompt: str, schema: Any = None) -> Any:
            raise TypeError("only asynchronous calls")

        async def a_generate(self, prompt: str, schema: Any = None) -> Any:
            return await self._ours.complete(prompt, schema)

        def get_model_name(self) -> str:
            return "ours"

    kind = getattr(metrics, _CLASSES[metric])

    async def score(model: Model, texts: Shown) -> float:
        case = LLMTestCase(
            input=texts.question,
            actual_output=texts.answer or "",
            expected_output=texts.reference,
            retrieval_context=list(texts.chunks),
        )
        ready = kind(model=Adapter(model), include_reason=False, async_mode=True)
        return float(await ready.a_measure(case, _show_indicator=False))

    return deepeval.__version__, score


if __name__ == "__main__" and sys.argv[1:] == ["--check"]:
    sys.exit(self_test("deepeval", load, get_args(Metric)))
