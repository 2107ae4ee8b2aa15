import pytest
from pydantic import ValidationError

from alerts.rules import CoverageRule, JudgeUnavailableRule, TraceRule, WindowRule
from alerts.slices import NONE, contains, labels_of, rest_of, shown, slice_of
from tests.alerts.engines import bench, series
from tests.verdicts import contradicted, good, unsupported

MODEL = "gen_ai.request.model"
RATE = WindowRule(name="r", metric="faithfulness", threshold=0.4, window=600.0, slice=(MODEL,))


def test_a_slice_is_the_values_of_the_named_attributes_cleaned_and_cut() -> None:
    attributes = {MODEL: "small\n", "tenant": "x" * 500, "other": "y"}
    (model, tenant, missing) = slice_of(attributes, (MODEL, "tenant", "absent"))
    assert model == (MODEL, "small\ufffd")
    assert len(tenant[1]) == 64
    assert missing == ("absent", NONE)


def test_a_slice_is_shown_to_people_and_labelled_for_programs() -> None:
    one = ((MODEL, "small"), ("deployment.environment", "eu"))
    assert shown(one) == "gen_ai.request.model=small, deployment.environment=eu"
    assert labels_of(one) == {"gen_ai_request_model": "small", "deployment_environment": "eu"}
    assert rest_of((MODEL,)) == ((MODEL, "__other__"),)
    assert contains((), one)
    assert contains(one[:1], one)
    assert not contains(one, one[:1])


async def test_the_bad_model_is_named_and_the_good_one_is_left_alone() -> None:
    b = bench(RATE)
    for number in range(60):
        b.observe(unsupported(number, attributes={MODEL: "small"}))
        b.observe(good(1000 + number, attributes={MODEL: "large"}))
    (signal,) = await b.tick()
    assert signal.slice == ((MODEL, "small"),)
    assert signal.labels["gen_ai_request_model"] == "small"
    assert signal.summary.startswith("faithfulness of shop-assistant (gen_ai.request.model=small): 100% of 60")
    assert signal.to_json()["slice"] == {MODEL: "small"}


async def test_a_slice_diluted_in_the_whole_is_still_seen() -> None:
    whole = WindowRule(name="whole", metric="faithfulness", threshold=0.4, window=600.0)
    b = bench(whole, RATE)
    for number in range(40):
        b.observe(unsupported(number, attributes={MODEL: "small"}))
    for number in range(1000, 1400):
        b.observe(good(number, attributes={MODEL: "large"}))
    assert {signal.rule for signal in await b.tick()} == {"r"}


async def test_slices_past_the_limit_are_watched_as_one_and_counted() -> None:
    rule = TraceRule(name="r", contradicted=True, slice=("tenant",), max_slices=2)
    b = bench(rule)
    for number in range(50):
        b.observe(contradicted(number, attributes={"tenant": f"tenant-{number}"}))
    told = {dict(signal.slice)["tenant"] for signal in await b.tick()}
    assert told == {"tenant-0", "tenant-1", "__other__"}
    assert series(b.metrics, "groundwatch_label_overflow_total", label="slice") == 48.0
    assert len(b.engine._tracks) == 3


async def test_a_forgotten_slice_makes_room_for_another() -> None:
    b = bench(TraceRule(name="r", contradicted=True, slice=("tenant",), max_slices=1))
    b.observe(good(1, attributes={"tenant": "old"}))
    await b.tick(2 * 86_400.0, step=3600.0)
    b.observe(contradicted(2, attributes={"tenant": "new"}))
    (signal,) = await b.tick()
    assert signal.slice == (("tenant", "new"),)


def _tenants(count: int, failures: dict[int, int], n: int = 40) -> list[object]:
    found = []
    for tenant in range(count):
        for number in range(n):
            made = unsupported if number < failures.get(tenant, 4) else good
            found.append(made(tenant * n + number, attributes={"tenant": f"t{tenant}"}))
    return found


@pytest.mark.parametrize(("others", "raised"), [(0, 1), (49, 0)], ids=["alone", "among fifty"])
async def test_a_slice_that_may_look_bad_by_chance_among_many_is_not_raised(others: int, raised: int) -> None:
    """14 of 40 against a limit of 20%: its own interval is past the limit, but of fifty slices one may be so."""
    rule = WindowRule(name="r", metric="faithfulness", threshold=0.2, window=600.0, slice=("tenant",))
    b = bench(rule)
    b.observe(*_tenants(1 + others, {0: 14}))  # type: ignore[arg-type]
    assert len(await b.tick()) == raised


async def test_a_slice_that_cannot_be_chance_is_raised_among_many() -> None:
    rule = WindowRule(name="r", metric="faithfulness", threshold=0.2, window=600.0, slice=("tenant",))
    b = bench(rule)
    b.observe(*_tenants(50, {7: 30}))  # type: ignore[arg-type]
    assert [dict(signal.slice) for signal in await b.tick()] == [{"tenant": "t7"}]


@pytest.mark.parametrize(
    ("names", "message"),
    [(("severity",), "is a label that every alert already has"), (("a b",), "is not an attribute"), (("",), "is not")],
)
def test_a_wrong_slice_is_refused(names: tuple[str, ...], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        CoverageRule(name="r", slice=names)


def test_a_judge_has_no_slices() -> None:
    with pytest.raises(ValidationError, match="makes no sense here"):
        JudgeUnavailableRule(name="r", slice=(MODEL,))
