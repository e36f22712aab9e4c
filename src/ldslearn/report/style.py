"""The style sheet of pages: light and dark, laptop and phone, print."""

from ldslearn.drawing.marks import COLOURS

# The same hues, lighter, for dark pages.
_LIGHT = ("#4ba3e3", "#f0b429", "#2fc49a", "#e39cc4", "#f0793a", "#9ad6f8", "#bdbd55", "#b0b0b0")


def _set_colours(values: tuple[str, ...]) -> str:
    return " ".join(f"--c{number}: {value};" for number, value in enumerate(values))


STYLE = (
    f"""
:root {{ color-scheme: light dark; --back: #fcfcfb; --text: #1d1d1f; --faint: #62626a;
  --line: #d9d9dd; --panel: #f3f3f1; --mark: #1f5fa8; --warn: #b3261e; {_set_colours(COLOURS)} }}
@media (prefers-color-scheme: dark) {{ :root {{ --back: #17181a; --text: #e8e8ea; --faint: #a0a0a8;
  --line: #3a3b40; --panel: #212226; --mark: #6ea8ec; --warn: #ff8a80; {_set_colours(_LIGHT)} }} }}
"""
    + """
* { box-sizing: border-box; }
html { scroll-behavior: smooth; -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 66rem; padding: 1rem 1.2rem 3rem; background: var(--back);
  color: var(--text); font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 1.2rem 0 .4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.6rem 0 .5rem; padding-top: .5rem;
  border-top: 1px solid var(--line); overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
p { max-width: 46rem; overflow-wrap: anywhere; } p.lead { font-size: 1.1rem; }
a { color: var(--mark); } .faint { color: var(--faint); font-size: .9rem; }
.big { font-size: 2.8rem; line-height: 1.1; font-weight: 650; color: var(--mark); }
.measures { display: flex; flex-wrap: wrap; gap: .2rem 2.4rem; margin: .8rem 0; }
.measures div { display: flex; flex-direction: column; color: var(--faint); }
.measures div + div .big { color: var(--text); }
nav { display: flex; flex-wrap: wrap; gap: .4rem; margin: 1rem 0; font-size: .9rem; }
nav a { padding: .15rem .7rem; border: 1px solid var(--line); border-radius: 1rem;
  text-decoration: none; } nav a:hover { background: var(--panel); }
.wide { overflow-x: auto; } svg { max-width: 100%; height: auto; display: block; }
svg.fill { width: 100%; max-width: none; } .grid figure svg { width: 100%; }
table { border-collapse: collapse; margin: .5rem 0; font-size: .92rem;
  font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid var(--line); text-align: right;
  vertical-align: top; }
th:first-child, td:first-child, .words td, .words th { text-align: left; }
th { font-weight: 600; } tr:hover td { background: var(--panel); }
pre { background: var(--panel); padding: .7rem 1rem; border-radius: .4rem; white-space: pre-wrap;
  overflow-wrap: anywhere; }
figure { margin: .8rem 0; } figcaption { color: var(--faint); font-size: .9rem; max-width: 46rem;
  margin-top: .3rem; overflow-wrap: anywhere; }
.grid { display: grid; gap: 1rem; align-items: stretch; margin: .8rem 0;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, var(--least, 20rem)), 1fr)); }
.grid > * { margin: 0; min-width: 0; }
.grid > figure { background: var(--panel); border-radius: .5rem; padding: .8rem; }
details { margin: .8rem 0; } summary { cursor: pointer; color: var(--mark); }
.pixels { image-rendering: pixelated; } img { max-width: 100%; vertical-align: top; }
img.pixels { height: auto; border-radius: .2rem; }
.film { display: inline-block; overflow: hidden; width: var(--wide); border-radius: .2rem; }
.film img { max-width: none; image-rendering: pixelated;
  animation: film 1s linear infinite; }
.film:hover img, .film:focus img { animation-play-state: paused; }
@keyframes film { to { transform: translateX(calc(var(--wide) - 100%)); } }
@media (max-width: 40rem) { .stacked tr, .stacked td { display: block; border: 0; }
  .stacked th { display: none; } .stacked tr { border-bottom: 1px solid var(--line); }
  .stacked td { padding: .15rem 0; } .stacked td:first-child { font-weight: 600;
  padding-top: .6rem; } }
td.whole { white-space: nowrap; } ul.plain { list-style: none; margin: 0; padding: 0; }
ul.plain li { margin-bottom: .3rem; } table ul.plain { min-width: 18rem; }
.right, .wrong { font-weight: 600; } .wrong { color: var(--warn); }
.reel { display: flex; flex-wrap: wrap; gap: .5rem; }
.stack { display: grid; gap: 4px; grid-template-columns: auto auto; }
.reel > span { display: inline-flex; flex-direction: column; font-size: .8rem;
  color: var(--faint); }
svg text { fill: var(--text); font: 12px system-ui, sans-serif; }
svg .tick, svg .tick text { fill: var(--faint); font-size: 11px; }
svg text.faint { fill: var(--faint); }
svg .axis { stroke: var(--line); } svg .grid { stroke: var(--line); stroke-opacity: .8; }
svg circle.axis { stroke: var(--faint); }
svg .line { fill: none; stroke: currentColor; stroke-width: 2; stroke-linejoin: round; }
svg .wave { fill: none; stroke: currentColor; stroke-width: 1.2; stroke-linejoin: round; }
svg .spread { fill: none; stroke: currentColor; stroke-width: 1; }
svg .ring { fill: none; stroke: var(--warn); stroke-width: 1.4; }
svg .thin .mark { fill-opacity: .6; }
svg .field { fill: var(--line); fill-opacity: .3; }
svg .cut { fill: none; stroke: #fff; stroke-opacity: .85; }
svg .own { fill: var(--mark); fill-opacity: .8; }
svg .other { fill: var(--faint); fill-opacity: .25; stroke: var(--faint); }
svg .strip0 { fill: var(--faint); } svg .strip1 { fill: var(--line); }
svg .off { opacity: .08; pointer-events: none; }
svg .key.off { opacity: .45; pointer-events: auto; text-decoration: line-through; }
svg [role=button] { cursor: pointer; }
svg [tabindex]:focus { outline: 2px solid var(--mark); outline-offset: 2px; }
svg [tabindex]:focus:not(:focus-visible) { outline: none; }
.tip { position: fixed; z-index: 9; max-width: min(24rem, 90vw); padding: .25rem .6rem;
  border-radius: .3rem; background: var(--text); color: var(--back); font-size: .85rem;
  pointer-events: none; overflow-wrap: anywhere; }
.tip[hidden] { display: none; }
@media (max-width: 36rem) { body { padding: .6rem .8rem 2rem; font-size: 15px; }
  h1 { font-size: 1.4rem; } .big { font-size: 2.2rem; } }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; }
  .film img { animation: none !important; } }
@media print { nav, .tip { display: none; } .film img { animation: none !important; }
  section { break-inside: avoid; } }
"""
)
