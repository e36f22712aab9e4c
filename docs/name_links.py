"""A Sphinx extension that links inline code which is a public name to its page of the API.

`LDSEncoder`, `LDSEncoder(delays=5)`, `LDS.simulate`, `load_folder` and `ldslearn.geometry` are
links on every page, without any markup. Bare words in lower case (`train`, `save`) are not, since
they are also commands and parameters; `ldslearn.save` is a link. Scripts, such as
`examples/systems/imitate_a_video.py`, are links to their page of the gallery.
"""

import re

from docutils import nodes
from public_names import assign_pages
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

_NAME = re.compile(r"(?P<name>[A-Za-z_][\w.]*)(?P<call>\(.*\))?", re.S)
_EXAMPLE = re.compile(r"^examples/(.+)\.py$")
_APART = (nodes.reference, nodes.title, nodes.literal_block)  # no links within these


def find_places():
    """Return the full name of the page of every public name, by each way to write it."""
    places, bare = {}, {}
    for package, own, elsewhere in assign_pages():
        written = {name: f"{package.__name__}.{name}" for name in own} | elsewhere
        for name, place in written.items():
            for prefix in (package.__name__, package.__name__.removeprefix("ldslearn.")):
                places[f"{prefix}.{name}"] = place
            bare.setdefault(name, set()).add(place)
    unique = {name: found.pop() for name, found in bare.items() if len(found) == 1}
    return places | {name: place for name, place in unique.items() if not _is_a_word(name)}


def _is_a_word(name):
    """Whether a name may also be a command or a parameter."""
    return name.islower() and "_" not in name


def find_place(text, places, known):
    """Return the full name that inline code stands for, None if it is no public name.

    `known` holds the full names of everything that is documented, methods included.
    """
    match = _NAME.fullmatch(text)
    if match is None:
        return None
    name = match["name"]
    owner, _, member = name.rpartition(".")
    for place in (places.get(name), f"{places[owner]}.{member}" if owner in places else None):
        if place in known:
            return place
    return None


class NameLinks(SphinxPostTransform):
    """Wrap inline code that is a public name in a link."""

    default_priority = 200  # after references are resolved

    def run(self, **_):
        """Link the inline code of one page."""
        packages = {package.__name__: f"api/{package.__name__}" for package, _, _ in assign_pages()}
        known, places = self.env.domains["py"].objects, find_places()
        for node in list(self.document.findall(nodes.literal)):
            if _is_within(node, _APART):
                continue
            text = node.astext()
            if (page := _EXAMPLE.sub(r"gallery/\1", text)) in self.env.found_docs and page != text:
                self._link(node, page, "", text)
            elif text in packages and text != "ldslearn":
                self._link(node, packages[text], "", text)
            elif (place := find_place(text, places, known)) is not None:
                self._link(node, known[place].docname, known[place].node_id, place)

    def _link(self, node, page, anchor, title):
        if page != self.env.docname:
            link = make_refnode(self.app.builder, self.env.docname, page, anchor, [], title)
            node.replace_self(link)
            link += node


def _is_within(node, kinds):
    while node is not None:
        if isinstance(node, kinds):
            return True
        node = node.parent
    return False


def setup(app):
    """Link names on all pages."""
    app.add_post_transform(NameLinks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
