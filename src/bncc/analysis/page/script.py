"""The page's script: its modules, joined into one text that needs no loading.

A page is a single file that may be opened from a disk, where browsers load no modules. So each module becomes a
function that is called once and returns what it exports, after the modules that it imports from. Two forms are known,
each on lines of its own: ``import { a, b } from "./file.js";`` and ``export`` before a ``const`` or a ``function``.
"""

from __future__ import annotations

import re
from collections.abc import Callable

__all__ = ["join_modules"]

_IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./([\w-]+\.js)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|function) (\w+))", re.MULTILINE)
_OTHER = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)


def join_modules(entry: str, read: Callable[[str], str]) -> str:
    """One script from a module and all that it imports from, however far; `read` gives the text of a file.

    >>> files = {"main.js": 'import { one } from "./one.js";\\nalert(one);\\n', "one.js": "export const one = 1;\\n"}
    >>> print(join_modules("main.js", files.__getitem__))
    "use strict";
    const modules = {};
    modules["one.js"] = (() => {
    const one = 1;
    return { one };
    })();
    modules["main.js"] = (() => {
    const { one } = modules["one.js"];
    alert(one);
    return {  };
    })();
    """
    joined: dict[str, str] = {}
    _join(entry, read, joined, {}, ())
    return '"use strict";\nconst modules = {};\n' + "\n".join(joined.values())


def _join(
    name: str,
    read: Callable[[str], str],
    joined: dict[str, str],
    exported: dict[str, list[str]],
    importers: tuple[str, ...],
) -> None:
    """Add a module to those that are joined, after all that it imports from, and what it exports to those names."""
    if name in importers:
        raise ValueError(f"Modules must not import each other in a circle; got {' -> '.join((*importers, name))}.")
    if name in joined:
        return
    text = read(name)
    for names, needed in _IMPORT.findall(text):
        _join(needed, read, joined, exported, (*importers, name))
        unknown = sorted(set(re.findall(r"\w+", names)) - set(exported[needed]))
        if unknown:
            raise ValueError(f"{name} must import what {needed} exports; got {', '.join(unknown)}.")
    exported[name] = _EXPORT.findall(text)
    body = _EXPORT.sub("", _IMPORT.sub(r'const \1 = modules["\2"];', text))
    if other := _OTHER.search(body):
        raise ValueError(f"{name} must import and export names only, as `join_modules` says; got {other[0]!r}.")
    exports = ", ".join(exported[name])
    joined[name] = f'modules["{name}"] = (() => {{\n{body.strip()}\nreturn {{ {exports} }};\n}})();'
