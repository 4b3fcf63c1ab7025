"""Source text to machine code."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Mapping, Sequence

from . import _amdgcn
from .reports import Diagnostic

__all__ = ["Program", "assemble", "assemble_file"]


@dataclass(frozen=True)
class Program:
    """Assembled source."""

    #: Name of the target.
    target: str
    #: Bytes of ``.text``.
    code: bytes = field(repr=False)
    #: Code object, as :class:`amdgcn.Module` loads it.
    object: bytes = field(repr=False)
    #: Names of the kernels, those of ``.amdhsa_kernel``.
    kernels: Sequence[str]
    #: Warnings and notes.
    diagnostics: Sequence[Diagnostic]


def assemble(
    text: str,
    target: str = "gfx906",
    *,
    name: str = "<source>",
    defines: Mapping[str, int] = {},
    include: Sequence[str | os.PathLike[str]] | None = None,
    debug: bool = False,
) -> Program:
    """Assembles a source, in LLVM's syntax or CLRX's.

    ``defines`` are symbols that are numbers before the source begins. Files of ``.include`` and ``.incbin`` are looked for in the
    directories of ``include``; without any, the source may read no files. ``debug`` adds the lines of instructions, and the text, which reports then show. Raises
    :class:`AssembleError` with all diagnostics, or :class:`TargetError`.

    >>> import amdgcn
    >>> amdgcn.assemble("s_nop count\\ns_endpgm", "gfx900", defines={"count": 3}).code.hex()
    '030080bf000081bf'
    """
    return _program(text, target, name, defines, include, debug, debug, include is not None)


def assemble_file(
    path: str | os.PathLike[str],
    target: str = "gfx906",
    *,
    defines: Mapping[str, int] = {},
    include: Sequence[str | os.PathLike[str]] = (),
    debug: bool = False,
) -> Program:
    """Assembles a file, as :func:`assemble` does a text. Files that it includes are looked for beside it too."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return _program(text, target, os.fspath(path), defines, include, debug, False, True)


def _program(
    text: str,
    target: str,
    name: str,
    defines: Mapping[str, int],
    include: Sequence[str | os.PathLike[str]] | None,
    debug: bool,
    embed: bool,
    files: bool,
) -> Program:
    fields = _amdgcn.assemble(
        text, target, str(name), list(defines.items()), list(include or ()), debug, embed, files
    )
    fields["diagnostics"] = [Diagnostic(**it) for it in fields["diagnostics"]]
    return Program(**fields)
