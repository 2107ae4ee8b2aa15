"""A LangChain application under the unmodified OpenInference instrumentation, with a scripted model.

usage: langchain_app.py ENDPOINT ANSWER
"""

import sys

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnablePassthrough
from openinference.instrumentation.langchain import LangChainInstrumentor
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

REFUNDS = "Refunds: customers may return any product for a full refund within 30 days of purchase."
SHIPPING = "Shipping: standard delivery takes 3 to 5 business days within the EU."


class Policies(BaseRetriever):
    """Finds the same two policies for every question."""

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return [Document(REFUNDS, id="refund-policy#1"), Document(SHIPPING, id="shipping#2")]


def main(endpoint: str, answer: str) -> None:
    provider = TracerProvider(resource=Resource.create({"service.name": "langchain-shop"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint, insecure=True)))
    LangChainInstrumentor().instrument(tracer_provider=provider)
    prompt = ChatPromptTemplate.from_template("Answer from the context.\n{context}\n\nQuestion: {question}")
    chain = (
        {"context": Policies(), "question": RunnablePassthrough()}
        | prompt
        | FakeListChatModel(responses=[answer])
        | StrOutputParser()
    )
    chain.invoke("Within how many days can I get a refund?")
    provider.shutdown()


if __name__ == "__main__":
    main(*sys.argv[1:])
