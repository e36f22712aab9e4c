"""What can be looked at of an evaluation: maps, matrices, eigenvalues, codes and frames."""

from ldslearn.diagnostics import Diagnostics
from ldslearn.diagnostics.clips import AtomClip, Clip
from ldslearn.diagnostics.code_examples import CodeExample
from ldslearn.report.charts import code_chart, map_chart
from ldslearn.report.eigenvalues import eigenvalue_chart
from ldslearn.report.images import filmstrip, picture
from ldslearn.report.marks import verdict
from ldslearn.report.matrices import matrix_picture
from ldslearn.report.page import Section, figure, grid, paragraph, section

_SIDE = 136  # pixels of a frame on the page
_GAP = 4  # between columns


def format_diagnostics(diagnostics: Diagnostics) -> list[Section]:
    """Return the sections of a page that need no reading."""
    found = [_alike(diagnostics), _stable(diagnostics)]
    if diagnostics.codes:
        found.append(_coded(diagnostics.codes))
    if diagnostics.clips:
        found.append(_moving(diagnostics.clips))
    if diagnostics.atoms:
        found.append(_learned(diagnostics.atoms))
    return found


def _alike(diagnostics: Diagnostics) -> Section:
    shown = diagnostics.similarity
    points = [(float(x), float(y)) for x, y in shown.points]
    some = ""
    if len(shown.labels) < shown.n_sequences:
        some = f" {len(shown.labels)} of {shown.n_sequences} sequences, evenly taken."
    plane = figure(
        map_chart(points, shown.labels, shown.names),
        f"Map of the sequences by the same kernel (classical scaling): near means similar.{some}",
    )
    fewer = ""
    if len(shown.kernel_labels) < len(shown.labels):
        fewer = f" {len(shown.kernel_labels)} of {shown.n_sequences} sequences, evenly taken."
    matrix = matrix_picture(
        shown.kernel,
        shown.kernel_labels,
        "Kernel matrix, class by class: bright squares along the diagonal are classes whose "
        "sequences are similar to each other. The diagonal itself does not count for the colour "
        f"scale.{fewer}",
    )
    return section(
        "Similarity of sequences",
        paragraph(
            f"By the kernel of the method, in the first round: {shown.kernel_name}. Training and "
            "test sequences alike."
        ),
        grid(plane, matrix),
    )


def _stable(diagnostics: Diagnostics) -> Section:
    groups = {name: values.tolist() for name, values in diagnostics.eigenvalues.items()}
    words = (
        "Eigenvalues of the transition matrices, as fitted and after stabilization. The angle is "
        "the frequency of an oscillation, the distance from the centre says how slowly it decays. "
        "Circled eigenvalues, on the unit circle or outside, do not decay."
    )
    return section("Eigenvalues", grid(figure(eigenvalue_chart(groups), ""), paragraph(words)))


def _coded(codes: tuple[CodeExample, ...]) -> Section:
    return section(
        "Sparse codes of test sequences",
        paragraph(
            "Test sequences of the first round as sparse sums of training sequences or atoms: "
            "their largest coefficients. Filled bars are training sequences of the sequence's own "
            "class, or atoms that this class uses most."
        ),
        grid(*(_one_code(example) for example in codes), least=18),
    )


def _one_code(example: CodeExample) -> str:
    names, tips = [], []
    for atom in example.atoms:
        both = f"{atom.name}, {atom.label}" if atom.name else atom.label
        names.append(both if atom.learned else atom.label)
        tips.append(both)
    filled = [atom.label == example.label for atom in example.atoms]
    chart = code_chart(example.coefficients, names, tips, filled) if names else ""
    return figure(
        verdict(example.label, example.predicted) + chart,
        f"{example.name}; nonzero coefficients: {example.n_nonzero}",
    )


def _moving(clips: tuple[Clip, ...]) -> Section:
    cards = []
    for clip in clips:
        real = filmstrip(clip.frames, f"{clip.label}: {clip.name}", side=_SIDE)
        made = filmstrip(clip.drawn, f"{clip.label}, simulated", side=_SIDE)
        reel = f'<div class="reel">{_said(real, "recorded")}{_said(made, "simulated")}</div>'
        cards.append(figure(reel, f"{clip.label}: {clip.name}"))
    return section(
        "Recorded and simulated sequences",
        paragraph(
            "One sequence of each class, and beside it a new one, simulated by its system. The "
            "simulation starts at a random state of its own, not at that of the recording. Point "
            "at a film to stop it."
        ),
        grid(*cards, least=17),
    )


def _learned(atoms: tuple[AtomClip, ...]) -> Section:
    cards = []
    for atom in atoms:
        height, width = atom.columns.shape[1:]
        scale = (_SIDE - _GAP) / 2 / max(height, width)
        stills = "".join(
            picture(column, f"atom {atom.number}, column {k}", scale)
            for k, column in enumerate(atom.columns, 1)
        )
        film = filmstrip(atom.drawn, f"atom {atom.number}, simulated", side=_SIDE)
        reel = (
            f'<div class="reel">{_said(film, "simulated")}'
            f'<span><span class="stack">{stills}</span>columns</span></div>'
        )
        words = f"atom {atom.number}, {100 * atom.share:.0f} % of its use by {atom.used_by}"
        cards.append(figure(reel, words))
    return section(
        "Learned atoms",
        paragraph(
            "Atoms of the dictionary of the first round, those that each class uses most: a "
            "simulated sequence, and the first columns of the measurement matrix."
        ),
        grid(*cards, least=17),
    )


def _said(film: str, word: str) -> str:
    return f"<span>{film}{word}</span>"
