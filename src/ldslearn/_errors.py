"""The wording of every message: ``<what> must <rule>; got <value>. <remedy>``.

Each function builds the exception (or the text of a warning) for one mistake, so that the same
mistake reads the same wherever it is met, and tests pin the words in one place.
"""

import errno
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from os import PathLike
from pathlib import Path

from ldslearn._kinds import nearest, recognize
from ldslearn._processes import Owner


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


def _plural(count: int) -> str:
    return "sequence is" if count == 1 else "sequences are"


# Collections of sequences


def not_a_collection(name: str, got: str, remedy: str) -> InputTypeError:
    """Something that is neither a list of arrays nor a 3-D array."""
    message = (
        f"{name} must be a list of (n_channels, n_timepoints) arrays or one "
        f"(n_sequences, n_channels, n_timepoints) array; got {got}. {remedy}"
    )
    return InputTypeError(message.rstrip())


def ambiguous_frame(name: str, shape: tuple[int, ...], columns: Sequence[str]) -> InputTypeError:
    """A data frame that does not say which sequence a row belongs to."""
    shown = ", ".join(columns[:5]) + (", ..." if len(columns) > 5 else "")
    return not_a_collection(
        name,
        f"a data frame of shape {shape} with the columns {shown}",
        "It must say which sequence a row belongs to, by a column 'id' or two levels of index "
        f"(sequence, time). For one sequence with a row per time point pass [{name}]; for "
        f"single-channel sequences in rows pass {name}.to_numpy()[:, None, :].",
    )


def one_sequence_given(name: str, shape: tuple[int, ...]) -> ValueError:
    """A 2-D array where a collection is expected."""
    return invalid(
        name,
        "be a list of (n_channels, n_timepoints) arrays or a 3-D array",
        f"one array of shape {shape}",
        f"For a single sequence pass [{name}]; for single-channel sequences in rows pass "
        f"{name}[:, None, :].",
    )


def empty_collection(name: str) -> ValueError:
    """No sequences at all."""
    return ValueError(f"{name} must hold at least one sequence; got an empty collection.")


def wrong_dimensions(who: str, shape: tuple[int, ...]) -> ValueError:
    """One member of a list that is not a matrix."""
    remedy = {
        1: "For a single channel pass sequence[None, :].",
        3: "A video (n_frames, height, width) becomes a sequence by ldslearn.video.to_sequence.",
        4: "A video (n_frames, height, width, colours) becomes a sequence by "
        "ldslearn.video.to_sequence.",
    }.get(len(shape), "")
    message = f"{who} must have shape (n_channels, n_timepoints); got shape {shape}. {remedy}"
    return ValueError(message.rstrip())


def wrong_dtype(who: str, dtype: object) -> InputTypeError:
    """Complex numbers, strings, dates, objects."""
    return InputTypeError(
        f"{who} must hold real numbers (floats or integers); got dtype {dtype}. "
        "Convert it first, for example with array.astype(float); split complex signals into "
        "real and imaginary channels."
    )


def not_an_array(who: str, got: object) -> InputTypeError:
    """A member of a list NumPy cannot make an array of."""
    return InputTypeError(
        f"{who} must be an array of shape (n_channels, n_timepoints); "
        f"got {type(got).__name__}. numpy.asarray must turn it into a matrix of real numbers."
    )


def masked_values(what: str) -> InputTypeError:
    """A masked array, whose mask would be lost."""
    return InputTypeError(
        f"{what} must have no masked values; got a masked array. "
        "Interpolate or drop them before encoding: a mask cannot be honoured."
    )


def not_finite(
    who: str, n_nan: int, n_infinite: int, size: int, others: str, indices: Sequence[int]
) -> SequenceError:
    """NaN or infinity in one sequence, and perhaps in others."""
    more = f" {len(indices) - 1} more {_plural(len(indices) - 1)} affected: {others}." * bool(
        others
    )
    return SequenceError(
        f"{who} must be finite; got {n_nan} NaN and {n_infinite} infinite of {size} values.{more} "
        "Interpolate or drop them before encoding.",
        indices,
    )


def channel_counts_differ(
    who: str, got: int, first: str, expected: int, indices: Sequence[int], lengths: set[int]
) -> SequenceError:
    """Sequences with different numbers of rows; `lengths` are the numbers of columns of all."""
    remedy = "Sequences are (n_channels, n_timepoints): is this one transposed?"
    if len(lengths) == 1:
        remedy = (
            f"All have {min(lengths)} columns: if rows are time points, as they seem to be, pass "
            "X = [x.T for x in X]."
        )
    rule = f"have {expected} channels like {first}"
    return SequenceError(str(invalid(who, rule, got, remedy)), indices)


