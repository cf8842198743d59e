"""Families that were tried on the rows of a fold, kept for blends of other metrics on the same rows.

Most of what a blend does looks at no metric: forests, kernel ridge regression, and every method once its settings are
chosen. A study of several metrics does that once. Answers are the same, and seconds are told as if nothing was shared.
"""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager
from unittest import mock

from bncc.multilabel.blending.kernel_ridge_family import KernelRidgeFamily
from bncc.multilabel.blending.label_set_family import LabelSetFamily
from bncc.multilabel.blending.linked_family import LinkedFamily
from bncc.multilabel.blending.stacking import STACKED
from bncc.multilabel.blending.tree_family import TreeFamily


def _by_name(family, *_):
    return None if family.name == STACKED else family.name  # these learn from a blend, which is of a metric


def _by_settings(family, problem, settings, *_):
    return (family.name, *settings.items())


def _by_tried_settings(family, problem, tried, *_):
    return (family.name, "fitted", *tried.settings.items())


#: Methods of families, and what their answers depend on beside the rows and the seed; None where on more than that.
SHARED = (
    (TreeFamily, "try_out", _by_name),
    (LabelSetFamily, "try_out", _by_name),
    (KernelRidgeFamily, "try_out", _by_name),
    (LinkedFamily, "_answer", _by_settings),
    (LinkedFamily, "fit", _by_tried_settings),
)


class SharedTrials:
    """Answers of families on the rows of one fold; `saved` are the seconds that the last blend would have taken more.

    Only for blends without a time limit, which do the same whatever the clock says.
    """

    def __init__(self):
        self._of, self._kept, self.saved = None, {}, 0.0

    @contextmanager
    def on(self, fold):
        """Within, blends are fitted to the rows of this fold, with the same seed; the fold before is forgotten."""
        if fold != self._of:
            self._of, self._kept = fold, {}
        self.saved = 0.0
        with ExitStack() as stack:
            for kind, name, key_of in SHARED:
                stack.enter_context(mock.patch.object(kind, name, self._remembering(getattr(kind, name), key_of)))
            yield

    def _remembering(self, method, key_of):
        def remembered(family, *given):
            key = key_of(family, *given)
            if key in self._kept:
                answer, seconds = self._kept[key]
                self.saved += seconds
                return answer
            begin = time.perf_counter()
            answer = method(family, *given)
            if key is not None:
                self._kept[key] = answer, time.perf_counter() - begin
            return answer

        return remembered
