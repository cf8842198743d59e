"""Model files of earlier formats: types that have moved since are looked for where they are now."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

__all__ = ["MOVED", "with_present_names"]

_SCHEMA = "schema.json"

#: (module, class) that a file of format 1 names, and where the class is now.
MOVED = {
    ("bncc.multilabel.conditional", "LinkCalibration"): ("bncc.multilabel.crossval", "Calibration"),
    ("bncc.multilabel.solve", "Constant"): ("bncc.multilabel.clones", "Constant"),
    ("bncc.multilabel.solve", "FittedLinks"): ("bncc.multilabel.clones", "FittedLinks"),
    ("bncc.structure.search", "Step"): ("bncc.structure.parent_search", "Step"),
    ("bncc.svm.search", "KernelSearchCV"): ("bncc.selection.search", "BatchSearchCV"),
}


def with_present_names(content: bytes) -> bytes:
    """The same archive, with the present names of types that have moved; nothing in it is looked at but its schema."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        schema = json.loads(archive.read(_SCHEMA))
        if not _rename(schema):
            return content
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", compression=zipfile.ZIP_DEFLATED) as renamed:
            for member in archive.infolist():
                text = json.dumps(schema) if member.filename == _SCHEMA else archive.read(member)
                renamed.writestr(member.filename, text)
    return out.getvalue()


def _rename(schema: Any) -> bool:
    """Rename in place, and say whether anything was."""
    changed, stack = False, [schema]
    while stack:
        node = stack.pop()
        if isinstance(node, list):
            stack += node
        elif isinstance(node, dict):
            stack += node.values()
            names = (node.get("__module__"), node.get("__class__"))
            if all(isinstance(name, str) for name in names) and names in MOVED:
                node["__module__"], node["__class__"] = MOVED[names]
                changed = True
    return changed
