"""Every benchmark, one after the other; each compares within its own run."""

from tests.bench import alerts, dispatch, memory, receivers

for title, bench in (("Receivers", receivers), ("Judge calls", dispatch), ("Memory", memory), ("Alerts", alerts)):
    print(f"\n{title}\n", flush=True)
    bench.main()
