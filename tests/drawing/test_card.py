import pytest

from ldslearn.drawing.card import count_nouns, format_card, format_range, list_first

from support.markup import HOSTILE, read_card


def test_a_card_is_escaped():
    card = read_card(format_card(HOSTILE, [(HOSTILE, HOSTILE), ("empty", "")], "", HOSTILE))
    assert card.texts == [
        ("div", HOSTILE), ("th", HOSTILE), ("td", HOSTILE), ("figcaption", HOSTILE)
    ]  # fmt: skip


def test_long_values_are_shortened():
    card = read_card(format_card("a" * 10**6, [("name", "b" * 10**6)]))
    assert len(card.title) == 300
    assert card.rows["name"] == "b" * 150 + "…" + "b" * 149


def test_bytes_that_are_no_text_can_be_stored():
    assert read_card(format_card("a\udcff.csv", [])).title == "a?.csv"


def test_the_style_stays_within_the_card():
    style = format_card("", []).split("<style>")[1].split("</style>")[0]
    selectors = [part.split("{")[0] for part in style.split("}") if part]
    assert len(selectors) > 10
    for selector in selectors:
        assert all(one.startswith(".ldslearn-card") for one in selector.split(","))


@pytest.mark.parametrize(
    ("n", "text"),
    [(0, ""), (2, "0, 1"), (3, "0, 1, 2"), (10_000, "0, 1, 2 and 9,997 more")],
)
def test_lists(n, text):
    assert list_first(range(n), 3) == text


def test_words_of_numbers():
    assert count_nouns(1, "class", "classes") == "1 class"
    assert count_nouns(2000, "class", "classes") == "2,000 classes"
    assert count_nouns(0, "system") == "0 systems"
    assert format_range(3, 3) == "3"
    assert format_range(0.25, 8) == "0.25 to 8"
    assert list_first(["x" * 100]) == "x" * 20 + "…" + "x" * 19
