"""Protocols by name or from text: those of the paper, and a grammar for others."""

from ldslearn import _errors
from ldslearn._errors import suggest_name
from ldslearn.evaluate.protocols import KINDS, Protocol

# Protocols of the paper (Sec. 9.1, 9.3). Its random splits are stratified by class alone:
# illuminations and subjects are on both sides.
PROTOCOLS = {
    "cambridge": Protocol("split"),
    "cambridge-halves": Protocol("shuffle", 10, 0.5, ignore_groups=True),
    "ucsd": Protocol("trials"),
    "ucla": Protocol("split", test="each"),
    "dyntexpp": Protocol("shuffle", 10, 0.5, ignore_groups=True),
    "tactile": Protocol("shuffle", 10, 0.1, ignore_groups=True),
}
GRAMMAR = "folds:K, shuffle:REPEATS:FRACTION, split[:PART], split:each, trials, groups"


def parse_protocol(text: str) -> Protocol:
    """Return the protocol of a text such as ``folds:5``.

    Parameters
    ----------
    text : str
        One of these, or a name of :data:`~ldslearn.evaluate.PROTOCOLS` (some of them ignore
        groups):

        - ``folds:K``: stratified folds; whole groups stay together where groups are known.
        - ``shuffle:10:0.1``: ten random splits that test a tenth of each class.
        - ``split``: the split that comes with the data. ``split:3`` tests part 3, ``split:each``
          every part in turn.
        - ``trials``: those that were published with the data.
        - ``groups``: leaves out one group at a time.

    Returns
    -------
    Protocol

    Examples
    --------
    >>> from ldslearn.evaluate import parse_protocol
    >>> parse_protocol("shuffle:10:0.1").repeats
    10
    >>> print(parse_protocol("ucla"))
    split:each
    """
    if text in PROTOCOLS:
        return PROTOCOLS[text]
    kind, *rest = text.split(":")
    try:
        if kind == "folds" and len(rest) == 1 and int(rest[0]) >= 2:
            return Protocol("folds", int(rest[0]))
        if kind == "shuffle" and len(rest) == 2 and int(rest[0]) >= 1 and 0 < float(rest[1]) < 1:
            return Protocol("shuffle", int(rest[0]), float(rest[1]))
    except ValueError:
        pass
    if kind == "split" and len(rest) <= 1:
        return Protocol("split", test=rest[0] if rest else "test")
    if text in ("groups", "trials"):
        return Protocol(text)
    if kind == "folds" and len(rest) == 1 and rest[0].lstrip("-").isdecimal():
        raise _errors.invalid("protocol", "have at least 2 folds", repr(text), "Write folds:5.")
    near = suggest_name(":".join([kind, *rest]), [":".join([one, *rest]) for one in KINDS])
    raise _errors.invalid(
        "protocol", f"be one of {GRAMMAR}, {', '.join(PROTOCOLS)}", repr(text),
        (near or suggest_name(text, PROTOCOLS)).strip(),
    )  # fmt: skip
