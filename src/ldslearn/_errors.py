"""The wording of every message: ``<what> must <rule>; got <value>. <remedy>``.

Each function builds the exception (or the text of a warning) for one mistake, so that the same
mistake reads the same wherever it is met, and tests pin the words in one place.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from os import PathLike

from ldslearn._kinds import nearest, recognize


class SequenceError(ValueError):
    """An error about some sequences of a collection; without them the others might do.

    Attributes
    ----------
    indices : tuple of int
        Which ones, counted from 0.
    """

    def __init__(self, message: str, indices: Iterable[int] = ()) -> None:
        super().__init__(message)
        self.indices = tuple(int(index) for index in indices)


class SystemsError(ValueError):
    """An error about some systems of a batch, which blocks of it count from their own first.

    Parameters
    ----------
    template : str
        The message, with ``{systems}`` where they are named.
    indices : iterable of int
    batch : str
        " of Y" if they are systems of a second batch.
    names : sequence of str
        Their files, where known.
    """

    def __init__(
        self, template: str, indices: Iterable[int], batch: str = "", names: Sequence[str] = ()
    ) -> None:
        self.template, self.batch, self.names = template, batch, tuple(names)
        self.indices = tuple(int(index) for index in indices)
        super().__init__(template, self.indices, batch, self.names)

    def __str__(self) -> str:
        who = listed_systems([(self.batch, index) for index in self.indices], self.names)
        return self.template.replace("{systems}", who)

    def moved(self, move: Callable[[tuple[str, int]], tuple[str, int]]) -> "SystemsError":
        """Return the error with other batches and indices."""
        places = [move((self.batch, index)) for index in self.indices]
        return SystemsError(self.template, [index for _, index in places], places[0][0], self.names)

    def with_names(self, names: Sequence[str]) -> "SystemsError":
        """Return the error with the files of its systems, given those of all."""
        return SystemsError(
            self.template, self.indices, self.batch, [names[index] for index in self.indices]
        )


class InputTypeError(TypeError):
    """An argument or the content of a file has the wrong type.

    A plain TypeError is a mistake in ldslearn, and the command line says so.
    """


def invalid(what: str, rule: str, got: object, remedy: str) -> ValueError:
    """A value that breaks a rule."""
    return ValueError(f"{what} must {rule}; got {got}. {remedy}".rstrip())


def invalid_parameter(name: str, rule: str, got: object) -> ValueError:
    """A parameter of an estimator or function outside its range."""
    return ValueError(f"{name} must {rule}; got {got!r}.")


def unknown_name(what: str, got: object, known: Collection[str]) -> ValueError:
    """A name that is not in a registry."""
    names = ", ".join(repr(name) for name in known)
    return ValueError(f"{what} must be one of {names}; got {got!r}.{nearest(got, known)}")


def listed(indices: Sequence[object], limit: int = 5) -> str:
    """Indices as text, cut after `limit`: ``3, 8, 9, 12, 20 and 7 more``."""
    shown = ", ".join(str(index) for index in indices[:limit])
    return shown if len(indices) <= limit else f"{shown} and {len(indices) - limit} more"


def listed_systems(places: Sequence[tuple[str, int]], names: Sequence[str] = ()) -> str:
    """Systems as text: ``system 3, 8 and system 2 of Y``, with their files where known."""
    texts = []
    for batch in dict.fromkeys(batch for batch, _ in places):
        indices = [index for of, index in places if of == batch]
        texts.append(f"system {listed(indices)}{batch}")
    files = f" ({listed(names)})" if names else ""
    return " and ".join(texts) + files


def pluralize(count: int) -> str:
    return "sequence is" if count == 1 else "sequences are"


# Collections of sequences


def not_a_collection(name: str, got: str, remedy: str) -> InputTypeError:
    """Something that is neither a list of arrays nor a 3-D array."""
    message = (
        f"{name} must be a list of (n_channels, n_timepoints) arrays or one "
        f"(n_sequences, n_channels, n_timepoints) array; got {got}. {remedy}"
    )
    return InputTypeError(message.rstrip())


def seem_transposed(count: int, shape: tuple[int, ...], remedy: str) -> str:
    """Warning about sequences whose rows seem to be time points."""
    return (
        f"all {count} sequences have {shape[0]} channels and {shape[1]} time points. Sequences "
        f"are (n_channels, n_timepoints): if rows are time points, as they seem to be, {remedy}."
    )


def channels_not_as_expected(name: str, got: int, expected: int) -> ValueError:
    """Other channels than those a model was fitted with."""
    return ValueError(
        f"{name} must have {expected} channels, as the model was fitted with; got {got}. "
        "Sequences are (n_channels, n_timepoints): are these transposed?"
    )


def too_short_for_any(
    who: str, n_timepoints: int, delays: int, others: str, indices: Sequence[int]
) -> SequenceError:
    """Sequences too short for one state, where states are to be chosen."""
    stacked = f" for {delays} delays" if delays > 1 else ""
    more = f" {len(indices) - 1} more {pluralize(len(indices) - 1)} too short: {others}."
    return SequenceError(
        f"{who} must have at least {delays + 2} time points{stacked}; got {n_timepoints}."
        f"{more if others else ''} Leave it out{', or use fewer delays' if delays > 1 else ''}.",
        indices,
    )


# Files


def no_labels(names: Sequence[str]) -> ValueError:
    """Items without labels, where labels are needed."""
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return invalid(
        "the collection", "have labels", f"none for {names[0]}{more}",
        "Move the items of each class into a folder of its own, or write a CSV file with the line "
        f"'item,label' and lines such as '{names[0]},LABEL', and name it by --labels FILE "
        "(labels='FILE' in Python).",
    )  # fmt: skip


def empty_file(path: str | PathLike[str], rule: str) -> ValueError:
    """A file of no bytes."""
    return bad_file(path, rule, "an empty file (0 bytes)", "Copy it again, or delete it.")


def bad_file(path: str | PathLike[str], rule: str, reason: object, remedy: str = "") -> ValueError:
    """A file, or a line of one, that cannot be read as what it should be."""
    return invalid(f"file {path}", rule, reason, remedy)


def output_inside_input(target: str | PathLike[str], folder: str | PathLike[str]) -> ValueError:
    """An output that would be read as part of a folder the next time."""
    return ValueError(
        f"output {target} must be outside of {folder}, which is read; got a place in it. "
        "Name another."
    )


def missing_data(
    what: str, path: str | PathLike[str], missing: str, source: str
) -> FileNotFoundError:
    """A data set that is not where it was looked for."""
    return FileNotFoundError(f"{what} must be in {path}; {missing} is missing. {source}")


def skipped_files(reasons: Sequence[str]) -> str:
    """Warning about files that could not be read."""
    count = "1 item was" if len(reasons) == 1 else f"{len(reasons)} items were"
    return f"{count} skipped, the first because: {reasons[0]}"


def unlike_first(
    name: str,
    got: tuple[int, ...],
    first: str,
    expected: tuple[int, ...],
    index: int = 0,
    n_timepoints: int | None = None,
) -> SequenceError:
    """An item whose channels or frames are not those of the first one.

    `n_timepoints` is that of all items, if they have one.
    """

    def words(shape: tuple[int, ...]) -> str:
        return f"{shape[0]} channels" if len(shape) == 1 else f"frames of shape {shape[1:]}"

    remedy = "Leave it out."
    if len(got) > 1 and len(expected) > 1:
        remedy = "Give one size for all: --size HEIGHTxWIDTH, or size=(height, width) in Python."
    elif len(got) == 1 and n_timepoints is not None:
        remedy = (
            f"All have {n_timepoints} time points: if rows of arrays are time points, as they seem "
            "to be, give transpose=True, --transpose; else leave it out."
        )
    rule = f"have {words(expected)} like {first}"
    return SequenceError(str(invalid(name, rule, words(got), remedy)), [index])


def none_usable(count: int, name: str, reason: str) -> ValueError:
    """Items none of which could be read or used, and why the first could not."""
    if name not in reason:  # a disk or network does not know it
        reason = f"{name}: {reason}"
    if count == 1:
        return ValueError(reason)
    return ValueError(
        f"at least one of {count} items must be usable; got none. The first: {reason}"
    )


TRAINING = "the training data"  # what new files must be like


def unknown_rate(path: str | PathLike[str], rate: float) -> ValueError:
    """A file that does not say when its samples were taken, where a rate is asked for."""
    return bad_file(
        path, f"say when its samples were taken for rate={rate:g}", "no times in seconds",
        "Name a column of time with its unit, as in 'time [ms]', or leave rate, --rate out.",
    )  # fmt: skip


def other_columns(
    what: str, expected: Sequence[str], like: str, got: Sequence[str] | None
) -> ValueError:
    """A table or collection whose channels have other names than those of the first one."""
    rule = f"have the channels {', '.join(expected)} like {like}"
    if got is None:
        return invalid(what, rule, "no line of names", "Give it a first line with their names.")
    missing = [name for name in expected if name not in got]
    new = [name for name in got if name not in expected]
    parts = [("missing", missing), ("new", new)]
    differ = "; ".join(f"{word}: {', '.join(names)}" for word, names in parts if names)
    remedy = "Rename its columns, or choose some that all files have with columns=, --columns."
    if like == TRAINING:
        remedy = "Rename its columns, or train on columns that all files have."
    return invalid(what, rule, f"{', '.join(got)} ({differ or 'some twice'})", remedy)


def too_large(what: str, size: int, limit: int, remedy: str) -> ValueError:
    """Something whose size is refused before memory is taken."""
    return invalid(what, f"take at most {limit / 2**30:.1f} GiB", f"{size / 2**30:.1f} GiB", remedy)


def unreadable_file(path: str | PathLike[str], kind: str) -> ValueError:
    """A truncated, foreign or damaged file."""
    return ValueError(
        f"{path} must be a complete {kind} file; got {recognize(path) or 'other bytes'}. "
        "It may have been cut short in a copy, or be another program's file."
    )


def other_version(path: str | PathLike[str], got: object, expected: int) -> ValueError:
    """A file of another version of the format."""
    return ValueError(
        f"{path} must have format version {expected}; got {got}. "
        "It was written by another release of ldslearn: read it with that one."
    )


def damaged_contents(path: str | PathLike[str], reason: object) -> ValueError:
    """A file of the right kind whose contents break the rules."""
    return ValueError(f"{path} must hold valid contents; {reason}")


def fatal(name: str) -> str:
    """Reason why an item is left out that no process survives."""
    return f"{name} must be readable; it ended every process that read it. Leave it out."


# Clusters


def channels_are_scaled() -> ValueError:
    """Systems for a model that scales channels before it encodes sequences."""
    return invalid(
        "the model", "take channels as they are to label systems", "one that scales them",
        "Systems in a store are not scaled: predict from the sequences or files.",
    )  # fmt: skip


# Systems


def unstable_systems(indices: Sequence[int]) -> SystemsError:
    """Systems without a Gramian."""
    return SystemsError(
        "{systems} must be stable to have a Gramian; got a spectral radius of 1 or more, or 1 to "
        "rounding. Stabilize it (ldslearn.models.stabilize, LDSEncoder(stabilizer=...)), or accept "
        "the formal solution with LDSEncoder(stabilizer='none') or LDS(..., allow_unstable=True).",
        indices,
    )


def no_solution(indices: Sequence[int]) -> SystemsError:
    """Formal solutions that do not exist."""
    return SystemsError(
        "{systems} must have no eigenvalue whose product with another, of itself or of the system "
        "it is compared with, is 1, or their equation has no solution, not even a formal one; got "
        "such a pair among unstable systems. Stabilize it.",
        indices,
    )


def systems_not_as_fitted(what: str, got: int, expected: int, whose: str) -> ValueError:
    """Systems of another order or other channels than those of the training set."""
    return ValueError(
        f"X must have {what}={expected}, as {whose}; got {got}. "
        "Encode training and new sequences with the same LDSEncoder, for example in one Pipeline."
    )


def several_windows(windows: int) -> ValueError:
    """Something that needs single systems, given sequences of several windows."""
    return invalid(
        "systems", "be single", f"{windows} windows per sequence",
        "Take one window of all: systems.window(0).",
    )  # fmt: skip


def field_missing(what: str, field: str) -> ValueError:
    """A kernel that needs an optional field."""
    return ValueError(f"systems must have {field} for {what}; got None. LDSEncoder provides it.")


# Labels


def too_few_classes(label: str, count: int) -> ValueError:
    """A collection of one class."""
    return invalid(
        "the collection", "hold at least two classes", f"{count} items of the one class {label!r}",
        "Add items of another class. To group items without labels, use `ldslearn cluster` or "
        "LDSKMeans.",
    )  # fmt: skip


# Codes


def zero_codes(indices: Sequence[int], sparsity: float | None) -> str:
    """Text of the warning about samples that no atom explains; a pursuit has no sparsity."""
    if sparsity is None:
        return (
            f"the code of system {listed(indices)} is zero: it has nothing in common with any "
            "atom. Take other atoms, or another kernel."
        )
    return (
        f"the code of system {listed(indices)} is zero with sparsity={sparsity:g}: it says nothing "
        "about the system. Lower sparsity."
    )


# Dictionaries
