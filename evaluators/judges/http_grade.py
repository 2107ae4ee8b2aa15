"""A judge that is a service: takes and answers JSON as a program does (see evaluators/grading.py), by POST."""

from typing import Literal

import orjson
from pydantic import Field
from yarl import URL

from evaluators.clean_text import clean
from evaluators.clock import Clock, SystemClock
from evaluators.egress import EgressSettings, build_egress
from evaluators.facets import Facet, FacetAnswers
from evaluators.grading import dump_question, read_grade, texts_to_grade
from evaluators.judges.base import JudgeIdentity, JudgeReply
from evaluators.judges.http import BadRequestError, HttpEndpoint
from evaluators.judges.llm import refusal_of
from evaluators.judges.settings import KeyEnv, Name, PlainUrl, Timeout, bearer, is_loopback
from evaluators.sample import RagSample


class HttpSettings(EgressSettings):
    """`version` is yours to raise when the service's scores change meaning. The key, if any, goes as a bearer token."""

    type: Literal["http"] = "http"
    name: Name = "http"
    url: PlainUrl
    version: str = Field("1", pattern=r"^[\w.+-]{1,32}$")
    api_key_env: KeyEnv | None = None
    timeout_s: Timeout = 30.0

    @property
    def facets(self) -> frozenset[Facet]:
        """A grade and nothing else."""
        return frozenset({Facet.GRADE})


class HttpJudge:
    """One POST per sample. Raises PermanentError where the key's environment variable is missing."""

    def __init__(self, settings: HttpSettings, clock: Clock | None = None) -> None:
        url = URL(settings.url)
        self.facets = settings.facets
        self.remote = not is_loopback(settings.url)
        self._egress = build_egress(settings.name, settings, remote=self.remote)
        model = url.authority + url.path.rstrip("/")
        self.identity = JudgeIdentity(settings.name, "http", model, settings.version, self._egress.parameters)
        headers = bearer(settings.name, settings.api_key_env)
        self._endpoint = HttpEndpoint(settings.url, headers, clock or SystemClock(), timeout_s=settings.timeout_s)

    async def ask(self, sample: RagSample, facets: frozenset[Facet]) -> JudgeReply:
        """Post the sample, read the grade."""
        texts, passage = texts_to_grade(sample).each(clean), self._egress.open()
        try:
            response = await self._endpoint.post(dump_question(texts.each(passage.protect)))
        except BadRequestError as refusal:
            raise refusal_of(refusal) from None
        grade = read_grade(orjson.dumps(response).decode())
        return JudgeReply(passage.restored(FacetAnswers(grade=grade)))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._endpoint.aclose()
