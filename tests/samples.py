"""Samples and answers that many tests start from."""

from evaluators.facets import AnswerFit, ChunkRelevance, ClaimSupport, ClaimVerdict, Facet, FacetAnswers, Support
from evaluators.sample import Chunk, RagSample, Readiness

REFUNDS = "Refunds: customers may return any product for a full refund within 30 days of purchase."
SHIPPING = "Shipping: standard delivery takes 3 to 5 business days within the EU."
WARRANTY = "Warranty: every kettle carries a two-year warranty covering the heating element."


def sample(
    trace_id: str = "0af7651916cd43dd8448eb211c80319c",
    *,
    service: str = "shop-assistant",
    question: str | None = "Within how many days can I get a refund?",
    chunks: tuple[str | None, ...] = (REFUNDS, SHIPPING),
    answer: str | None = "You can get a full refund within 90 days of purchase.",
    readiness: Readiness = Readiness.RAG,
    **rest: object,
) -> RagSample:
    """A ready sample; the default answer contradicts its first chunk."""
    documents = tuple(Chunk(text=text, id=f"doc-{i}") for i, text in enumerate(chunks, start=1))
    return RagSample(trace_id, service, readiness, question, documents, answer, **rest)  # type: ignore[arg-type]


def answers(
    *support: Support, relevance: tuple[float, ...] = (1.0, 0.0), relevancy: float = 1.0, abstained: bool = False
) -> FacetAnswers:
    """One claim per `support`, and the other facets."""
    claims = tuple(ClaimVerdict(f"claim {i}", verdict) for i, verdict in enumerate(support))
    return FacetAnswers(ClaimSupport(claims), ChunkRelevance(relevance), AnswerFit(relevancy, abstained))


def good_answers(sample: RagSample, facets: frozenset[Facet]) -> FacetAnswers:
    """Exactly `facets`, each as a judge that likes everything would answer it."""
    whole = answers(Support.SUPPORTED, relevance=(1.0,) * len(sample.context))
    return FacetAnswers(
        whole.claim_support if Facet.CLAIM_SUPPORT in facets else None,
        whole.chunk_relevance if Facet.CHUNK_RELEVANCE in facets else None,
        whole.answer_fit if Facet.ANSWER_FIT in facets else None,
    )
