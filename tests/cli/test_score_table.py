from bncc.analysis.leads import Lead
from bncc.cli.output import Voice
from bncc.cli.score_table import lead_result, show_comparison, show_lead
from bncc.evaluation import Record


def test_the_best_of_each_metric_is_bold(monkeypatch):
    tables = []
    monkeypatch.setattr(Voice, "rows", lambda self, *parts: tables.append(parts))
    scores = {"br": (0.30, 0.6), "cc": (0.20, 0.7)}
    records = [
        Record("d", method, 0, fold, {"hamming_loss": loss, "micro_f1": f1}, train_seconds=1.5)
        for method, (loss, f1) in scores.items()
        for fold in range(2)
    ]
    show_comparison(Voice(), records, "Compared")
    ((title, headings, rows, caption),) = tables
    assert (title, headings) == ("Compared", ["method", "hamming_loss↓", "micro_f1↑", "s"])
    assert [[str(cell.style) for cell in row[1:3]] for row in rows] == [["", ""], ["bold", "bold"]]
    assert [str(rows[0][1]), rows[0][3]] == ["0.3000±0.000", "1.50"]
    assert caption.startswith("mean ± standard deviation over folds")


def test_the_lead_is_told_with_its_interval(capsys):
    lead = Lead("d", "micro_f1", "cc", "br", 0.1, -0.02, 0.22, 0.95, 1, 5)
    show_lead(Voice(), lead)
    show_lead(Voice(), None)
    said = " ".join(capsys.readouterr().out.split())
    assert said == (
        "cc leads br by 0.1000 micro_f1, between -0.0200 and +0.2200 (95 %, over 5 folds, 1 rival): they may be alike."
    )
    assert lead_result(lead)["is_sure"] is False
    assert lead_result(None) is None
