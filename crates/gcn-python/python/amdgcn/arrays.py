"""Arrays in a device's memory, and types of their elements."""

from __future__ import annotations

import struct
from typing import Any, Iterator, NamedTuple

from ._amdgcn import ArrayBase

__all__ = ["Array"]


class ElementType(NamedTuple):
    """Type of elements: name as OpenCL and Rust people write it, and as ``struct`` and numpy do."""

    name: str
    format: str
    size: int
    typestr: str


TYPES = {
    kind.name: kind
    for kind in [
        ElementType("u8", "B", 1, "|u1"),
        ElementType("i8", "b", 1, "|i1"),
        ElementType("u16", "H", 2, "<u2"),
        ElementType("i16", "h", 2, "<i2"),
        ElementType("f16", "e", 2, "<f2"),
        ElementType("u32", "I", 4, "<u4"),
        ElementType("i32", "i", 4, "<i4"),
        ElementType("f32", "f", 4, "<f4"),
        ElementType("u64", "Q", 8, "<u8"),
        ElementType("i64", "q", 8, "<i8"),
        ElementType("f64", "d", 8, "<f8"),
    ]
}

_NUMPY_NAMES = {
    f"{word}{8 * kind.size}": kind
    for kind in TYPES.values()
    for letter, word in (("u", "uint"), ("i", "int"), ("f", "float"))
    if kind.name[0] == letter
}
# `l` and `L` have eight bytes wherever this package runs.
_FORMATS = {kind.format: kind for kind in TYPES.values()} | {
    "l": TYPES["i64"],
    "L": TYPES["u64"],
    "?": TYPES["u8"],
}
_TYPESTRS = {kind.typestr[1:]: kind for kind in TYPES.values()} | {"b1": TYPES["u8"]}


def element_type(dtype: Any) -> ElementType:
    """Type that a name (``u32``, ``uint32``, ``<u4``), a numpy type or a format of ``struct`` stands for."""
    if isinstance(dtype, ElementType):
        return dtype
    # numpy.dtype("float32"), and numpy.float32, which is a class.
    text = getattr(dtype, "str", None) or getattr(dtype, "__name__", dtype)
    if isinstance(text, str):
        plain = text.lstrip("<=|@")
        # `<u8` has eight bytes, as numpy writes it, and `u8` has eight bits.
        tables = (TYPES, _NUMPY_NAMES, _FORMATS) if plain == text else (_TYPESTRS, _FORMATS)
        for table in tables:
            if plain in table:
                return table[plain]
    raise TypeError(f"{dtype!r} is no element type; these are: {', '.join(TYPES)}")


class Array(ArrayBase):
    """Array in a device's memory, which kernels and Python share: made by :meth:`Device.array`.

    It has Python's buffer protocol and ``__array_interface__``, so that ``memoryview(array)`` and ``numpy.asarray(array)`` are
    views of the memory itself, without a copy.

    >>> import amdgcn
    >>> xs = amdgcn.Device("gfx906").array([1, 2, 3], "u32", name="xs")
    >>> xs
    <amdgcn.Array xs: 3 u32>
    >>> xs[1] = 20
    >>> list(xs), len(xs), xs.nbytes
    ([1, 20, 3], 3, 12)
    >>> memoryview(xs).format
    'I'
    """

    @property
    def dtype(self) -> str:
        """Name of the element type, such as ``f32``."""
        return _FORMATS[self.format].name

    @property
    def size(self) -> int:
        """Number of elements."""
        return self.nbytes // self.itemsize

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return {
            "version": 3,
            "shape": tuple(self.shape),
            "typestr": _FORMATS[self.format].typestr,
            "data": (self.address, False),
        }

    def __dlpack__(self, **options: Any) -> Any:
        """Capsule of DLPack for the memory itself; numpy makes it, and must be installed."""
        return self.numpy().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        cpu = 1
        return (cpu, 0)

    def numpy(self) -> Any:
        """View of the memory as a numpy array, without a copy.

        >>> import amdgcn, importlib.util
        >>> xs = amdgcn.Device("gfx906").array((2, 2), "f32")
        >>> importlib.util.find_spec("numpy") is None or xs.numpy().shape == (2, 2)
        True
        """
        import numpy

        return numpy.asarray(self)

    def tolist(self) -> list[Any]:
        """Elements, in nested lists for several dimensions."""
        return memoryview(self).tolist()

    def tobytes(self) -> bytes:
        """Copy of the bytes."""
        return memoryview(self).tobytes()

    def fill(self, value: Any) -> None:
        """Stores a value in all elements.

        >>> import amdgcn
        >>> xs = amdgcn.Device("gfx906").array(3, "f32")
        >>> xs.fill(1.5)
        >>> xs.tolist()
        [1.5, 1.5, 1.5]
        """
        self._write(struct.pack(f"<{self.format}", value) * self.size)

    def _write(self, data: bytes) -> None:
        """Stores the bytes of all elements."""
        if data:
            memoryview(self).cast("B")[:] = data

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without dimensions has no length")
        return self.shape[0]

    def __getitem__(self, index: Any) -> Any:
        return memoryview(self)[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        memoryview(self)[index] = value

    def __iter__(self) -> Iterator[Any]:
        return iter(memoryview(self))

    def __repr__(self) -> str:
        shape = "×".join(map(str, self.shape)) or "1"
        return f"<amdgcn.Array {self.name}: {shape} {self.dtype}>"
