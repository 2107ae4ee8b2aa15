import pytest

from alerts.lifecycle import Alert, Move, Phase, advance
from alerts.rules import Condition

B, C, U, F = Condition.BREACH, Condition.CLEAR, Condition.UNSURE, Condition.TOO_FEW


def play(conditions: str, for_s: float = 0.0, clear_s: float = 0.0) -> list[tuple[int, Move]]:
    """One condition a minute (b, c, u, f); returns the moves with their minutes."""
    names = {"b": B, "c": C, "u": U, "f": F}
    alert, moves = Alert(), []
    for minute, letter in enumerate(conditions):
        alert, move = advance(alert, names[letter], minute * 60.0, for_s=for_s, clear_s=clear_s)
        if move is not Move.NONE:
            moves.append((minute, move))
    return moves


@pytest.mark.parametrize(
    ("conditions", "for_s", "clear_s", "moves"),
    [
        ("cccc", 0, 0, []),
        ("cbbc", 0, 0, [(1, Move.RAISED), (3, Move.RESOLVED)]),
        ("bbbb", 120, 0, [(2, Move.RAISED)]),
        ("bbcbbb", 120, 0, [(5, Move.RAISED)]),
        ("bbubbb", 120, 0, [(5, Move.RAISED)]),
        ("bffff", 0, 0, [(0, Move.RAISED)]),
        ("buuuu", 0, 0, [(0, Move.RAISED)]),
        ("bccc", 0, 120, [(0, Move.RAISED), (3, Move.RESOLVED)]),
        ("bccbccc", 0, 120, [(0, Move.RAISED), (6, Move.RESOLVED)]),
        ("bcufccc", 0, 120, [(0, Move.RAISED), (6, Move.RESOLVED)]),
    ],
    ids=[
        "clear stays quiet",
        "a breach raises and a clear resolves",
        "for delays",
        "a clear restarts for",
        "doubt restarts for",
        "too few resolves nothing",
        "doubt resolves nothing",
        "clear_for delays",
        "a breach restarts clear_for",
        "doubt restarts clear_for",
    ],
)
def test_an_alert_moves_as_the_table_says(
    conditions: str, for_s: float, clear_s: float, moves: list[tuple[int, Move]]
) -> None:
    assert play(conditions, for_s, clear_s) == moves


def test_a_resolved_alert_can_be_raised_again() -> None:
    assert [move for _, move in play("bcbc")] == [Move.RAISED, Move.RESOLVED, Move.RAISED, Move.RESOLVED]


def test_an_alert_remembers_since_when_it_fires() -> None:
    alert, _ = advance(Alert(), B, 5.0, for_s=0.0, clear_s=0.0)
    assert (alert.phase, alert.since) == (Phase.FIRING, 5.0)
