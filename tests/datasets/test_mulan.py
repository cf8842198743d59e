import pytest

from bncc.datasets import MalformedFile
from bncc.datasets.mulan import read_label_names, write_label_names, xml_beside

HEAD = '<?xml version="1.0" encoding="utf-8"?>\n'


def write(tmp_path, text):
    path = tmp_path / "a.xml"
    path.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
    return path


def test_names_in_order_nested_ones_too(tmp_path):
    text = HEAD + '<labels xmlns="x"><label name="b"><label name="a &amp; c"/></label></labels>'
    assert read_label_names(write(tmp_path, text)) == ["b", "a & c"]


def test_prefixed_tags_and_latin1_bytes_under_a_utf8_declaration(tmp_path):
    text = (HEAD + '<m:labels xmlns:m="x"><m:label name="señal"/></m:labels>').encode("latin-1")
    assert read_label_names(write(tmp_path, text)) == ["señal"]


@pytest.mark.parametrize(
    "declaration",
    [
        '<!DOCTYPE labels [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>',
        '<!DOCTYPE labels [<!ENTITY x SYSTEM "file:///etc/hostname">]>',
        '<!DOCTYPE labels SYSTEM "http://127.0.0.1/x.dtd">',
    ],
)
def test_document_types_and_entities_are_refused(tmp_path, declaration):
    path = write(tmp_path, HEAD + declaration + '\n<labels><label name="&b;"/></labels>')
    with pytest.raises(MalformedFile, match="line 2: document types and entities are not allowed"):
        read_label_names(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<labels>\n<label name='a'>\n</labels>", "line 3: this is no well-formed XML"),
        ("<labels><label name='&x;'/></labels>", "no well-formed XML"),
        ("<labels>\n<label/></labels>", "line 2: a label has no name"),
        ("<labels></labels>", "no label is listed"),
        ("", "no well-formed XML"),
    ],
)
def test_malformed(tmp_path, text, message):
    with pytest.raises(MalformedFile, match=message):
        read_label_names(write(tmp_path, text))


def test_names_come_back_as_they_were_written(tmp_path):
    names = ["a", "it's", '"q" & <b>', "señal"]
    with (tmp_path / "a.xml").open("w", encoding="utf-8") as out:
        write_label_names(names, out)
    assert read_label_names(tmp_path / "a.xml") == names


@pytest.mark.parametrize("name", ["a.arff", "a-train.arff", "a_TEST.arff.gz"])
def test_the_xml_file_of_a_part_is_that_of_the_whole(tmp_path, name):
    assert xml_beside(tmp_path / name) is None
    (tmp_path / "a.xml").write_text("")
    assert xml_beside(tmp_path / name) == tmp_path / "a.xml"
    assert xml_beside(tmp_path / "b.arff") is None
