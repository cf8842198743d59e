"""Write the models of a release, once, so that later ones can be tested against them: ``python write.py``."""

import json
from pathlib import Path

from sklearn.linear_model import LogisticRegression

import bncc
from bncc.datasets import make_scenes
from bncc.multilabel import BNCC, recommended_kernels, save_model

DATA = make_scenes(60)
MODELS = {
    "bncc-kernel": BNCC(),
    "bncc-logistic": BNCC(LogisticRegression()),
    "recommended": recommended_kernels(n_chains=2, sigma=(1.0, 2.0), C=(1.0,), random_state=0),
}

if __name__ == "__main__":
    release = ".".join(bncc.__version__.split(".")[:2])
    X = DATA.X[:20].round(3)
    for name, model in MODELS.items():
        model.fit(DATA.X, DATA.Y_frame)
        file = save_model(model, Path(__file__).with_name(f"{release}-{name}.skops"))
        answers = {
            "bncc": bncc.__version__,
            "X": X.tolist(),
            "predict": model.predict(X).tolist(),
            "decision_function": model.decision_function(X).tolist(),
        }
        file.with_suffix(".json").write_text(json.dumps(answers))
