"""Code objects."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any, Mapping, Sequence

from . import _amdgcn
from .errors import LoadError

__all__ = ["CodeObject", "ObjectKernel"]


@dataclass(frozen=True)
class ObjectKernel:
    """Kernel of a code object."""

    #: Symbol, without ``.kd``.
    name: str
    #: Address of the first instruction.
    entry_address: int
    #: Address of the descriptor.
    descriptor_address: int
    #: Bytes of the code; 0 if the symbol does not say.
    code_size: int
    #: Fields of the descriptor.
    descriptor: Mapping[str, Any] = field(repr=False)
    #: Metadata of the compiler, if there are any.
    metadata: Mapping[str, Any] | None = field(repr=False)


@dataclass(frozen=True)
class CodeObject:
    """Code object, as an assembler or a linker made it.

    >>> import amdgcn
    >>> program = amdgcn.assemble(amdgcn.EXAMPLE, "gfx906")
    >>> code = amdgcn.CodeObject.read(program.object)
    >>> code.target, code.version, code.kernel("scale").descriptor["kernarg_size"]
    ('gfx906', 3, 0)
    >>> code.sections[".text"] == program.code
    True
    """

    #: Processor and features, such as ``gfx906:sramecc+:xnack-``.
    target: str
    #: Version of the format.
    version: int
    #: Kernels, by their names.
    kernels: Sequence[ObjectKernel]
    #: Bytes of the sections, by their names.
    sections: Mapping[str, bytes] = field(repr=False)
    #: Defects that do not keep it from being loaded.
    warnings: Sequence[str]
    #: Bytes of the object.
    code: bytes = field(repr=False)

    @classmethod
    def read_all(cls, source: str | os.PathLike[str] | bytes) -> list[CodeObject]:
        """Code objects of a file or of its bytes: one, or those of a bundle, a fat binary or an executable."""
        if isinstance(source, (str, os.PathLike)):
            with open(source, "rb") as file:
                source = file.read()
        return [cls._read(fields) for fields in _amdgcn.read_object(bytes(source))]

    @classmethod
    def read(cls, source: str | os.PathLike[str] | bytes) -> CodeObject:
        """Code object of a file or of its bytes. Raises :class:`LoadError` if there are several, see :meth:`read_all`."""
        objects = cls.read_all(source)
        if len(objects) != 1:
            targets = ", ".join(it.target for it in objects)
            raise LoadError(f"there are {len(objects)} code objects, for {targets}; read_all reads them")
        return objects[0]

    @classmethod
    def _read(cls, fields: dict[str, Any]) -> CodeObject:
        for kernel in fields["kernels"]:
            kernel["descriptor"] = json.loads(kernel["descriptor"])
            kernel["metadata"] = json.loads(kernel["metadata"])
        fields["kernels"] = [ObjectKernel(**kernel) for kernel in fields["kernels"]]
        return cls(**fields)

    def kernel(self, name: str) -> ObjectKernel:
        """Kernel with a symbol. Raises :class:`LoadError` if there is none."""
        for kernel in self.kernels:
            if kernel.name == name:
                return kernel
        names = ", ".join(kernel.name for kernel in self.kernels)
        raise LoadError(f"there is no kernel {name}; there are: {names}")