def owners_out_of_order(column: str) -> str:
    """Warning about a frame whose sequences do not come in the order of their names."""
    return (
        f"sequences of a data frame are in the order in which their {column} first appears, which "
        "is not sorted here. Labels must be in that order, too: X.sort_values(...) first if they "
        "are sorted."
    )


def text_column(name: str, column: str) -> InputTypeError:
    """A column of a frame that holds no numbers."""
    remedy = f"Drop it: X.drop(columns={column!r})."
    return not_a_collection(name, f"a data frame whose column {column!r} holds no numbers", remedy)


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


def extreme_values(who: str, index: int) -> SequenceError:
    """Values whose squares overflow or underflow."""
    return SequenceError(
        f"{who} must have values whose squares are representable; "
        "got numbers of modulus above 1e150 or below 1e-150. Rescale it.",
        [index],
    )


def too_short(
    who: str,
    shape: tuple[int, ...],
    n_states: int,
    delays: int,
    others: str,
    indices: Sequence[int],
) -> SequenceError:
    """Sequences with fewer transitions than states, the shortest of which is told of."""
    n_channels, n_timepoints = shape
    largest = n_timepoints - delays
    wanted = "1 state" if n_states == 1 else f"{n_states} states"
    stacked = f" and {delays} delays" if delays > 1 else ""
    more = f" {len(indices) - 1} more {_plural(len(indices) - 1)} too short: {others}." * bool(
        others
    )
    remedy = (
        f"Fit with at most {largest} {'state' if largest == 1 else 'states'}, or leave it out."
        if largest >= 1
        else "Fit with fewer delays, or leave it out."
        if delays > 1 and n_timepoints > n_states
        else "Leave it out."
    )
    if n_channels > 2 * n_timepoints:
        remedy += " Sequences are (n_channels, n_timepoints): is it transposed?"
    return SequenceError(
        f"{who} must have at least {n_states + delays} time points for {wanted}{stacked}; "
        f"got {n_timepoints}.{more} {remedy}",
        indices,
    )


def too_short_for_any(
    who: str, n_timepoints: int, delays: int, others: str, indices: Sequence[int]
) -> SequenceError:
    """Sequences too short for one state, where states are to be chosen."""
    stacked = f" for {delays} delays" if delays > 1 else ""
    more = f" {len(indices) - 1} more {_plural(len(indices) - 1)} too short: {others}."
    return SequenceError(
        f"{who} must have at least {delays + 2} time points{stacked}; got {n_timepoints}."
        f"{more if others else ''} Leave it out{', or use fewer delays' if delays > 1 else ''}.",
        indices,
    )


def limited_by_shortest(who: str, n_timepoints: int, usual: float) -> str:
    """Warning about a sequence so short that all systems must be small."""
    return (
        f"{who} has {n_timepoints} time points, others {usual:.0f}: all systems must be small "
        "enough for it. Leave it out unless it matters."
    )


def shorter_than_delays(who: str, n_timepoints: int, delays: int) -> ValueError:
    """A sequence that does not fill one stacked sample."""
    return ValueError(
        f"{who} must have at least {delays} time points, as many as delays; got {n_timepoints}."
    )


def too_many_states(n_states: int, n_channels: int, delays: int) -> ValueError:
    """More states than (stacked) channels."""
    n_rows = n_channels * delays
    channels = "1 channel" if n_channels == 1 else f"{n_channels} channels"
    rows = channels if delays == 1 else f"{channels} with {delays} delays"
    return ValueError(
        f"the number of states must be at most {n_rows} for {rows}; got {n_states}. Use at most "
        f"{n_rows} states, or at least {-(-n_states // n_channels)} delays, which stack lagged "
        "copies of the channels."
    )


def constant_sequence(
    who: str, center: bool, constant: Sequence[int], n_sequences: int
) -> SequenceError:
    """Sequences that never move have no dynamics once they are centred."""
    one = len(constant) == 1
    count = "" if one else f" ({len(constant)} of {n_sequences} sequences)"
    it = "it" if one else "them"
    if not center:
        return SequenceError(f"{who}{count} must not be zero throughout. Leave {it} out.", constant)
    return SequenceError(
        f"{who}{count} must vary over time; got {'a constant sequence' if one else 'constants'}. "
        f"Leave {it} out, or encode in Python with center=False, which keeps the mean.",
        constant,
    )


