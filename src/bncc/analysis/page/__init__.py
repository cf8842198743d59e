"""One self-contained HTML page from a frozen summary of labels, network and results."""

from bncc.analysis.page.labels import summarise_labels
from bncc.analysis.page.quality import summarise_quality_part
from bncc.analysis.page.render import read_page, render_page, write_page
from bncc.analysis.page.results import summarise_results
from bncc.analysis.page.summary import Summary, from_json, join_summaries, to_json

__all__ = [
    "Summary",
    "from_json",
    "join_summaries",
    "read_page",
    "render_page",
    "summarise_labels",
    "summarise_quality_part",
    "summarise_results",
    "to_json",
    "write_page",
]
