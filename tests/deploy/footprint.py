"""What a monitor with the defaults needs, idle and under traffic: `python -m tests.deploy.footprint`.

With `--roles` the same of each process of the scaled stack.
"""

import asyncio
import re
import sys
import tempfile
import time
from pathlib import Path

import psutil

from tests.deploy.scaled import scaled
from tests.deploy.stack import Customers
from tests.kafka.broker import running_broker
from tests.monitor import Monitor, monitor

PACE = 100.0
WARM_UP_S, MEASURED_S = 6.0, 20.0


def main() -> None:
    if "--roles" in sys.argv:
        asyncio.run(roles(Path(tempfile.mkdtemp())))
    else:
        whole()


def whole() -> None:
    with monitor(Path(tempfile.mkdtemp())) as running:
        time.sleep(2)
        print(f"idle: {memory(running)} MiB by process")
        with Customers(running.grpc, PACE):
            time.sleep(WARM_UP_S)
            used, traces, since = cpu(running), closed(running), time.monotonic()
            time.sleep(MEASURED_S)
            seconds = time.monotonic() - since
            print(f"at {(closed(running) - traces) / seconds:.0f} traces/s: {memory(running)} MiB by process, ", end="")
            print(f"{(cpu(running) - used) / seconds:.2f} cores")


async def roles(folder: Path) -> None:
    with running_broker(folder / "kafka") as broker:
        async with scaled(folder, broker.address) as started:
            everyone = [(name, one) for name, replicas in started.processes.items() for one in replicas]
            with Customers(started.front.grpc, PACE):
                await asyncio.sleep(WARM_UP_S)
                used, traces, since = [cpu(one) for _, one in everyone], judged(everyone), time.monotonic()
                await asyncio.sleep(MEASURED_S)
                seconds = time.monotonic() - since
                print(f"at {(judged(everyone) - traces) / seconds:.0f} traces/s:")
                for (name, one), before in zip(everyone, used, strict=True):
                    print(f"{name}: {memory(one)} MiB by process, {(cpu(one) - before) / seconds:.3f} cores")


def judged(everyone: list[tuple[str, Monitor]]) -> float:
    return sum(closed(one) for _, one in everyone)


def processes(running: Monitor) -> list[psutil.Process]:
    process = psutil.Process(running.process.pid)
    return [process, *process.children(recursive=True)]


def memory(running: Monitor) -> list[int]:
    return [round(process.memory_info().rss / 2**20) for process in processes(running)]


def cpu(running: Monitor) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in processes(running))


def closed(running: Monitor) -> float:
    return sum(map(float, re.findall(r"^groundwatch_traces_total.* ([\d.]+)$", running.get("/metrics"), re.MULTILINE)))


if __name__ == "__main__":
    main()
