from alerts.mix import BEFORE_S, Change, Mix
from alerts.rules import WindowRule
from tests.alerts.engines import bench
from tests.verdicts import good, unsupported

MODEL, PROMPT = "gen_ai.request.model", "gen_ai.prompt.version"


def filled(before: dict[str, int], after: dict[str, int], *, prompt: str = "7") -> Mix:
    mix = Mix((MODEL, PROMPT))
    for at, counts in ((10_000.0, before), (20_000.0, after)):
        for model, count in counts.items():
            for _ in range(count):
                mix.add(at, {MODEL: model, PROMPT: prompt})
    return mix


def test_what_is_new_comes_first_and_what_stayed_is_not_told() -> None:
    mix = filled({"large": 200}, {"large": 20, "small": 60})
    assert mix.changes(20_100.0, 900.0) == (
        Change(MODEL, "small", 0.0, 0.75),
        Change(MODEL, "large", 1.0, 0.25),
    )
    assert str(mix.changes(20_100.0, 900.0)[0]) == "gen_ai.request.model=small 0% -> 75%"


def test_chance_is_no_change() -> None:
    assert filled({"large": 50, "small": 50}, {"large": 13, "small": 17}).changes(20_100.0, 900.0) == ()


def test_too_few_traces_on_either_side_say_nothing() -> None:
    assert filled({"large": 200}, {"small": 10}).changes(20_100.0, 900.0) == ()
    assert filled({"large": 5}, {"small": 100}).changes(20_100.0, 900.0) == ()
    assert Mix((MODEL,)).changes(0.0, 900.0) == ()


def test_a_trace_without_the_attribute_is_a_value_too() -> None:
    mix = Mix((MODEL,))
    for _ in range(50):
        mix.add(10_000.0, {MODEL: "large"})
        mix.add(20_000.0, {})
    assert [change.value for change in mix.changes(20_100.0, 900.0)] == ["__none__", "large"]


def test_memory_is_bounded_in_time_and_in_values() -> None:
    mix = Mix((MODEL,))
    for second in range(0, 200_000, 10):
        mix.add(float(second), {MODEL: f"model-{second}"})
    assert len(mix._buckets) <= (BEFORE_S + 3600) / 300 + 1
    crowded = Mix((MODEL,))
    for number in range(1000):
        crowded.add(0.0, {MODEL: f"model-{number}\n"})
    assert len(crowded._buckets[0]) == 65


async def test_an_alert_says_what_changed_before_it() -> None:
    b = bench(WindowRule(name="r", metric="faithfulness", threshold=0.4, window=600.0))
    b.observe(*(good(n, attributes={MODEL: "large", PROMPT: "7"}) for n in range(100)), every_s=60.0)
    b.observe(*(unsupported(n, attributes={MODEL: "small", PROMPT: "7"}) for n in range(200, 240)), every_s=10.0)
    (signal,) = await b.tick()
    assert signal.changes[0].value == "small"
    assert signal.annotations["changed"].startswith("gen_ai.request.model=small 0% -> ")
    assert "What changed before it: gen_ai.request.model=small 0% -> " in signal.description
    assert "prompt" not in signal.description
    (first, *_) = signal.to_json()["changes"]  # type: ignore[misc, has-type]
    assert first["attribute"] == MODEL
