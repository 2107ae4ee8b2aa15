"""Langfuse's callback handler for LangChain. It sends to a path of its own, compressed."""

import os

os.environ["LANGFUSE_PUBLIC_KEY"] = "pk-lf-none"
os.environ["LANGFUSE_SECRET_KEY"] = "sk-lf-none"
os.environ["LANGFUSE_BASE_URL"] = os.environ["LANGFUSE_HOST"] = os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"]
os.environ["OTEL_SERVICE_NAME"] = "own-langfuse-langchain"

from langchain_rag import build
from langfuse import get_client
from langfuse.langchain import CallbackHandler
from shop import CASES

chain = build()
for case in CASES:
    metadata = {"langfuse_session_id": "session-1", "langfuse_user_id": "user-1"}
    chain.invoke(case.question, config={"callbacks": [CallbackHandler()], "metadata": metadata})
get_client().flush()
get_client().shutdown()
