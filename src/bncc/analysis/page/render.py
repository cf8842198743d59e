"""From a summary to one HTML file that needs nothing else.

The page is a template, one style sheet, one script and two blocks of JSON: the summary, and how it is drawn (where its
labels lie, and what the script shares with Python). Names come from data and are not trusted: JSON is written without
``<``, ``>`` and ``&``, so that no name can end its block; the script puts text into the page as text, never as markup;
and the content security policy lets only the style sheet and the script of this very page run, by their hashes, and
nothing be loaded.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from dataclasses import asdict
from html import escape
from importlib.resources import files
from pathlib import Path

from bncc._atomic import written_whole
from bncc.analysis.page.drawing import draw_summary
from bncc.analysis.page.script import join_modules
from bncc.analysis.page.summary import Summary, from_json, to_json

__all__ = ["read_page", "render_page", "write_page"]

_ASSETS = files("bncc.analysis.page") / "assets"
_BLOCK = re.compile(r'<script type="application/json" id="summary">(.*?)</script>', re.DOTALL)


def render_page(summary: Summary) -> str:
    """The page as text.

    >>> render_page(Summary("Empty")).startswith("<!doctype html>")
    True
    """
    style = _asset("page.css")
    script = f"(() => {{\n{join_modules('main.js', _asset)}\n}})();"
    fill = {
        "title": escape(summary.title),
        "policy": _policy(style, script),
        "style": style,
        "script": script,
        "summary": _inert(to_json(summary)),
        "drawing": _inert(json.dumps(asdict(draw_summary(summary)), separators=(",", ":"))),
    }
    # One pass, so that a place holder within what is filled in stays text.
    return re.sub(r"\{\{(\w+)\}\}", lambda match: fill[match[1]], _asset("page.html"))


def write_page(summary: Summary, path: str | os.PathLike[str]) -> Path:
    """Write the page and return its path; a file of that name is replaced whole or not at all."""
    file = Path(path)
    text = render_page(summary).encode("utf-8", "replace")  # half a surrogate pair in a title has no UTF-8
    with written_whole(file) as draft:
        draft.write_bytes(text)
    return file


def read_page(path: str | os.PathLike[str]) -> Summary:
    """The summary that a page was drawn from, to draw it again or to compare."""
    block = _BLOCK.search(Path(path).read_text(encoding="utf-8"))
    if block is None:
        raise ValueError(f"{path} must be a page written by `write_page`; it holds no summary.")
    return from_json(block[1])


def _asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none'; "
        "form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _inert(text: str) -> str:
    """JSON that no HTML parser can take for markup."""
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