def idle_states(who: str, rank: int, count: int, n_states: int) -> str:
    """Text of the warning about sequences that fill fewer than n_states dimensions."""
    plural = f"{count} sequences have" if count > 1 else "1 sequence has"
    return (
        f"{plural} a rank below the {n_states} states ({who}: rank {rank}); the states beyond the "
        "rank are idle. Use fewer states to avoid this."
    )


def offsets_dwarf(who: str, count: int) -> str:
    """Text of the warning about sequences whose mean is far larger than what varies."""
    vary = (
        "varies by so little of its offset" if count == 1 else "vary by so little of their offset"
    )
    return (
        f"{who} {vary} that fewer than four digits of the variation are left "
        "in floating point. Subtract the offset where the numbers are "
        "read, before they become floats."
    )


# Files


def seems_cut_short(path: str | PathLike[str], seconds: float, lasts: float) -> str:
    """Text of the warning about a video whose last frame comes long before its end."""
    return (
        f"the last frame of {path} is at {seconds:.2f} of the {lasts:.2f} seconds that it "
        "promises: it may have been cut short in a copy."
    )


def nothing_to_read(folders: Sequence[Path]) -> str:
    """Text of the warning about folders beside classes that hold no item."""
    names = ", ".join(folder.name for folder in folders[:5])
    more = f" and {len(folders) - 5} more" if len(folders) > 5 else ""
    return (
        f"no item in the folder {names}{more}, passed over: no video, folder of images or array by "
        "its suffix. Rename or convert its files, or move it elsewhere."
    )


def links_lead_nowhere(links: Sequence[Path]) -> str:
    """Text of the warning about links that may have been classes or items."""
    names = ", ".join(map(str, links[:5]))
    more = f" and {len(links) - 5} more" if len(links) > 5 else ""
    return f"passed over links that lead nowhere: {names}{more}. Remove them, or mend them."


def undecodable_video(path: Path, n_frames: int, reason: str) -> ValueError:
    """A file under a video's name that holds none, or one that is damaged; `reason` may be empty.

    What it holds is told by its first bytes.
    """
    kind = recognize(path)
    if not reason and kind is not None and not n_frames and not kind.startswith("a video"):
        if kind.startswith("an empty"):
            return empty_file(path, "be a video or image")
        return bad_file(path, "be a video or image", kind, "Rename it, or leave it out.")
    if reason:
        return bad_file(path, "be a whole video or image", reason, "Leave it out.")
    return bad_file(
        path, "be a whole video or image", f"bytes that cannot be decoded after {n_frames} frames",
        "It may have been cut short in a copy: copy it again. Or convert it, for example: "
        f"ffmpeg -i {path.name} converted.mp4",
    )  # fmt: skip


def items_too_deep(root: Path, rule: str, item: str) -> ValueError:
    """A folder of three levels or more, of which nobody said what they mean."""
    folders = item.split("/")[:-1]
    rest = "/*" * (len(folders) - 2) + "/item"
    line = f"{item},{folders[1]},{folders[0]}"
    return bad_file(
        root, rule, f"items further down, such as {item}",
        f"Say what the folders mean: --levels group/class{rest} if the first is who was recorded, "
        f"--levels class/group{rest} if it is the class (levels='...' in Python). Or list all in "
        f"{root.name}/manifest.csv, with the line 'path,label,group' and lines such as '{line}', "
        "and name that file in place of the folder.",
    )  # fmt: skip


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


def no_such_items(path: Path, count: int, names: str) -> str:
    """Warning about labels of items that are not there."""
    rows = "1 row" if count == 1 else f"{count} rows"
    return f"{rows} of {path} name no item, and were passed over: {names}"


def bad_file(path: str | PathLike[str], rule: str, reason: object, remedy: str = "") -> ValueError:
    """A file, or a line of one, that cannot be read as what it should be."""
    return invalid(f"file {path}", rule, reason, remedy)


def output_is_input(target: str | PathLike[str], source: str | PathLike[str]) -> ValueError:
    """An output that would replace something that is read."""
    same = "" if Path(target) == Path(source) else f" ({source})"
    return ValueError(
        f"output {target} must be another file than those that are read; got one of them{same}. "
        "Name another file."
    )


