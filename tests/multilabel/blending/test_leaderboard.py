from bncc.multilabel import Leaderboard
from bncc.multilabel.blending.leaderboard import LeaderboardRow


def test_the_table_says_that_scores_are_selection_scores():
    rows = (
        LeaderboardRow("linear", "C 1", 0.5, 1.25, 1.0),
        LeaderboardRow("boosted trees", "", None, 2.0, 0.0, "late"),
    )
    board = Leaderboard("macro_f1", rows)
    assert list(board) == list(rows)
    assert len(board) == 2
    text = str(board)
    assert "selection scores" in text
    assert "late" in text
    assert "0.5000" in text
