"""Drawing: what the data says is what the picture shows."""

from xml.etree import ElementTree

import pytest

from deploy.pictures.answers import Answer, Named
from deploy.pictures.charts import heatmap, timeline, timeseries
from deploy.pictures.shapes import Box, Scale, fit, shown, ticks
from deploy.pictures.source import interpolate
from deploy.pictures.terminal import terminal
from tests.deploy.shipped import panels

BOX = Box(0, 0, 400, 200)
PANELS = {panel["title"]: panel for _, panel in panels()}


def answer(*series):
    return Answer((tuple(Named(name, {}, points) for name, points in series),), (), 0.0, 10.0, 1.0)


def test_variables_are_put_in_and_a_missing_one_is_an_error():
    assert interpolate('a{b="$x"}[$__range] ${y}', {"x": "1", "__range": "5m", "y": "2"}) == 'a{b="1"}[5m] 2'
    with pytest.raises(KeyError):
        interpolate("$other", {})


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.1234, "percentunit", "12.3%"),
        (0.05, "s", "50 ms"),
        (90.0, "s", "90 s"),
        (3 * 2**20, "bytes", "3 MiB"),
        (1500.0, "reqps", "1.5k/s"),
        (2.5, "currencyUSD", "$2.5"),
        (float("nan"), "short", "no data"),
    ],
)
def test_values_are_shown_in_their_unit(value, unit, text):
    assert shown(value, unit) == text


@pytest.mark.parametrize(("high", "marks"), [(1.0, [0, 0.25, 0.5, 0.75, 1.0]), (7.0, [0, 2, 4, 6, 8]), (0.0, [0, 1])])
def test_axes_have_round_marks_that_reach_the_highest_value(high, marks):
    assert ticks(high) == pytest.approx(marks)


def test_a_scale_keeps_values_inside():
    scale = Scale(0.0, 10.0, 100.0, 0.0)
    assert [scale(value) for value in (-5, 0, 5, 10, 20)] == [100.0, 100.0, 50.0, 0.0, 0.0]


def test_long_names_are_cut_to_fit():
    assert fit("short", 200) == "short"
    assert fit("a" * 100, 60).endswith("…")


def test_stacked_series_lie_on_top_of_each_other():
    parts = timeseries(
        PANELS["Diagnosis"], answer(("a", ((0.0, 1.0), (10.0, 1.0))), ("b", ((0.0, 2.0), (10.0, 2.0)))), BOX
    )
    lines = [part for part in parts if part.startswith("<polyline") and 'stroke-width="1.6"' in part]
    heights = [float(line.split('points="')[1].split(" ")[0].split(",")[1]) for line in lines]
    bottom, top = BOX.h - 34, 4
    assert heights == pytest.approx([bottom - (bottom - top) * share for share in (1 / 4, 3 / 4)], abs=0.1)


def test_a_heatmap_shows_what_lies_between_two_bounds():
    cells = heatmap(PANELS["Faithfulness"], answer(("0.5", ((0.0, 3.0),)), ("+Inf", ((0.0, 3.0),))), BOX)
    assert sum(part.startswith("<rect") for part in cells) == 1


def test_a_state_is_one_bar_until_it_changes_or_is_unknown():
    states = tuple((float(at), 1.0 if at in (3, 4, 8) else 0.0) for at in range(10) if at != 6)
    bars = timeline(PANELS["Breakers"], answer(("rule", states)), BOX)
    assert sum(part.startswith("<rect") for part in bars) == 6


def test_text_from_outside_cannot_become_markup():
    picture = terminal("<b>", ["FIRING </text><script>alert(1)</script> & more"])
    assert "<script>" not in picture
    assert ElementTree.fromstring(picture) is not None  # noqa: S314  we drew it
