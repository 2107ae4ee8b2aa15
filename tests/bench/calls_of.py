"""One evaluation library on one trace, again and again: `python -m tests.bench.calls_of LIBRARY BASE_URL TRACES`.

Runs in whatever environment the library is installed in, and prints seconds per trace.
"""

import asyncio
import os
import re
import sys
import time
from collections.abc import Awaitable, Callable

import aiohttp

QUESTION = "How long do I have to return the kettle, and what does it cost me?"
_SENTENCE = "Customers may return any product for a full refund within 30 days. "
CHUNKS = [f"Passage {i}. " + _SENTENCE * 15 for i in range(5)]
ANSWER = "You have 30 days. The refund is full. Shipping is free. The warranty lasts two years."
Run = Callable[[], Awaitable[object]]


class Chat:
    """The libraries' prompts over one connection, constrained to the schema that they ask for."""

    def __init__(self, base_url: str) -> None:
        self._url = f"{base_url}/chat/completions"
        self._session: aiohttp.ClientSession | None = None

    async def complete(self, prompt: str, schema: type) -> object:
        self._session = self._session or aiohttp.ClientSession()
        form = {"name": "v", "schema": schema.model_json_schema()}
        body = {
            "model": "m",
            "messages": [{"role": "user", "content": prompt}],
            "response_format": {"type": "json_schema", "json_schema": form},
        }
        async with self._session.post(self._url, json=body) as response:
            text = (await response.json())["choices"][0]["message"]["content"]
        return schema.model_validate_json(text)


def ragas(base_url: str) -> Run:
    from ragas.embeddings.base import BaseRagasEmbedding
    from ragas.llms.base import InstructorBaseRagasLLM
    from ragas.metrics.collections import (
        AnswerRelevancy,
        ContextPrecisionWithoutReference,
        ContextRelevance,
        Faithfulness,
    )

    chat = Chat(base_url)

    class Llm(InstructorBaseRagasLLM):
        def __init__(self) -> None:
            """Nothing of its own."""

        def generate(self, prompt: str, response_model: type) -> object:
            raise TypeError

        async def agenerate(self, prompt: str, response_model: type) -> object:
            return await chat.complete(prompt, response_model)

    class Embeddings(BaseRagasEmbedding):
        def embed_text(self, text: str, **_: object) -> list[float]:
            return [1.0, 0.5]

        async def aembed_text(self, text: str, **_: object) -> list[float]:
            return [1.0, 0.5]

    llm = Llm()

    async def run() -> object:
        return await asyncio.gather(
            Faithfulness(llm=llm).ascore(user_input=QUESTION, response=ANSWER, retrieved_contexts=CHUNKS),
            AnswerRelevancy(llm=llm, embeddings=Embeddings()).ascore(user_input=QUESTION, response=ANSWER),
            ContextRelevance(llm=llm).ascore(user_input=QUESTION, retrieved_contexts=CHUNKS),
            ContextPrecisionWithoutReference(llm=llm).ascore(
                user_input=QUESTION, response=ANSWER, retrieved_contexts=CHUNKS
            ),
        )

    return run


def deepeval(base_url: str) -> Run:
    from deepeval.metrics import (
        AnswerRelevancyMetric,
        ContextualPrecisionMetric,
        ContextualRelevancyMetric,
        FaithfulnessMetric,
    )
    from deepeval.models import DeepEvalBaseLLM
    from deepeval.test_case import LLMTestCase

    chat = Chat(base_url)

    class Llm(DeepEvalBaseLLM):
        def load_model(self) -> "Llm":
            return self

        def generate(self, prompt: str, schema: type) -> object:
            raise TypeError

        async def a_generate(self, prompt: str, schema: type) -> object:
            return await chat.complete(prompt, schema)

        def get_model_name(self) -> str:
            return "m"

    llm = Llm("m")
    case = LLMTestCase(input=QUESTION, actual_output=ANSWER, expected_output=ANSWER, retrieval_context=CHUNKS)
    kinds = (FaithfulnessMetric, AnswerRelevancyMetric, ContextualRelevancyMetric, ContextualPrecisionMetric)

    async def run() -> object:
        return await asyncio.gather(*(kind(model=llm).a_measure(case, _show_indicator=False) for kind in kinds))

    return run


def trulens(base_url: str) -> Run:
    from trulens.feedback import llm_provider
    from trulens.providers.openai import OpenAI

    # Its own splitter needs data that has to be downloaded; on this answer it would give the same four sentences.
    llm_provider.sent_tokenize = lambda text: re.findall(r"[^.]+\.", text)
    provider = OpenAI(model_engine="gpt-4", base_url=base_url, api_key="none", rpm=60_000)
    # As it sets itself for the servers that have chat completions only.
    provider._set_capabilities({"responses_api": False, "structured_outputs": False})

    def judge() -> list[object]:
        return [
            provider.groundedness_measure_with_cot_reasons("\n".join(CHUNKS), ANSWER),
            provider.relevance_with_cot_reasons(QUESTION, ANSWER),
            *(provider.context_relevance_with_cot_reasons(QUESTION, chunk) for chunk in CHUNKS),
        ]

    async def run() -> object:
        return await asyncio.to_thread(judge)

    return run


async def main(library: str, base_url: str, traces: int) -> None:
    run = {"ragas": ragas, "deepeval": deepeval, "trulens": trulens}[library](base_url)
    started = time.perf_counter()
    for _ in range(traces):
        await run()
    print((time.perf_counter() - started) / traces)


if __name__ == "__main__":
    for name in ("RAGAS_DO_NOT_TRACK", "DEEPEVAL_TELEMETRY_OPT_OUT", "DEEPEVAL_DISABLE_DOTENV"):
        os.environ[name] = "1"
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
