"""The whole monitor in one process, on real sockets."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

from alerts.settings import AlertSettings
from alerts.web import WebSettings
from collector.assembler import AssemblySettings
from collector.check import check
from collector.config import Config, JudgeConfig, ReceiversConfig
from collector.conventions.context_settings import ContextSettings
from collector.demo.app import ShopAssistant
from collector.demo.corpus import TURNS
from collector.receivers.settings import ReceiverSettings
from collector.service import Service
from evaluators.errors import PermanentError
from evaluators.judges.openai import OpenAISettings
from evaluators.prices import Price
from tests.captures.own.key import OWN
from tests.fakes import OpenAIStub, completion
from tests.servers import get_json, until


def config(**rest: object) -> Config:
    quiet = AlertSettings(notifiers=())
    ports = ReceiversConfig(grpc=ReceiverSettings(port=0), http=ReceiverSettings(port=0))
    parts = {"receivers": ports, "web": WebSettings(port=0), "alerts": quiet, "assembly": AssemblySettings(grace_s=0.3)}
    return Config(**(parts | rest))  # type: ignore[arg-type]


@asynccontextmanager
async def running(given: Config) -> AsyncIterator[Service]:
    service = Service(given)
    await service.start()
    try:
        yield service
    finally:
        await service.stop(5.0)


async def post(service: Service, body: bytes) -> int:
    url = f"http://127.0.0.1:{service.receivers['http'].port}/v1/traces"
    headers = {"Content-Type": "application/x-protobuf"}
    async with aiohttp.ClientSession() as session, session.post(url, data=body, headers=headers) as response:
        return response.status


def value(service: Service, series: str) -> float:
    for line in service.metrics.render()[0].decode().splitlines():
        if line.startswith(series + " "):
            return float(line.split()[-1])
    return 0.0


SCORED = 'groundwatch_evaluations_total{metric="faithfulness",outcome="scored",reason="",service="shop-assistant"}'


def request_of(turn: int) -> bytes:
    """One trace as the SDK serializes it."""
    from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    memory = InMemorySpanExporter()
    app = ShopAssistant(memory)
    app.ask(TURNS[turn])
    app.close()
    return encode_spans(memory.get_finished_spans()).SerializeToString()


async def test_a_trace_becomes_a_score_and_a_page() -> None:
    async with running(config()) as service:
        app = ShopAssistant(OTLPSpanExporter(f"127.0.0.1:{service.receivers['grpc'].port}", insecure=True))
        trace_id = await asyncio.to_thread(app.ask, TURNS[0])
        await asyncio.to_thread(app.close)
        await until(lambda: value(service, SCORED) == 1)
        page = await get_json(f"http://127.0.0.1:{service.web.port}/traces/{trace_id}", format="json")
        assert page["judged"] is True


async def test_033_a_batch_that_is_sent_again_is_judged_and_counted_once() -> None:
    async with running(config()) as service:
        body = request_of(0)
        assert [await post(service, body) for _ in range(3)] == [200, 200, 200]
        await until(lambda: value(service, SCORED) >= 1)
        assert await post(service, body) == 200
        await asyncio.sleep(1.0)
        assert value(service, SCORED) == 1
        assert value(service, 'groundwatch_spans_dropped_total{reason="duplicate"}') == 9


async def test_ready_says_which_part_works() -> None:
    async with running(config()) as service:
        answer = await get_json(f"http://127.0.0.1:{service.web.port}/readyz")
    assert answer["ready"] is True
    assert answer["components"]["judge lexical"] is True


async def test_104_a_port_that_is_taken_is_named_and_nothing_stays_open() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ports = ReceiversConfig(grpc=ReceiverSettings(port=0), http=ReceiverSettings(port=port))
        service = Service(config(receivers=ports))
        with pytest.raises(PermanentError, match=str(port)):
            await service.start()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", service.receivers["grpc"].port))


async def test_112_stopping_before_the_start_and_twice_is_no_error() -> None:
    service = Service(config())
    await service.stop(0.1)
    await service.stop(0.1)


async def test_111_a_part_that_ends_by_itself_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(config()) as service:
        monkeypatch.setattr(service._assembler, "tick", lambda: 1 / 0)
        assert await asyncio.wait_for(service.run(), 5) is True


async def test_check_tells_every_missing_secret_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_TOKEN", raising=False)
    one = ReceiverSettings(port=1, token_env="NO_SUCH_TOKEN")
    two = ReceiverSettings(port=2, token_env="NO_SUCH_TOKEN")
    with pytest.raises(PermanentError) as caught:
        check(config(receivers=ReceiversConfig(grpc=one, http=two)))
    assert [line.split(":")[0] for line in str(caught.value).splitlines()] == ["receivers.grpc", "receivers.http"]


async def test_content_in_log_records_is_joined_and_judged() -> None:
    async with running(config(context=ContextSettings(from_prompt=True))) as service:
        url = f"http://127.0.0.1:{service.receivers['http'].port}/v1/logs"
        headers = {"Content-Type": "application/x-protobuf"}
        bodies = OWN / "otel_genai_langchain_events"
        logs = (bodies / "00.logs").read_bytes()
        async with aiohttp.ClientSession() as session, session.post(url, data=logs, headers=headers) as response:
            assert response.status == 200
        assert await post(service, (bodies / "00.pb").read_bytes()) == 200
        scored = SCORED.replace("shop-assistant", "own-otel-genai-langchain-events")
        await until(lambda: value(service, scored) == 2)
        assert value(service, "groundwatch_log_events_joined_total") == 3


async def test_tokens_of_application_and_judge_cost_what_the_prices_say() -> None:
    prices = {"scripted-*": Price(input_usd=1.0, output_usd=1.0), "stub": Price(input_usd=2.0, output_usd=10.0)}
    async with OpenAIStub(completion("no verdict")) as stub:
        llm = OpenAISettings(name="gpt", model="stub", base_url=stub.base_url, api_key_env=None)
        async with running(config(prices=prices, judges=(JudgeConfig(judge=llm),))) as service:
            assert await post(service, request_of(0)) == 200
            await until(lambda: value(service, 'groundwatch_judge_cost_usd_total{judge="gpt"}'))
            used = [
                value(service, f'groundwatch_app_tokens_total{{direction="{side}",service="shop-assistant"}}')
                for side in ("input", "output")
            ]
            assert min(used) > 0
            cost = value(service, 'groundwatch_app_cost_usd_total{service="shop-assistant"}')
            assert cost == pytest.approx(sum(used) / 1e6)
            assert value(service, 'groundwatch_judge_cost_usd_total{judge="gpt"}') >= 900 * 2e-6 + 120 * 10e-6
