"""The site: `make docs` builds it, and every warning is an error."""

import importlib
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.domains.python import PyXRefRole

import bncc

project = "bncc"
author = "the bncc developers"
copyright = author
version = release = bncc.__version__

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.viewcode"]

myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3

# References of ours must resolve; those to other packages would need their sites.
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(?!bncc\.).*")]

autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "none"
autodoc_preserve_defaults = True
autosummary_generate = False
numpydoc_show_class_members = False
toc_object_entries_show_parents = "hide"
add_module_names = False

html_theme = "furo"
html_math_renderer = "mathml"
html_title = f"bncc {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False

# Single backticks of docstrings: a link where they name something public, code where they name anything else.
default_role = "public"
ROOMS = sorted(
    path.parent.name for path in Path(bncc.__file__).parent.glob("*/__init__.py") if path.parent.name != "cli"
)
PUBLIC = {name: f"bncc.{room}" for room in ROOMS for name in importlib.import_module(f"bncc.{room}").__all__}


class PublicRole(PyXRefRole):
    """A reference to a public name of any room, or plain code."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Resolve names by the list of public ones alone: attributes of the same name are many."""
        room = PUBLIC.get(self.text.split(".")[0])
        if room is None:
            return [nodes.literal(self.rawtext, self.text)], []
        self.name, self.refdomain, self.reftype = "py:obj", "py", "obj"
        self.title, self.target, self.has_explicit_title = self.text, f"{room}.{self.text}", True
        self.disabled, self.classes = False, ["xref", "py", "py-obj"]
        return self.create_xref_node()


def skip_foreign(app: Sphinx, what: str, name: str, member: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what estimators inherit from scikit-learn."""
    foreign = str(getattr(member, "__module__", "")).startswith("sklearn.")
    return True if foreign or name == "set_output" else None


def head_examples(app: Sphinx, what: str, name: str, member: Any, options: Any, lines: list[str]) -> None:
    """Give an example that follows the parameters a section of its own; without one it reads as another parameter."""
    first = next((place for place, line in enumerate(lines) if line.startswith(">>> ")), None)
    if first is not None:
        sections = [lines[place - 1] for place, line in enumerate(lines[:first]) if line.startswith("---")]
        if sections and sections[-1] != "Examples":
            lines[first:first] = ["Examples", "--------"]


def show_math(writer: Any, node: nodes.Element) -> None:
    """Formulas as MathML, which browsers show without a script from elsewhere."""
    block = isinstance(node, nodes.math_block)
    writer.body.append(tex2mathml(node.astext(), as_block=block))
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Connect what is above."""
    app.add_html_math_renderer("mathml", (show_math, None), (show_math, None))
    app.add_role("public", PublicRole())
    app.connect("autodoc-skip-member", skip_foreign)
    app.connect("autodoc-process-docstring", head_examples, priority=100)  # before numpydoc
