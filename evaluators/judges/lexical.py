"""The embedded judge: no key, no network, cheap enough to look at every trace. See evaluators/lexical/README.md."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from evaluators.facets import AnswerFit, ChunkRelevance, ClaimSupport, Facet, FacetAnswers
from evaluators.judges.base import JudgeIdentity, JudgeReply
from evaluators.lexical.claims import statements
from evaluators.lexical.context import index
from evaluators.lexical.fit import fit
from evaluators.lexical.passage import Passage
from evaluators.lexical.purge import without_instructions
from evaluators.lexical.question import parse
from evaluators.lexical.reading import CHUNK_CHARACTERS, read
from evaluators.lexical.relevance import relevance
from evaluators.lexical.support import claims_something, verdict
from evaluators.sample import RagSample

VERSION = "1"
FACETS = frozenset({Facet.CLAIM_SUPPORT, Facet.CHUNK_RELEVANCE, Facet.ANSWER_FIT})


class LexicalSettings(BaseModel):
    """It has nothing to set but its name: its thresholds are measured, and a change of them is a new version."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    type: Literal["lexical"] = "lexical"
    name: str = Field("lexical", pattern=r"^[a-z][a-z0-9_-]{0,31}$")

    @property
    def facets(self) -> frozenset[Facet]:
        """What the judge answers."""
        return FACETS


def judge(sample: RagSample, facets: frozenset[Facet]) -> FacetAnswers:
    """Answer facets about a sample, from its text alone; pure and bounded in time.

    Sentences that address a judge are left out of question, chunks and answer before anything is compared.
    """
    question = parse(without_instructions(sample.question or ""))
    chunks = [read(chunk.text or "") for chunk in sample.context]
    support: ClaimSupport | None = None
    answer_fit: AnswerFit | None = None
    if facets & {Facet.CLAIM_SUPPORT, Facet.ANSWER_FIT}:
        said = statements(without_instructions(sample.answer or ""))
        claims = [passage for passage in map(Passage, said.claims) if claims_something(passage)]
        context = index(chunks, (term for claim in claims for term in claim.terms))
        verdicts = tuple(verdict(claim, question.terms, context) for claim in claims)
        support = ClaimSupport(verdicts) if Facet.CLAIM_SUPPORT in facets else None
        answer_fit = fit(question, said, claims, verdicts) if Facet.ANSWER_FIT in facets else None
    graded = ChunkRelevance(tuple(relevance(question, c) for c in chunks)) if Facet.CHUNK_RELEVANCE in facets else None
    return FacetAnswers(claim_support=support, chunk_relevance=graded, answer_fit=answer_fit)


class LexicalJudge:
    """A Judge that works on its caller's CPU, and so also the LocalJudge that a pool of processes runs."""

    cpu_bound = True
    remote = False
    facets = FACETS

    def __init__(self, settings: LexicalSettings | None = None) -> None:
        name = (settings or LexicalSettings()).name
        self.identity = JudgeIdentity(name, provider="groundwatch", model="lexical", version=VERSION)

    def judge(self, sample: RagSample, facets: frozenset[Facet]) -> FacetAnswers:
        """Answer facets, synchronously."""
        return judge(sample, facets)

    async def ask(self, sample: RagSample, facets: frozenset[Facet]) -> JudgeReply:
        """Judge in this thread, at once."""
        return JudgeReply(judge(sample, facets), flags=flags(sample))

    async def aclose(self) -> None:
        """Nothing to close."""


def flags(sample: RagSample) -> tuple[str, ...]:
    """`cut` where a chunk is longer than what is read of it."""
    return ("cut",) if any(len(chunk.text or "") > CHUNK_CHARACTERS for chunk in sample.context) else ()