def output_inside_input(target: str | PathLike[str], folder: str | PathLike[str]) -> ValueError:
    """An output that would be read as part of a folder the next time."""
    return ValueError(
        f"output {target} must be outside of {folder}, which is read; got a place in it. "
        "Name another."
    )


def output_inside_store(target: str | PathLike[str], store: str | PathLike[str]) -> ValueError:
    """An output in a store, in which no other file belongs."""
    return ValueError(
        f"output {target} must be outside of {store}, which is a store; got a place in it. "
        "Name another."
    )


def disk_full(path: str | PathLike[str], size: int | None, error: OSError) -> OSError:
    """A file that does not fit on its disk; told apart by its `errno`."""
    needs = "" if size is None else f" It needs {size / 2**20:,.1f} MiB."
    full = OSError(
        f"file {path} must fit on its disk; got: {error.strerror or error}.{needs} "
        "Make room, or name a file on another disk."
    )
    full.errno = error.errno or errno.ENOSPC
    return full


def locked(
    what: str, path: str | PathLike[str], owner: Owner | None, *, runs: bool
) -> BlockingIOError:  # fmt: skip
    """Something that another process is writing, or whose lock may be left of one that ended."""
    who = "another process is writing it"
    if owner is not None:
        when = datetime.fromtimestamp(owner.since).isoformat(" ", "seconds")
        who = f"process {owner.pid} on {owner.host} has been writing it since {when}"
    rest = "" if runs else f"; if it no longer runs there, delete {path}"
    return BlockingIOError(
        f"{what} must be written by one process at a time; {who}. Wait for it, or name another "
        f"place{rest}."
    )


def missing_data(
    what: str, path: str | PathLike[str], missing: str, source: str
) -> FileNotFoundError:
    """A data set that is not where it was looked for."""
    return FileNotFoundError(f"{what} must be in {path}; {missing} is missing. {source}")


def no_data_folder(folder: str | PathLike[str]) -> FileNotFoundError:
    """A folder of data sets that is not there."""
    return FileNotFoundError(
        f"the folder of data sets must be there; {folder} is no folder. Without one, embedded data "
        "are used; docs/datasets.md tells where to get the paper's."
    )


def no_data_in_folder(folder: str | PathLike[str], known: Mapping[str, str]) -> FileNotFoundError:
    """A folder in which no data set was found."""
    names = ", ".join(f"{path} ({title})" for path, title in known.items())
    return FileNotFoundError(
        f"{folder} must hold one of the collections {names} at least; none is there. "
        "docs/datasets.md tells where to get them and how each is laid out, and of the stand-ins."
    )


def no_room_for_records(folder: str | PathLike[str], error: OSError) -> OSError:
    """Records that cannot be written."""
    return OSError(
        f"records must be written to {folder}; {error.strerror or error}. Those already there are "
        "whole: make room, or name another folder with --output, and run the command again."
    )


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


def time_or_channel(reason: str, column: str) -> str:
    """Warning about a column that may be time."""
    return (
        f"{reason}: it is read as a channel. If it is time give time={column!r}, --time {column}; "
        "if it is none, time='none', --time none."
    )


def mixed_rates(groups: Sequence[tuple[float, Sequence[str]]]) -> str:
    """Warning about sequences of several rates, each with the names of its sequences."""

    def words(names: Sequence[str]) -> str:
        return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"

    found = ", ".join(f"{rate:.4g} Hz ({words(names)})" for rate, names in groups[:5])
    more = f" and {len(groups) - 5} more rates" if len(groups) > 5 else ""
    lowest = f"{groups[0][0]:.4g}"
    return (
        f"sequences must have one rate to be compared; got {found}{more}. To resample them give "
        f"rate={lowest}, --rate {lowest}."
    )


def other_rate(name: str, rate: float, known: Sequence[float], count: int) -> str:
    """Warning about new sequences whose rate is not that of the training data."""
    more = f" (and {count - 1} more)" if count > 1 else ""
    low, high = (f"{one:.4g}" for one in (known[0], known[-1]))
    rule = f"{low} Hz" if low == high else f"{low} to {high} Hz"
    return (
        f"{name}{more} must have the rate of the training data, {rule}; got {rate:.4g} Hz. Labels "
        f"may be wrong. A model trained with rate={low}, --rate {low} resamples new files itself."
    )


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


def untried(n_states: int, sparsity: float | None, reason: object) -> str:
    """Warning that parameters were not chosen by folds."""
    values = f"{n_states} states" + ("" if sparsity is None else f" and a sparsity of {sparsity:g}")
    return f"{values} were taken untried, as folds of the training part cannot be used: {reason}"


