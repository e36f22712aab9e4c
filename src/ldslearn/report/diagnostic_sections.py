"""Sections of diagnostics: similarity, eigenvalues, codes, clips and atoms."""

from collections.abc import Mapping

from ldslearn._types import Complexes
from ldslearn.diagnostics.clips import AtomClip, Clip
from ldslearn.diagnostics.code_examples import CodeExample
from ldslearn.diagnostics.diagnostics import Diagnostics
from ldslearn.diagnostics.similarity import Similarity
from ldslearn.drawing.eigenvalues import draw_eigenvalues
from ldslearn.report.charts import draw_code, draw_map
from ldslearn.report.images import format_film, format_image
from ldslearn.report.matrices import draw_matrix
from ldslearn.report.page import (
    Section,
    format_figure,
    format_grid,
    format_paragraph,
    format_prediction,
)

_SIDE = 136  # pixels of a frame on the page
_GAP = 4  # pixels between columns
_PAIR = 19.5  # rem of a card with two films side by side


def format_diagnostics(diagnostics: Diagnostics) -> list[Section]:
    """Return one section per kind of diagnostics that there is."""
    sections = [_format_similarity(diagnostics.similarity)]
    if diagnostics.eigenvalues:
        sections.append(_format_eigenvalues(diagnostics.eigenvalues))
    if diagnostics.codes:
        sections.append(_format_codes(diagnostics.codes))
    if diagnostics.clips:
        sections.append(_format_clips(diagnostics.clips))
    if diagnostics.atoms:
        sections.append(_format_atoms(diagnostics.atoms))
    return sections


def _format_eigenvalues(eigenvalues: Mapping[str, Complexes]) -> Section:
    groups = {name: values.tolist() for name, values in eigenvalues.items()}
    words = (
        "Eigenvalues of the transition matrices, as fitted and after stabilization. The angle is "
        "the frequency of an oscillation. The smaller the modulus, the faster it decays. Circled "
        "eigenvalues do not decay."
    )
    drawing = format_figure(draw_eigenvalues(groups))
    return Section("Eigenvalues", format_grid(drawing, format_paragraph(words)))


def _format_similarity(shown: Similarity) -> Section:
    points = [(float(x), float(y)) for x, y in shown.points]
    plane = format_figure(
        draw_map(points, shown.labels, shown.names),
        "Map of the sequences by the same kernel (classical scaling). Near points are similar "
        f"sequences.{_count_shown(len(points), shown.n_sequences)}",
    )
    matrix = format_figure(
        draw_matrix(shown.kernel, shown.kernel_labels),
        "Kernel matrix, class by class. Bright squares on the diagonal are classes of similar "
        "sequences. Colours span 90 % of the values off the diagonal."
        f"{_count_shown(len(shown.kernel_labels), shown.n_sequences)}",
    )
    words = (
        f"Kernel of the method in the first round: {shown.kernel_name}. It compares training and "
        "test sequences."
    )
    return Section("Similarity", format_paragraph(words), format_grid(plane, matrix))


def _count_shown(count: int, n_sequences: int) -> str:
    return "" if count == n_sequences else f" {count} of {n_sequences} sequences are shown."


def _format_codes(codes: tuple[CodeExample, ...]) -> Section:
    return Section(
        "Why each label was chosen",
        format_paragraph(
            "Sparse codes of test sequences of the first round: the largest coefficients, and the "
            "training sequences or atoms that they multiply. Filled bars are training sequences "
            "of the true class, or atoms that this class uses most."
        ),
        format_grid(*map(_draw_example, codes), least=18),
    )


def _draw_example(example: CodeExample) -> str:
    names, tips = [], []
    for atom in example.atoms:
        both = f"{atom.name}, {atom.label}" if atom.name else atom.label
        names.append(both if atom.learned else atom.label)
        tips.append(both)
    filled = [atom.label == example.label for atom in example.atoms]
    chart = draw_code(example.coefficients, names, tips, filled) if names else ""
    return format_figure(
        format_prediction(example.label, example.predicted) + chart,
        f"{example.name}; nonzero coefficients: {example.n_nonzero}",
    )


def _format_clips(clips: tuple[Clip, ...]) -> Section:
    cards = []
    for clip in clips:
        recorded = format_film(clip.frames, f"{clip.label}: {clip.name}", side=_SIDE)
        simulated = format_film(clip.simulated, f"{clip.label}, simulated", side=_SIDE)
        reel = (
            f'<div class="reel"><span>{recorded}recorded</span>'
            f"<span>{simulated}simulated</span></div>"
        )
        cards.append(format_figure(reel, f"{clip.label}: {clip.name}"))
    return Section(
        "Recorded and simulated sequences",
        format_paragraph(
            "One sequence per class, and a new sequence that its system simulates from a random "
            "first state. Point at a clip to pause it."
        ),
        format_grid(*cards, least=_PAIR),
    )


def _format_atoms(atoms: tuple[AtomClip, ...]) -> Section:
    cards = []
    for atom in atoms:
        scale = (_SIDE - _GAP) / 2 / max(atom.columns.shape[1:])
        columns = "".join(
            format_image(column, f"atom {atom.number}, column {k}", scale)
            for k, column in enumerate(atom.columns, 1)
        )
        film = format_film(atom.simulated, f"atom {atom.number}, simulated", side=_SIDE)
        reel = (
            f'<div class="reel"><span>{film}simulated</span>'
            f'<span><span class="stack">{columns}</span>columns</span></div>'
        )
        words = f"atom {atom.number}, {100 * atom.share:.0f} % of its use by {atom.used_by}"
        cards.append(format_figure(reel, words))
    return Section(
        "Learned atoms",
        format_paragraph(
            "Atoms of the dictionary of the first round that each class uses most: a simulated "
            "sequence, and the first columns of the measurement matrix."
        ),
        format_grid(*cards, least=_PAIR),
    )
