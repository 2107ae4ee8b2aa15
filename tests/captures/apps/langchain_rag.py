"""A retrieval chain on LangChain core with a fake model: what the LangChain apps run."""

from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableLambda, RunnablePassthrough
from shop import case_of, prompt_of, retrieve


class ShopRetriever(BaseRetriever):
    """Finds what `shop` says."""

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return [
            Document(id=name, page_content=text, metadata={"score": score, "source": f"{name}.md"})
            for name, text, score in retrieve(query)
        ]


class FakeModel(BaseChatModel):
    """Says what `shop` says."""

    model: str = "fake-1"

    @property
    def _llm_type(self) -> str:
        return "fake"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        answer = case_of(str(messages[-1].content)).answer
        usage = {"input_tokens": 50, "output_tokens": 8, "total_tokens": 58}
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content=answer, usage_metadata=usage))])


def build() -> Runnable[str, str]:
    """From a question to an answer."""
    template = ChatPromptTemplate.from_messages([("human", prompt_of("{question}", ["{context}"]))])
    join = RunnableLambda(lambda documents: "\n\n".join(one.page_content for one in documents), name="join")
    step = {"context": ShopRetriever() | join, "question": RunnablePassthrough()}
    return step | template | FakeModel() | StrOutputParser()