def made_elsewhere(package: str, theirs: object, ours: str) -> str:
    """Warning about a model with parts of another version of a library."""
    return (
        f"the model was made with {package} {theirs}, and this is {ours}: its predictions may "
        "differ. Train it anew, or install that version."
    )


def cannot_save(where: str, value: object, known: Iterable[str]) -> InputTypeError:
    """Part of an estimator that has no place in a file."""
    kind = type(value)
    if kind.__name__ in ("RandomState", "Generator"):
        return InputTypeError(
            f"{where} must be an integer or None to be saved; got a {kind.__name__}. Give it a "
            "seed by set_params: what was fitted stays as it is."
        )
    if callable(value) and not hasattr(value, "get_params"):
        name = getattr(value, "__name__", kind.__name__)
        return InputTypeError(
            f"{where} must be a name, a number or an array to be saved; got the function {name}. "
            "A file of a model holds no code: fit with a kernel or distance by its name."
        )
    return InputTypeError(
        f"{where} must be of a class that can be saved; got {kind.__module__}.{kind.__qualname__}. "
        f"Use one of these: {', '.join(known)}. Or save the steps of a pipeline before it, "
        "pipeline[:-1], and keep the last one by other means."
    )


def not_fitted_to_save(name: str, attribute: str) -> str:
    """Message about an estimator that has nothing to keep yet."""
    return f"{name} must be fitted to be saved; it has no {attribute}. Call fit first."


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


def other_store(path: str | PathLike[str], name: str, got: object, wanted: object) -> ValueError:
    """A store that was made with other parameters."""
    return ValueError(
        f"store {path} must have been made with {name}={wanted!r}, as is asked for; got one made "
        f"with {name}={got!r}. Name another folder, or delete this one."
    )


# Clusters


def of_block(start: int, stop: int, message: str) -> str:
    """A warning about some of the systems of a block, which count from its first."""
    return f"of systems {start} to {stop - 1}, counted from the first of them: {message}"


def package_missing(what: str, package: str, extra: str) -> ImportError:
    """A package of an extra that is not installed."""
    return ImportError(
        f"{what} needs the package {package}, which is not installed. "
        f"Install it with: pip install 'ldslearn[{extra}]'"
    )


def no_client() -> ValueError:
    """No cluster given, and none at hand."""
    return ValueError(
        "use_cluster() must be given an address or a client, or find an active client; got none. "
        "Pass the scheduler's address, such as 'tcp://host:8786'."
    )


def no_scheduler(address: str, reason: object) -> ConnectionError:
    """An address without a scheduler."""
    return ConnectionError(
        f"cluster must be the address of a running Dask scheduler; got {address!r}: {reason}. "
        "Start one with `dask scheduler`, and workers with `dask worker ADDRESS`."
    )


def no_workers(address: str) -> str:
    """A scheduler that has nobody to work."""
    return (
        f"the scheduler at {address} has no workers: nothing is done until one comes. Start some "
        f"with `dask worker {address} --nthreads 1`."
    )


def workers_gone(address: str, seconds: float) -> ConnectionError:
    """A scheduler that has had nobody to work for long."""
    return ConnectionError(
        f"the scheduler at {address} must have workers; for {seconds / 60:.0f} minutes there was "
        "none. What was finished is kept: start some and run it again."
    )


def files_on_cluster() -> ValueError:
    """Files to be labelled by workers, which take systems."""
    return ValueError(
        "--cluster labels the systems of a store; got files. Encode them first: ldslearn encode "
        "--like MODEL."
    )


def scheduler_lost() -> ConnectionError:
    """A scheduler that went away in mid-run."""
    return ConnectionError(
        "the scheduler must stay reachable; the connection was lost. Finished shards are kept, and "
        "the same call goes on from them; a dictionary keeps its atoms, to go on with "
        "init=dictionary.atoms_, or `ldslearn learn --init FILE`."
    )


def workers_killed(what: str) -> ChildProcessError:
    """A block that no worker survived."""
    return ChildProcessError(
        f"{what}: one block ended several workers in a row. They may have too little memory: give "
        "them more, or make blocks smaller (shard_size)."
    )


