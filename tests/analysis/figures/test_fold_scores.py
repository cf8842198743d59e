from dataclasses import replace

import numpy as np
import pytest

from bncc.analysis.figures import fold_figure, save_figure
from bncc.experiment import WHOLE
from made_records import make_records


@pytest.mark.parametrize("n_methods", [1, 6, 18])
def test_a_box_per_method(n_methods, tmp_path):
    records = make_records(methods=[f"method {j}" for j in range(n_methods)])
    figure = fold_figure(records, "yeast")
    assert [axes.get_title() for axes in figure.axes] == ["HammingLoss", "Fscore", "MacF", "MicF"]
    assert len(figure.axes[0].patches) == n_methods
    save_figure(figure, tmp_path / "a.png")


def test_boxes_span_the_quartiles_of_the_folds():
    records = make_records(n_folds=10)
    pooled = [replace(record, fold=WHOLE, scores={"macro_f1": 9.0}) for record in records if record.fold == 0]
    box = fold_figure([*records, *pooled], "yeast", metrics=["MacF"]).axes[0].patches[0]
    values = [r.scores["macro_f1"] for r in records if (r.dataset, r.method) == ("yeast", "BR")]
    low, high = np.percentile(values, [25, 75])
    assert (box.get_x(), box.get_x() + box.get_width()) == pytest.approx((low, high))


def test_a_data_set_without_records_is_refused():
    with pytest.raises(ValueError, match="No record of 'nowhere'"):
        fold_figure(make_records(), "nowhere")
