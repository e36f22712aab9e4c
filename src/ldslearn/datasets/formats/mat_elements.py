"""Elements of MATLAB files of version 5 to 7: a type, a size, and as many bytes."""

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn._files import INFLATION, VARIABLE

MATRIX, COMPRESSED = 14, 15
TYPES = {
    1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"
}  # fmt: skip


@dataclass
class MemoryLimit:
    """A limit on memory: the bytes that may still be used."""

    left: int

    def take(self, size: int) -> None:
        """Use `size` bytes, or raise before memory is allocated."""
        if size > self.left:
            raise ValueError(
                f"variables that take {size - self.left} bytes too many; {VARIABLE} allows more"
            )
        self.left -= size


class Stream:
    """Elements one after another in some bytes."""

    def __init__(self, content: memoryview, order: str, memory: MemoryLimit) -> None:
        self.content, self.order, self.memory = content, order, memory

    def read_element(self) -> tuple[int, memoryview]:
        """Return type and bytes of the next element."""
        if len(self.content) < 8:
            raise ValueError("an element that is cut short")
        word = int(np.frombuffer(self.content, self.order + "u4", 1)[0])
        if word >> 16:  # small: type and size share a word, and four bytes follow
            kind, size, start, end = word & 0xFFFF, word >> 16, 4, 8
            if size > 4:
                raise ValueError(f"a small element of {size} bytes")
        else:
            kind, size = word, int(np.frombuffer(self.content, self.order + "u4", 2)[1])
            start, end = 8, 8 + size + (0 if kind == COMPRESSED else -size % 8)
        if start + size > len(self.content):
            raise ValueError(f"an element of {size} bytes where {len(self.content) - start} are")
        body, self.content = self.content[start : start + size], self.content[end:]
        return kind, body

    def read_numbers(self) -> NDArray[Any]:
        """Return the numbers in the next element."""
        kind, body = self.read_element()
        if kind not in TYPES:
            raise ValueError(f"an element of type {kind} for numbers")
        return np.frombuffer(body, self.order + TYPES[kind])

    def read_text(self) -> str:
        """Return the name in the next element."""
        kind, body = self.read_element()
        if kind not in (1, 2, 16):
            raise ValueError(f"an element of type {kind} for a name")
        return bytes(body).decode("utf-8")


def inflate(body: memoryview, order: str, memory: MemoryLimit) -> tuple[int, memoryview]:
    """Return type and bytes of a compressed element, checked against its stated size."""
    inflate = zlib.decompressobj()
    tag = inflate.decompress(body, 8)
    if len(tag) < 8:
        raise ValueError("a compressed element that is cut short")
    kind, size = (int(word) for word in np.frombuffer(tag, order + "u4"))
    if size > INFLATION * len(body):
        raise ValueError(f"a compressed element with a false size of {size} bytes")
    memory.take(size)
    content = inflate.decompress(inflate.unconsumed_tail, size) if size else b""
    if len(content) < size:
        raise ValueError("a compressed element that is cut short")
    if inflate.decompress(inflate.unconsumed_tail, 1) or not inflate.eof:
        raise ValueError("a compressed element longer than it says")
    return kind, memoryview(content)