def unlike_model(name: str, whose: str, got: object, expected: object) -> ValueError:
    """A store or collection that was made in another way than what a model was trained on."""
    remedies = {
        "store": "Encode the files as the model does: ldslearn encode --like MODEL.",
        "collection": "Predict from the files: the model reads them as those of training.",
    }
    return invalid(
        f"{name} of the {whose}", f"be {expected!r}, as the model was trained with", repr(got),
        remedies[whose],
    )  # fmt: skip


def no_classifier(path: str | PathLike[str], got: str) -> ValueError:
    """A file of an estimator that cannot label sequences."""
    return bad_file(
        path, "hold a classifier of sequences", got,
        "Train one with `ldslearn train`, or save a pipeline with an LDSEncoder and a classifier.",
    )  # fmt: skip


def channels_are_scaled() -> ValueError:
    """Systems for a model that scales channels before it encodes sequences."""
    return invalid(
        "the model", "take channels as they are to label systems", "one that scales them",
        "Systems in a store are not scaled: predict from the sequences or files.",
    )  # fmt: skip


# Systems


def not_systems(name: str, got: object) -> InputTypeError:
    """Something else where systems are expected."""
    return InputTypeError(
        f"{name} must be an LDS batch; got {type(got).__name__}. "
        + (
            "Take as many of its systems as memory holds: store[:1000]."
            if type(got).__name__ == "LDSStore"
            else "Encode sequences with LDSEncoder first."
        )
    )


def unstable_systems(indices: Sequence[int]) -> SystemsError:
    """Systems without a Gramian."""
    return SystemsError(
        "{systems} must be stable to have a Gramian; got a spectral radius of 1 or more, or 1 to "
        "rounding. Stabilize it (ldslearn.models.stabilize, LDSEncoder(stabilizer=...)), or accept "
        "the formal solution with LDSEncoder(stabilizer='none') or LDS(..., allow_unstable=True).",
        indices,
    )


def formal_solution() -> str:
    """Template of the warning about systems without a Gramian that were accepted."""
    return (
        "{systems} is unstable and has no Gramian; the formal solution of its "
        "equation is used, which may be indefinite. Distances and kernels lose their meaning."
    )


def no_solution(indices: Sequence[int]) -> SystemsError:
    """Formal solutions that do not exist."""
    return SystemsError(
        "{systems} must have no eigenvalue whose product with another, of itself or of the system "
        "it is compared with, is 1, or their equation has no solution, not even a formal one; got "
        "such a pair among unstable systems. Stabilize it.",
        indices,
    )


def not_orthogonal(n_states: int, got: str) -> ValueError:
    """A change of state coordinates that C would not survive."""
    return invalid("P", f"be orthogonal of size {n_states}", got, "numpy.linalg.qr makes one.")


def order_too_large(indices: Sequence[int], order: int) -> SystemsError:
    """Powers of an unstable matrix that outgrow double precision."""
    return SystemsError(
        f"order must be small enough for the powers of {{systems}}; got {order}, with "
        "which its observability matrix is singular to rounding. Lower order, or stabilize it.",
        indices,
    )


def ill_conditioned_systems(indices: Sequence[int]) -> SystemsError:
    """Systems so near the unit circle, or so far from normal, that nothing can be promised."""
    return SystemsError(
        "{systems} must have a Gramian that does not drown in rounding; got a spectral radius near "
        "1, or states of very different scales. Stabilize it (ldslearn.models.stabilize, "
        "LDSEncoder(stabilizer='soft')), or scale the channels.",
        indices,
    )


def no_schur_form(index: int) -> SystemsError:
    """Eigenvalues that LAPACK does not find."""
    return SystemsError(
        "{systems} must have eigenvalues that can be computed; LAPACK found none. Encode its "
        "sequence again with other settings, or leave it out.",
        [index],
    )


def channels_differ(got: int, expected: int) -> ValueError:
    """Two batches that do not measure the same channels."""
    return ValueError(
        f"X and Y must measure the same channels; got {expected} and {got}. "
        "Encode both with the same channels and delays."
    )


def systems_not_as_fitted(what: str, got: int, expected: int, whose: str) -> ValueError:
    """Systems of another order or other channels than those of the training set."""
    return ValueError(
        f"X must have {what}={expected}, as {whose}; got {got}. "
        "Encode training and new sequences with the same LDSEncoder, for example in one Pipeline."
    )


