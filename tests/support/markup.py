"""Checks of the HTML that notebooks show."""

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

HOSTILE = "<script>alert(\"x\")</script> & 'quotes' <img src=x onerror=alert(1)>"
LARGEST = 15_000  # bytes
_VOID = {"br", "hr", "img", "meta"}
_ALLOWED = {
    "div", "style", "table", "tbody", "tr", "th", "td", "figure", "figcaption",
    "svg", "g", "path", "circle", "rect", "text", "title",
}  # fmt: skip


class Card(HTMLParser):
    """The parts of a card: cells by name, all texts, and the drawing."""

    def __init__(self, text):
        super().__init__()
        self.text, self.open, self.tags, self.texts, self.attributes = text, [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1] != "style":
            self.texts.append((self.open[-1], data))

    def find_texts(self, tag):
        return [text for name, text in self.texts if name == tag]

    @property
    def rows(self):
        pattern = r"<tr><th>(.*?)</th><td>(.*?)</td></tr>"
        return dict(re.findall(pattern, self.text))

    @property
    def title(self):
        return re.search(r'<div class="head">(.*?)</div>', self.text)[1]

    @property
    def svg(self):
        found = re.search(r"<svg.*</svg>", self.text, re.S)
        return None if found is None else ElementTree.fromstring(found[0])


def read_card(value):
    """Return the card of a value; fail unless it is well-formed, small, safe and self-contained."""
    text = value if isinstance(value, str) else value._repr_html_()
    assert len(text.encode()) < LARGEST
    card = Card(text)
    assert not card.open, "tags that are not closed"
    assert set(card.tags) <= _ALLOWED
    names = {name for name, _ in card.attributes}
    assert not names & {"href", "src", "xlink:href"}
    assert not any(name.startswith("on") for name in names)
    assert "url(" not in text
    assert "http" not in text
    assert "@import" not in text
    _ = card.svg  # well-formed XML
    return card
