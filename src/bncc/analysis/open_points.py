"""What a protocol says about the points that the paper leaves open."""

from __future__ import annotations

from collections.abc import Mapping

from bncc.analysis.rendered_table import Cell, Section, Table

__all__ = ["OPEN_POINTS", "settings_table"]

#: What the paper does not say, and the settings of a protocol that decide it.
OPEN_POINTS = (
    ("Metric that chooses sigma", ("selection.metric",)),
    ("Rows on which sigma is chosen", ("selection.mode", "selection.rows")),
    ("Grid of sigma", ("selection.sigma",)),
    ("Scaling of features", ("scaling.method", "scaling.fit")),
    ("Folds stratified by labels", ("folds.stratified",)),
    ("What 0/0 in an F-score counts", ("zero_division",)),
    ("Children that a label may have (n)", ("methods.BNCC.max_children",)),
    ("Order of a plain chain", ("methods.CC.order",)),
    ("Chains of ECC", ("methods.ECC.n_chains", "methods.ECC.on")),
    ("Groups of GCC", ("methods.GCC.n_groups",)),
)


def settings_table(protocol: Mapping[str, object]) -> Table:
    """The open points and what the protocol sets for each.

    The protocol is a mapping as TOML has it, or as a result store keeps it (methods as a list with `params`). A point
    that it does not mention is left to the defaults of the package.

    >>> print(settings_table({"zero_division": 0.0, "scaling": {"method": "range"}}).sections[0].rows[3][1].text)
    method = range
    """
    rows = []
    for question, keys in OPEN_POINTS:
        settings = [(key.split(".")[-1], _look_up(protocol, key.split("."))) for key in keys]
        known = [f"{name} = {_show(value)}" for name, value in settings if value is not None and value != {}]
        rows.append((Cell(question), Cell("; ".join(known) if known else "default of the package")))
    return Table("Settings that the paper leaves open", ("Left open", "Here"), (Section("", tuple(rows)),))


def _look_up(value: object, path: list[str]) -> object:
    """The value under a path of keys; a list of tables is searched by name, a method also in its `params`."""
    for key in path:
        if isinstance(value, list | tuple):
            value = next((item for item in value if isinstance(item, Mapping) and item.get("name") == key), None)
        elif isinstance(value, Mapping):
            params = value.get("params")
            value = value.get(key, params.get(key) if isinstance(params, Mapping) else None)
        if value is None:
            return None
    return value


def _show(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_show(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_show(item) for item in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
