"""The scaled stack, watched: its roles, Prometheus and Alertmanager with the files of deploy/, and an inbox."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.deploy.observability import alertmanager, inbox, prometheus
from tests.deploy.scaled import Scaled, scaled
from tests.deploy.stack import verdict
from tests.fakes import OpenAIStub, StubReply
from tests.kafka.topics import unique

LATER = "groundwatch_dead_letters"
"""The topic that is made later: until then a message that nobody can decode stops its partition."""


@dataclass
class Model:
    """What stands for a language model; `delay_s` is the time that it thinks."""

    delay_s: float = 0.0

    def __call__(self, request: dict[str, Any]) -> StubReply:
        return replace(verdict(request), delay_s=self.delay_s)


@dataclass(frozen=True)
class KafkaStack:
    """A running stack; a tenth of the traces are judged by a model as well, one at a time."""

    broker: str
    scaled: Scaled
    model: Model
    prometheus: str
    inbox: Path

    def received(self) -> str:
        """Every notification that arrived."""
        return self.inbox.read_text()


@asynccontextmanager
async def kafka_stack(folder: Path, broker: str, name: Callable[[str], str] = unique) -> AsyncIterator[KafkaStack]:
    """Start everything against a broker. The topic for dead letters is missing; `name` as in `scaled`."""
    model, log = Model(), folder / "inbox.log"
    with inbox(log) as address:
        async with alertmanager(folder / "alertmanager", address) as alerts, OpenAIStub(model, keep=False) as llm:
            judge = {"type": "openai", "base_url": llm.base_url, "model": "stub", "api_key_env": None}
            judges = [{}, {"judge": judge, "sampling": [{"rate": 0.1}], "lane": {"concurrency": 1}}]
            notifiers = {"notifiers": [{"type": "alertmanager", "urls": [alerts]}]}
            given = {"judges": judges, "alerts": notifiers}
            async with scaled(folder, broker, name=name, missing=(LATER,), **given) as running:
                targets = {
                    name: [one.web.removeprefix("http://") for one in replicas]
                    for name, replicas in running.processes.items()
                }
                async with prometheus(folder / "prometheus", "prometheus.scaled.yml", targets, alerts) as url:
                    yield KafkaStack(broker, running, model, url, log)
