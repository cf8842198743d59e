import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline

pd = pytest.importorskip("pandas")

from bncc import BNCC, BinaryRelevance, TableFeatures, load_model, save_model  # noqa: E402
from bncc.multilabel.category_columns import category_levels, takes_categories, with_codes  # noqa: E402

RANDOM = np.random.default_rng(0)
LEVELS = np.array([f"level{i}" for i in RANDOM.permutation(24)])
CODES = RANDOM.integers(0, 24, 600)
FRAME = pd.DataFrame({"noise": RANDOM.normal(size=600), "where": pd.Categorical(LEVELS[CODES])})
# What a label depends on is no interval of the codes: a tree that takes them for numbers needs many cuts.
Y = np.column_stack([CODES % 2, (CODES % 3 == 0)]).astype(int)
BOOSTING = HistGradientBoostingClassifier(max_iter=3, max_leaf_nodes=3, random_state=0)


@pytest.mark.parametrize("kind", [BinaryRelevance, BNCC])
def test_categories_reach_histogram_boosting(kind):
    model = kind(BOOSTING).fit(FRAME, Y)
    assert model.estimators_[0].is_categorical_[:2].tolist() == [False, True]
    assert (model.predict(FRAME) == Y).mean() > 0.95
    as_numbers = kind(BOOSTING).fit(with_codes(FRAME, category_levels(FRAME)), Y)
    assert (as_numbers.predict(FRAME.assign(where=FRAME["where"].cat.codes)) == Y).mean() < 0.9


def test_levels_are_known_by_name():
    model = BinaryRelevance(BOOSTING).fit(FRAME, Y)
    other = FRAME.assign(where=pd.Categorical(FRAME["where"].astype(str), categories=sorted(LEVELS, reverse=True)))
    assert np.array_equal(model.predict(other), model.predict(FRAME))
    odd = FRAME[:2].assign(where=pd.Categorical(["never seen", None]))
    assert model.predict(odd).shape == (2, 2)


def test_a_table_goes_all_the_way():
    table = {"where": LEVELS[CODES].tolist(), "noise": FRAME["noise"].tolist()}
    features = TableFeatures(keep_categories=True, gaps="keep")
    model = make_pipeline(features, BinaryRelevance(BOOSTING)).fit(table, Y)
    assert model[-1].estimators_[0].is_categorical_.any()
    assert (model.predict(table) == Y).mean() > 0.95


def test_other_bases_take_numbers_alone():
    assert not takes_categories(RandomForestClassifier())
    assert not takes_categories(HistGradientBoostingClassifier(categorical_features=None))
    assert not takes_categories(None)
    with pytest.raises(ValueError, match=r"make_pipeline\(TableFeatures\(\), BinaryRelevance\(\.\.\.\)\)"):
        BinaryRelevance(RandomForestClassifier(5)).fit(FRAME, Y)


def boosted(package):
    """A small model of another package; skipped where that is not installed."""
    module = pytest.importorskip(package, reason=f"{package} is not installed")
    if package == "lightgbm":
        return module.LGBMClassifier(n_estimators=5, num_leaves=3, verbose=-1, min_child_samples=5, n_jobs=1)
    options = {"verbose": False, "random_seed": 0, "allow_writing_files": False, "thread_count": 1}
    return module.CatBoostClassifier(iterations=10, depth=3, **options)


@pytest.mark.parametrize("kind", [BinaryRelevance, BNCC])
@pytest.mark.parametrize("package", ["lightgbm", "catboost"])
def test_categories_reach_boosting_of_other_packages(package, kind, tmp_path):
    base = boosted(package)
    model = kind(base).fit(FRAME, Y)
    assert (model.predict(FRAME) == Y).mean() > 0.9
    fitted = model.estimators_[0].estimator_
    used = (
        fitted.get_cat_feature_indices() == [1] if package == "catboost" else "==" in str(fitted.booster_.dump_model())
    )
    assert used
    odd = FRAME[:3].assign(where=pd.Categorical(["never seen", None, LEVELS[0]]), noise=[np.nan, 0.0, 1.0])
    assert model.predict(odd).shape == (3, 2)
    save_model(model, tmp_path / "boosted.bncc", trusted=[package])
    again = load_model(tmp_path / "boosted.bncc", trusted=[package])
    assert np.array_equal(again.predict_proba(odd), model.predict_proba(odd))
    with pytest.raises(ValueError, match=package):
        load_model(tmp_path / "boosted.bncc")


@pytest.mark.parametrize("package", ["lightgbm", "catboost"])
def test_a_table_goes_all_the_way_to_boosting_of_other_packages(package):
    table = {"where": LEVELS[CODES].tolist(), "noise": [None, *FRAME["noise"].tolist()[1:]]}
    features = TableFeatures(keep_categories=True, gaps="keep")
    model = make_pipeline(features, BinaryRelevance(boosted(package))).fit(table, Y)
    assert (model.predict(table) == Y).mean() > 0.9
