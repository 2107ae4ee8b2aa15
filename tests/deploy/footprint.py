"""What a monitor with the defaults needs, idle and under traffic: `python -m tests.deploy.footprint`."""

import re
import tempfile
import time
from pathlib import Path

import psutil

from tests.deploy.stack import Customers
from tests.monitor import Monitor, monitor

PACE = 100.0
WARM_UP_S, MEASURED_S = 6.0, 20.0


def main() -> None:
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
