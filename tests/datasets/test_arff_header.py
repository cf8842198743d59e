import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.datasets import MalformedFile
from bncc.datasets.arff_header import parse_header, quote, split_at_data


def one(line):
    return parse_header(line, "a.arff").columns[0]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("@attribute plain numeric", "plain"),
        ("@ATTRIBUTE plain REAL", "plain"),
        ("  @attribute\tplain\tinteger  ", "plain"),
        ("@attribute 'a b' numeric", "a b"),
        ('@attribute "a b" numeric', "a b"),
        (r"@attribute 'it\'s' numeric", "it's"),
        (r'@attribute "say \"x\"" numeric', 'say "x"'),
        (r"@attribute 'back\\slash' numeric", "back\\slash"),
        (r"@attribute 'tab\there' numeric", "tab\there"),
        (r"@attribute TAG_m\'usica {0,1}", r"TAG_m\'usica"),
        ("@attribute don't numeric", "don't"),
        ("@attribute 50% numeric", "50%"),
        ("@attribute 'a,{b}%' {0,1}", "a,{b}%"),
        ("@attribute tight{0,1}", "tight"),
        ("@attribute 'tight q'{0,1}", "tight q"),
        ("@attribute - {0,1}", "-"),
        ("@attribute '' numeric", ""),
    ],
)
def test_names(line, name):
    assert one(line).name == name


@pytest.mark.parametrize(
    ("kind", "categories"),
    [
        ("{0,1}", ("0", "1")),
        ("{ 0 , 1 }", ("0", "1")),
        ("{YES, NO} % answer", ("YES", "NO")),
        ("{'a b', \"c,d\", e}", ("a b", "c,d", "e")),
        (r"{'it\'s', '}'}", ("it's", "}")),
        ("{New York, Rome}", ("New York", "Rome")),
        ("{O'Neill, b}", ("O'Neill", "b")),
        ("{'', a}", ("", "a")),
        ("numeric", None),
        ("real [0, 1]", None),
    ],
)
def test_types(kind, categories):
    assert one(f"@attribute x {kind}").categories == categories


def test_text_types():
    assert one("@attribute x string").is_text
    assert one('@attribute x date "yyyy-MM-dd"').is_text


@pytest.mark.parametrize(
    ("relation", "count"),
    [
        ("'PlantGO: -C -12'", -12),
        ("'a: -C 6 -split-percentage 67'", 6),
        ('"a: -C 6"', 6),
        ("'a: -S 1 -C 6'", 6),
        ("a-C 6", None),
        ("'a'", None),
    ],
)
def test_meka_count(relation, count):
    assert parse_header(f"@relation {relation}\n@attribute a numeric", "a.arff").meka_count == count


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("@relation r\nnonsense", "line 2: expected @relation, @attribute or @data"),
        ("@attribute a", r"line 1: expected '@attribute name type'"),
        ("@attribute 'a numeric", "line 1.*Close the quotes"),
        ("@attribute a wrong", "unknown type 'wrong'"),
        ("@attribute a relational", "unknown type"),
        ("@attribute a {0,1", "not closed"),
        ("@attribute a {'0,1}", "not closed"),
        ("@attribute a {0,1} x", "text after the list"),
        ("@attribute a {0,0}", "empty or repeated"),
        ("@attribute a {}", "empty or repeated"),
        ("@attribute a {0,,1}", "empty or repeated"),
        ("% c\n@attribute a numeric\n\n@attribute a real", "line 4: attribute 'a' is declared twice .first on line 2"),
        ("@relation r", "no attribute is declared"),
        ("@foo bar", "line 1: expected @relation"),
    ],
)
def test_malformed(text, message):
    with pytest.raises(MalformedFile, match=message):
        parse_header(text, "a.arff")


def test_data_line_in_any_case_with_comment():
    header, body, line = split_at_data(b"@attribute a numeric\n @DATA % now\n1\n", "a")
    assert (header, body, line) == ("@attribute a numeric\n", b"1", 3)
    assert split_at_data(b"% @data\n@data", "a") == ("% @data\n", b"", 3)
    with pytest.raises(MalformedFile, match="no '@data' line"):
        split_at_data(b"@attribute a numeric\n", "a")


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=12))
def test_quoted_names_and_values_come_back(name):
    column = one(f"@attribute {quote(name)} {{{quote(name)},{quote(name + 'x')}}}")
    assert column.name == name
    assert column.categories == (name, name + "x")


def test_long_hostile_lines_take_linear_time():
    for line in (
        "@attribute a {" + " " * 10**6,
        "@attribute " + "'" + "\\" * 10**6,
        "@attribute a {" + "'a'" * 10**5,
        "@" + "a" * 10**6,
    ):
        with pytest.raises(MalformedFile):
            parse_header(line, "a.arff")
