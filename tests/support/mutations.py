"""Damage to files: what bad disks, cut copies and hostile authors make of them."""

import re
import struct

HUGE = (0, 1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
NUMBERS = (b"-1", b"0", b"99999999999", b"1e999", b"nan", b"-inf", b"?", b"", b"1_0", b"9" * 5000)


def mutations(data, random):
    """Return `data` after one to three kinds of damage, drawn by a `random.Random`."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        data = random.choice(KINDS)(data, random) if data else data
    return data


def flip_bits(data, random):
    damaged = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 8))):
        damaged[random.randrange(len(damaged))] ^= 1 << random.randrange(8)
    return bytes(damaged)


def truncate(data, random):
    return data[: random.randrange(len(data))]


def duplicate(data, random):
    start, stop = _block(data, random)
    at = random.randrange(len(data) + 1)
    return data[:at] + data[start:stop] * random.choice((1, 1, 3)) + data[at:]


def drop(data, random):
    start, stop = _block(data, random)
    return data[:start] + data[stop:]


def swap(data, random):
    a, b, c, d = sorted(random.randrange(len(data) + 1) for _ in range(4))
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def zero(data, random):
    start, stop = _block(data, random)
    return data[:start] + bytes(stop - start) + data[stop:]


def edit_number(data, random):
    """Replace one number of a text; binary files have some too, as in npy headers."""
    found = list(re.finditer(rb"[-+]?\d+(?:\.\d*)?", data))
    if not found:
        return flip_bits(data, random)
    match = random.choice(found)
    return data[: match.start()] + random.choice(NUMBERS) + data[match.end() :]


def edit_length(data, random):
    """Set a word of 2, 4 or 8 bytes to a count no file has, or near the one it had."""
    width = random.choice((2, 4, 4, 8))
    if len(data) < width:
        return data
    at = random.randrange(0, len(data) - width + 1)
    at -= at % random.choice((1, width))
    order = random.choice("<>")
    code = order + {2: "H", 4: "I", 8: "Q"}[width]
    old = struct.unpack_from(code, data, at)[0]
    new = random.choice((*HUGE, 2**62, 2**63, 2**64 - 1, old + 1, old - 1, old * 2, ~old))
    return data[:at] + struct.pack(code, new % 2 ** (8 * width)) + data[at + width :]


def _block(data, random):
    start = random.randrange(len(data))
    return start, min(len(data), start + random.choice((1, 4, 8, 32, 256)))


KINDS = (
    flip_bits, truncate, duplicate, drop, swap, zero, edit_number, edit_length, edit_length
)  # fmt: skip
