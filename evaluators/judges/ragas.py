"""Scores by the definitions of ragas (extra `ragas`). `python -m evaluators.judges.ragas --check` tests it offline."""

import sys
from typing import Any, Literal, get_args

from evaluators.judges.engine import EngineJudge, EngineSettings, Model, Score, keep_quiet
from evaluators.judges.engine_check import self_test
from evaluators.judges.settings import Name
from evaluators.shown import Shown

Metric = Literal["faithfulness", "context_relevance", "context_precision", "context_recall"]

_CLASSES = {
    "faithfulness": "Faithfulness",
    "context_relevance": "ContextRelevance",
    "context_precision": "ContextPrecisionWithoutReference",
    "context_recall": "ContextRecall",
}


class RagasSettings(EngineSettings):
    """`context_recall` needs a reference answer."""

    type: Literal["ragas"] = "ragas"
    name: Name = "ragas"
    metric: Metric = "faithfulness"


class RagasJudge(EngineJudge):
    """One metric of ragas."""

    library = "ragas"
    reference_metrics = frozenset({"context_recall"})

    def _load(self, metric: str) -> tuple[str, Score]:
        return load(metric)


def load(metric: str) -> tuple[str, Score]:
    """Version and metric. Raises ImportError where ragas, or what it needs, does not import."""
    keep_quiet()
    import ragas
    from ragas.llms.base import InstructorBaseRagasLLM
    from ragas.metrics import collections

    class Adapter(InstructorBaseRagasLLM):  # type: ignore[misc]
        """Ragas' prompts, our connection."""

        def __init__(self, model: Model) -> None:
            self._ours = model

        def generate(self, prompt: str, response_model: Any) -> Any:
            raise TypeError("only asynchronous calls")

        async def agenerate(self, prompt: str, response_model: Any) -> Any:
            return await self._ours.complete(prompt, response_model)

    kind = getattr(collections, _CLASSES[metric])

    async def score(model: Model, texts: Shown) -> float:
        asked = {"user_input": texts.question, "retrieved_contexts": list(texts.chunks)}
        if metric == "context_recall":
            asked["reference"] = texts.reference or ""
        elif metric != "context_relevance":
            asked["response"] = texts.answer or ""
        return float((await kind(llm=Adapter(model)).ascore(**asked)).value)

    return ragas.__version__, score


if __name__ == "__main__" and sys.argv[1:] == ["--check"]:
    sys.exit(self_test("ragas", load, get_args(Metric)))
