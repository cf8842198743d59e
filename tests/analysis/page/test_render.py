import re

import pytest

from bncc.analysis.page import Summary, read_page, render_page, write_page
from page_examples import HOSTILE, hostile_summary, small_summary


def test_a_page_can_be_drawn_again_from_itself(tmp_path):
    summary = small_summary(60)
    path = write_page(summary, tmp_path / "page.html")
    assert read_page(path) == summary
    assert render_page(read_page(path)) == path.read_text(encoding="utf-8")


def test_hostile_names_stay_data(tmp_path):
    text = render_page(hostile_summary())
    assert len(re.findall(r"<script", text, re.IGNORECASE)) == 3
    assert len(re.findall(r"</script", text, re.IGNORECASE)) == 3
    assert "<img" not in text
    assert 'onerror="document' not in text
    blocks = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', text, re.DOTALL)
    assert len(blocks) == 2
    assert not any(set("<>&") & set(block) for block in blocks)
    assert read_page(write_page(hostile_summary(), tmp_path / "p.html")).network.label_names == HOSTILE


def test_place_holders_in_names_are_not_filled():
    assert render_page(Summary("{{script}} {{nothing}}")).count("<title>{{script}} {{nothing}}</title>") == 1


def test_half_a_surrogate_pair_in_the_title_can_be_written(tmp_path):
    assert write_page(Summary("\ud800"), tmp_path / "p.html").read_bytes().count(b"<title>?</title>") == 1


def test_the_policy_forbids_everything_but_the_page_itself():
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', render_page(Summary("A")))[1]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy


def test_the_page_names_no_address():
    addresses = set(re.findall(r"https?://[^\s\"'<>)]+", render_page(small_summary(60))))
    assert addresses == {"http://www.w3.org/2000/svg"}  # the name of a vocabulary, never fetched


def test_a_page_is_replaced_whole_or_not_at_all(tmp_path, monkeypatch):
    path = write_page(Summary("First"), tmp_path / "page.html")
    before = path.read_text(encoding="utf-8")

    def interrupted(self, target):
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_page(Summary("Second"), path)
    assert path.read_text(encoding="utf-8") == before
    assert list(tmp_path.iterdir()) == [path]


def test_other_files_are_no_pages(tmp_path):
    (tmp_path / "other.html").write_text("<p>Hello</p>")
    with pytest.raises(ValueError, match="holds no summary"):
        read_page(tmp_path / "other.html")