def matrix_too_large(n_systems: int, size: int, memory: int) -> MemoryError:
    """A kernel matrix beyond the memory of the machine."""
    return MemoryError(
        f"the kernel matrix of {n_systems} systems must fit in memory twice; one copy takes "
        f"{size / 2**30:.1f} GiB, and this machine has {memory / 2**30:.1f} GiB. Fit on fewer "
        "systems, such as a sample of every class."
    )


def several_windows(windows: int) -> ValueError:
    """Something that needs single systems, given sequences of several windows."""
    return invalid(
        "systems", "be single", f"{windows} windows per sequence",
        "Take one window of all: systems.window(0).",
    )  # fmt: skip


def windows_differ(got: int, expected: int) -> ValueError:
    """Two batches that cannot be aligned."""
    return invalid(
        "Y", f"have {expected} windows per sequence, as X has", got,
        "Encode all sequences with the same windows.",
    )  # fmt: skip


def states_differ(what: str, got: int, expected: int) -> ValueError:
    """Two batches of different order where one is needed."""
    return ValueError(f"X and Y must have the same n_states for {what}; got {expected} and {got}.")


def indefinite_kernel(smallest: float, share: float) -> str:
    """Text about a kernel matrix that is not positive semi-definite."""
    return (
        f"the kernel matrix is indefinite: its smallest eigenvalue is {smallest:.3g}, and "
        f"negative ones make up {share:.2%} of the spectrum."
    )


def mixture_parameter(name: str, owners: Sequence[str]) -> ValueError:
    """A parameter of a mixture that does not say to which part it belongs."""
    example = f"{{{owners[0]!r}: {{{name!r}: ...}}}}"
    return ValueError(
        f"parameters of a mixture of kernels must be mappings under the names of its parts; got "
        f"{name!r}. Say whose it is, such as {example}."
    )


def unknown_parameter(kernel: str, got: str, known: Sequence[str]) -> ValueError:
    """A parameter that a kernel does not have."""
    if not known:
        return ValueError(
            f"the {kernel!r} kernel must be given no parameters; got {got!r}. Leave it out."
        )
    names = ", ".join(repr(name) for name in known)
    return ValueError(f"parameters of the {kernel!r} kernel must be among {names}; got {got!r}.")


def not_symmetric(gap: float) -> ValueError:
    """A kernel function that is not one."""
    return ValueError(
        f"kernel must be symmetric, k(x, y) = k(y, x); got a matrix with |K - K'| = {gap:.3g}."
    )


def no_positive_part() -> ValueError:
    """A kernel matrix without a positive eigenvalue."""
    return ValueError(
        "the kernel matrix must have positive eigenvalues; got none. It is no similarity: is it a "
        "distance, or of the wrong sign?"
    )


def unsettled_rates(n_frequencies: int) -> str:
    """Text of the warning about an integral that has not converged."""
    return (
        f"the divergence rates have not settled with {n_frequencies} frequencies: some system is "
        "too near the unit circle. Stabilize with a lower bound, or pass n_frequencies."
    )


def noise_not_positive(indices: Sequence[int]) -> SystemsError:
    """Systems without measurement noise, where its logarithm is needed."""
    return SystemsError(
        "noise_variance of {systems} must be positive for the divergence rate; got 0.0. Encode "
        "with fewer states than channels, so that something is left over.",
        indices,
    )


def field_missing(what: str, field: str) -> ValueError:
    """A kernel that needs an optional field."""
    return ValueError(f"systems must have {field} for {what}; got None. LDSEncoder provides it.")


def unstable_part(part: str, limit: float) -> str:
    """Template of the warning about parts with eigenvalues outside the unit disc."""
    return (
        f"the {part} part of {{systems}} has eigenvalues of modulus 1 or more; they "
        f"were cut at {limit}. With stabilizer='soft' the parts are always stable."
    )


# Labels


def labels_not_as_many(n_labels: int, n_items: int, what: str = "systems") -> ValueError:
    """As many labels as systems are needed."""
    one = what.removesuffix("s")
    return ValueError(f"y must hold one label a {one}; got {n_labels} labels for {n_items} {what}.")


def lengthened(who: str, count: int, shortest: int) -> str:
    """Warning about new sequences that are shorter than any of training."""
    return (
        f"{count} {_plural(count)} shorter than {shortest} time points ({who}): their last samples "
        "were repeated."
    )


def never_held_out(classes: Sequence[str]) -> str:
    """Warning about classes that folds cannot test."""
    more = f" and {len(classes) - 5} more" if len(classes) > 5 else ""
    return (
        f"class {', '.join(map(repr, classes[:5]))}{more}: one sequence or group only, which is "
        "trained on, so that the expected accuracy says nothing about it."
    )


