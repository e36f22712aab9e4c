import re
from base64 import b64encode
from hashlib import sha256

import matplotlib.image
import numpy as np

from ldslearn.report.images import format_film
from ldslearn.report.line_charts import Series, draw_lines
from ldslearn.report.page import (
    Section,
    format_details,
    format_figure,
    format_grid,
    format_paragraph,
    render_page,
)

LINES = draw_lines([Series("first", [1, 2], [3, 4]), Series("second", [1, 2], [5, 2])], "x", "y")
# A reader points at a mark, moves on by a key, hides the second series, and moves past it to
# the first mark.
READER = """
  const marks = document.querySelectorAll('.series .mark'), tip = document.querySelector('.tip');
  const seen = [document.querySelectorAll('svg title').length];
  marks[0].dispatchEvent(new PointerEvent('pointerover', { bubbles: true }));
  seen.push(tip.hidden, tip.textContent);
  marks[0].focus();
  marks[0].dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
  seen.push(tip.textContent, document.activeElement === marks[1]);
  const key = document.querySelectorAll('.key')[1];
  key.dispatchEvent(new MouseEvent('click', { bubbles: true }));
  const series = document.querySelectorAll('.series');
  seen.push(key.getAttribute('aria-pressed'), series[0].classList.contains('off'),
    series[1].classList.contains('off'));
  marks[1].dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
  seen.push(document.activeElement === marks[0]);
  seen.push(document.documentElement.scrollWidth <= innerWidth);
  document.body.dataset.seen = seen.join('|');
"""


def test_the_policy_admits_only_the_script_of_the_page():
    text = render_page("t", [])
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    own = b64encode(sha256(script.encode()).digest()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text).group(1)
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules == {
        "default-src": "'none'",
        "style-src": "'unsafe-inline'",
        "img-src": "data:",
        "script-src": f"'sha256-{own}'",
    }


def test_contents_when_there_are_many_sections():
    few = [Section(f"part {k}") for k in range(4)]
    assert "<nav" not in render_page("t", few)
    text = render_page("t", ["<p>before</p>", *few, Section("Part 1"), Section("<b>")])
    links = re.findall(r'<a href="#([^"]*)">', text)
    anchors = re.findall(r'<section id="([^"]*)">', text)
    assert links == anchors == ["part-0", "part-1", "part-2", "part-3", "part-1-2", "b"]
    assert "<b>" not in text


def test_parts():
    assert format_details("a < b", format_paragraph("c")) == (
        "<details><summary>a &lt; b</summary><p>c</p></details>"
    )
    assert format_grid("<i></i>", "<b></b>", least=9).count("--least:9rem") == 1
    assert "figcaption" not in format_figure("<svg></svg>", "")


def test_tooltips_and_legends_react(browse):
    text = render_page("t", [format_figure(LINES, "")])
    (hash_,) = re.findall(r"'(sha256-[^']+)'", text)
    more = b64encode(sha256(READER.encode()).digest()).decode()
    text = text.replace(f"'{hash_}'", f"'{hash_}' 'sha256-{more}'")
    text = text.replace("</body>", f"<script>{READER}</script></body>")
    done = browse(text, "--dump-dom")
    seen = re.search(r'data-seen="([^"]*)"', done.stdout).group(1).split("|")
    assert seen == [
        "0", "false", "first; x 1: 3", "first; x 2: 4", "true", "false", "false", "true",
        "true", "true",
    ]  # fmt: skip
    assert "CONSOLE" not in done.stderr


def test_another_script_does_not_run(browse):
    text = render_page("t", []).replace("</body>", "<script>document.title = 'run'</script></body>")
    done = browse(text, "--dump-dom")
    assert "<title>t</title>" in done.stdout
    assert "Content Security Policy" in done.stderr


def test_a_film_shows_its_frames_in_turn(browse, tmp_path):
    # Twelve greys: at any time the window shows exactly one of them.
    greys = (20 * np.arange(1, 13)).astype(np.uint8)
    frames = np.broadcast_to(greys[:, None, None], (12, 8, 8))
    seen = set()
    for delay in (0.0, 0.25, 0.5, 0.95):
        text = render_page("t", [format_film(frames, "", rate=12, side=80)])
        text = text.replace(
            "animation-duration:1s",
            f"animation-duration:1s;animation-delay:-{delay}s;animation-play-state:paused",
        )
        picture = tmp_path / "shot.png"
        browse(text, f"--screenshot={picture}", "--window-size=600,400", "--hide-scrollbars")
        pixels = np.rint(255 * matplotlib.image.imread(picture)[..., 0]).astype(int)
        inside = pixels[np.isin(pixels, greys)]
        value, count = max(((v, (inside == v).sum()) for v in set(inside)), key=lambda p: p[1])
        assert count > 0.95 * 80 * 80
        seen.add(int(value))
    assert seen == {20, 20 * 4, 20 * 7, 20 * 12}
