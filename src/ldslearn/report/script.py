"""The script of a page: tooltips on hover, tap and focus, and legends that hide series.

Without it the page shows the same: marks keep their ``<title>``, and legends stay drawings.
"""

from base64 import b64encode
from hashlib import sha256

SCRIPT = """
(() => {
  const tip = document.createElement('div');
  tip.className = 'tip'; tip.hidden = true; tip.setAttribute('role', 'status');
  document.body.append(tip);
  const hide = () => { tip.hidden = true; };
  const show = mark => {
    tip.textContent = mark.dataset.tip; tip.hidden = false;
    const at = mark.getBoundingClientRect(), own = tip.getBoundingClientRect();
    const left = at.left + at.width / 2 - own.width / 2;
    tip.style.left = Math.max(4, Math.min(left, innerWidth - own.width - 4)) + 'px';
    tip.style.top = (at.top > own.height + 10 ? at.top - own.height - 6 : at.bottom + 6) + 'px';
  };
  for (const svg of document.querySelectorAll('svg')) {
    const marks = [...svg.querySelectorAll('title')].map(words => {
      const mark = words.parentNode;
      mark.dataset.tip = words.textContent;
      mark.setAttribute('role', 'img');
      mark.setAttribute('aria-label', words.textContent);
      mark.setAttribute('tabindex', -1);
      words.remove();
      return mark;
    });
    if (marks.length) { svg.setAttribute('role', 'group'); marks[0].setAttribute('tabindex', 0); }
    const pointed = event => {
      const mark = event.target.closest('[data-tip]');
      mark ? show(mark) : hide();
    };
    for (const kind of ['pointerover', 'click', 'focusin']) svg.addEventListener(kind, pointed);
    for (const kind of ['pointerleave', 'focusout']) svg.addEventListener(kind, hide);
    svg.addEventListener('keydown', event => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const seen = marks.filter(mark => !mark.closest('.off'));
      const here = seen.indexOf(event.target);
      if (event.key === 'Escape') hide();
      if (!step || here < 0) return;
      event.preventDefault();
      const next = seen[(here + step + seen.length) % seen.length];
      event.target.setAttribute('tabindex', -1);
      next.setAttribute('tabindex', 0);
      next.focus();
      show(next);  // a page in the background gets focus events later
    });
    const keys = [...svg.querySelectorAll('.key')];
    if (keys.length < 2) continue;
    svg.setAttribute('role', 'group');
    for (const key of keys) {
      const toggle = () => {
        const off = key.classList.toggle('off');
        key.setAttribute('aria-pressed', !off);
        for (const one of svg.querySelectorAll('.series'))
          if (one.dataset.series === key.dataset.series) one.classList.toggle('off', off);
      };
      key.setAttribute('role', 'button');
      key.setAttribute('tabindex', 0);
      key.setAttribute('aria-pressed', true);
      key.addEventListener('click', toggle);
      key.addEventListener('keydown', event => {
        if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); toggle(); }
      });
    }
  }
  addEventListener('scroll', hide, { passive: true });
})();
"""
# The only script that the content security policy of a page admits.
SCRIPT_HASH = "sha256-" + b64encode(sha256(SCRIPT.encode()).digest()).decode()