def one_class(label: object) -> ValueError:
    """Nothing to tell apart."""
    return ValueError(
        f"y must hold at least two classes; got only {label!r}. A classifier of one class would "
        "know its answer already."
    )


def too_few_classes(label: str, count: int) -> ValueError:
    """A collection of one class."""
    return invalid(
        "the collection", "hold at least two classes", f"{count} items of the one class {label!r}",
        "Add items of another class. To group items without labels, use `ldslearn cluster` or "
        "LDSKMeans.",
    )  # fmt: skip


def too_few_of_class(label: str, count: int, others: int, folds: int) -> ValueError:
    """A class that is too small for folds; with one member, for any."""
    also = f" and of {others} more {'class' if others == 1 else 'classes'}" * bool(others)
    if count < 2:
        return invalid(
            "every class", "have at least 2 items, one to train on and one to test",
            f"{count} of class {label!r}{also}",
            "Add items, or leave the class out.",
        )  # fmt: skip
    return invalid(
        "every class", f"have at least {folds} items for {folds} folds",
        f"{count} of class {label!r}{also}",
        f"Take at most {count} folds (--folds {count}), or add items.",
    )  # fmt: skip


def bad_labels(got: object) -> ValueError:
    """Numbers to regress on, missing labels, several columns."""
    return ValueError(f"y must hold class labels, one per system; got {got}.")


def bad_reject_label(rule: str, label: object) -> ValueError:
    """The label for the unknown is that of a class, or of another kind than theirs."""
    return ValueError(f"reject_label must {rule}; got {label!r}. Choose another one.")


def class_too_small_for(what: str, count: int) -> ValueError:
    """Too few examples of a class for folds that choose a parameter."""
    name = what.partition("=")[0]
    return ValueError(
        f"y must hold at least 2 systems of every class for {what}; got {count} of one. "
        f"Give {name} a number, or add examples."
    )


def class_too_small(label: object, count: int) -> ValueError:
    """Too few examples of a class for cross-validation."""
    return ValueError(
        f"y must hold at least 2 systems of every class for C='cv'; got {count} of {label!r}. "
        "Give C a number, or add examples."
    )


# Codes


def unused_with_pursuit(name: str) -> ValueError:
    """A parameter of the lasso together with n_nonzero."""
    return ValueError(
        f"{name} must not be given together with n_nonzero; got both. Orthogonal matching pursuit "
        "has no use for it: leave one of them out."
    )


def not_certified(indices: Sequence[int], worst: float) -> str:
    """Text of the warning about codes that miss their optimality conditions."""
    return (
        f"the codes of sample {listed(indices)} miss the optimality conditions by up to "
        f"{worst:.3g}: cross lies outside the range of gram, so that no samples can have it, or "
        "numbers are extreme. Check that gram and cross come from one kernel; raise sparsity."
    )


def codes_of_positive_part(indices: Sequence[int], message: str) -> str:
    """Text of the warning about codes on an indefinite matrix."""
    return (
        f"{message} It is not that of any atoms: the codes of sample {listed(indices)} are those "
        "for its positive part."
    )


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


def not_systems_but_subspaces() -> InputTypeError:
    """Finite atoms asked for their systems."""
    return InputTypeError(
        "finite atoms and centres are subspaces and belong to no system; use .subspaces, or learn "
        "parts of systems."
    )


def other_atoms(got: str, wanted: Sequence[str]) -> ValueError:
    """Atoms of another kind of dictionary."""
    return ValueError(
        f"init must hold atoms for these codes: {', '.join(wanted)}; got {got}. Take them from a "
        "dictionary with the same parts, mix and shared_codes, or from LDSKMeans."
    )


def no_codes(sparsity: float) -> str:
    """Text of the warning about a dictionary that nothing uses."""
    return f"no code uses any atom with sparsity={sparsity:g}: nothing was learned. Lower sparsity."


def joint_only(update: str) -> ValueError:
    """An update that does not distribute."""
    return ValueError(
        f"update must be 'joint' for systems in a store or on a cluster; got {update!r}. "
        "Eigenvectors need all systems of an atom in one place."
    )


def atoms_given_per_class() -> ValueError:
    """Atoms to start from, where every class learns its own."""
    return ValueError(
        "dictionary must have init='kmeans' or 'random' with per_class=True; got atoms. Every "
        "class learns atoms of its own."
    )
