"""Instructions: decoded code, and the tables' facts.

>>> from amdgcn import isa
>>> isa.lookup("ds_add_u32", "gfx906").effect
'old = u32[address]; u32[address] = old + data'
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Any, NamedTuple, Sequence

from . import _amdgcn
from .errors import Error

__all__ = [
    "Encoding",
    "EncodingField",
    "Entry",
    "EntryOperand",
    "Instruction",
    "Operand",
    "Target",
    "disassemble",
    "lookup",
    "mnemonics",
    "targets",
]


@dataclass(frozen=True)
class Operand:
    """Operand of an instruction."""

    #: Field that holds it, such as ``src0``.
    field: str
    #: Type, such as ``f32``.
    type: str
    #: ``vgpr``, ``scalar``, ``constant``, ``literal``, ``immediate``, ``offset`` or ``off``.
    kind: str
    #: Text, such as ``v[2:3]``, without the modifiers of ``negate`` and ``absolute``.
    text: str
    #: Number of an immediate, a literal or an integer constant.
    value: int | None
    #: True if the instruction reads registers that it names.
    reads: bool
    #: True if the instruction writes registers that it names.
    writes: bool
    #: True if the value is negated.
    negate: bool
    #: True if the absolute value is taken.
    absolute: bool


class Instruction:
    """Instruction in code, or words that are none.

    >>> import amdgcn
    >>> code = amdgcn.assemble("v_add_f32_e64 v1, -v2, s4 clamp", "gfx906").code
    >>> add, = amdgcn.disassemble(code, "gfx906")
    >>> add.text, add.mnemonic, add.encoding
    ('v_add_f32_e64 v1, -v2, s4 clamp', 'v_add_f32', 'vop3')
    >>> [(it.text, it.reads, it.writes, it.negate) for it in add.operands]
    [('v1', False, True, False), ('v2', True, False, True), ('s4', True, False, False)]
    >>> add.reads[:2], add.writes[0], add.modifiers
    (['v2', 's4'], 'v1', {'clamp': 1})
    >>> add.effect, add.fields["src1"]
    ('vdst = src0 + src1', 4)
    """

    __slots__ = ("_native",)

    def __init__(self, native: _amdgcn.Instruction) -> None:
        self._native = native

    @property
    def address(self) -> int:
        """Address of the first word."""
        return self._native.address

    @property
    def size(self) -> int:
        """Bytes."""
        return self._native.size

    @property
    def words(self) -> tuple[int, ...]:
        """Dwords."""
        return tuple(self._native.words)

    @property
    def is_valid(self) -> bool:
        """False of words that are no instruction."""
        return self._native.is_valid

    @property
    def text(self) -> str:
        """Text as LLVM's assembler reads it; ``.long`` where the words are no instruction."""
        return self._native.text

    @property
    def mnemonic(self) -> str | None:
        """Name without an encoding's suffix."""
        return self._native.mnemonic

    @property
    def encoding(self) -> str | None:
        """Encoding, such as ``vop3``."""
        return self._native.encoding

    @property
    def operands(self) -> list[Operand]:
        """Operands in the order of the text."""
        return [Operand(**fields) for fields in self._native.operands]

    @property
    def modifiers(self) -> dict[str, int]:
        """Modifiers that are not as by default, with the values of their fields."""
        return dict(self._native.modifiers)

    @property
    def reads(self) -> list[str]:
        """Registers that it reads, those that no operand names included."""
        return self._native.reads

    @property
    def writes(self) -> list[str]:
        """Registers that it writes, those that no operand names included."""
        return self._native.writes

    @property
    def uses(self) -> str:
        """Registers, memory and counters in a line."""
        return self._native.uses

    @property
    def effect(self) -> str | None:
        """Effect in a line of pseudo-code."""
        return self._native.effect

    @property
    def memory(self) -> str | None:
        """Memory that it accesses, such as ``global read``."""
        return self._native.memory

    @property
    def counters(self) -> list[str]:
        """Counters that it adds to, such as ``vmcnt``."""
        return self._native.counters

    @property
    def fields(self) -> dict[str, int]:
        """Fields of the encoding with their values."""
        return dict(self._native.fields)

    @property
    def branch_target(self) -> int | None:
        """Address that a branch goes to."""
        return self._native.branch_target

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<amdgcn.Instruction {self.address:#x}: {self.text}>"


def disassemble(
    code: Any, target: str = "gfx906", *, address: int = 0, strict: bool = False
) -> list[Instruction]:
    """Decodes machine code, which lies at ``address``.

    Words that are no instruction come as instructions that are not valid, or, if ``strict``, raise :class:`DecodeError`.

    >>> import amdgcn
    >>> [str(it) for it in amdgcn.disassemble(bytes.fromhex("0000 82bf ffff ffff 0000 81bf"), "gfx906")]
    ['s_branch 0', '.long 0xffffffff', 's_endpgm']
    """
    return [Instruction(it) for it in _amdgcn.disassemble(bytes(code), target, address, strict)]


class EncodingField(NamedTuple):
    """Field of an encoding: bits ``high`` to ``low``, counted through all dwords."""

    name: str
    low: int
    high: int


@dataclass(frozen=True)
class Encoding:
    """Encoding of an instruction."""

    #: Name, such as ``vop3``.
    name: str
    #: Number of the instruction in it.
    opcode: int
    #: Dwords without a literal.
    dwords: int
    #: Fields, from the highest bit of the first dword on.
    fields: Sequence[EncodingField]


@dataclass(frozen=True)
class EntryOperand:
    """Operand that an instruction takes."""

    #: Field that holds it.
    field: str
    #: Type, such as ``f32``.
    type: str
    #: Its use in phrases, such as ``reads 2 dwords``.
    uses: Sequence[str]


@dataclass(frozen=True)
class Entry:
    """Facts of the tables about an instruction of a target."""

    #: Name.
    name: str
    #: Target.
    target: str
    #: Family, such as ``ds``.
    family: str
    #: Syntax.
    syntax: str
    #: Effect in a line of pseudo-code.
    effect: str
    #: Outcome in corner cases.
    corners: Sequence[str]
    #: Memory that it accesses.
    memory: str | None
    #: Counters that it adds to.
    counters: Sequence[str]
    #: Operands in the order of the text.
    operands: Sequence[EntryOperand]
    #: Registers that no operand names, in phrases.
    implicit: Sequence[str]
    #: Encodings.
    encodings: Sequence[Encoding]


def lookup(name: str, target: str = "gfx906") -> Entry:
    """Facts about an instruction. Raises :class:`Error` (``unknown-entry``) if the target has none of the name.

    >>> from amdgcn import isa
    >>> add = isa.lookup("v_add_f32")
    >>> [(encoding.name, encoding.opcode) for encoding in add.encodings][:2]
    [('vop2', 1), ('vop3', 257)]
    >>> add.encodings[0].fields[0]
    EncodingField(name='op', low=25, high=30)
    """
    fields = _amdgcn.lookup(name, target)
    if fields is None:
        near = difflib.get_close_matches(name.lower(), mnemonics(target), 3)
        hint = f"; similar: {', '.join(near)}" if near else ""
        raise Error(f"{target} has no instruction {name}{hint}", "unknown-entry")
    fields["operands"] = [EntryOperand(**it) for it in fields["operands"]]
    fields["encodings"] = [
        Encoding(it["name"], it["opcode"], it["dwords"], [EncodingField(*f) for f in it["fields"]])
        for it in fields["encodings"]
    ]
    return Entry(**fields)


def mnemonics(target: str = "gfx906") -> list[str]:
    """Names of all instructions of a target.

    >>> from amdgcn import isa
    >>> "v_dot4_i32_i8" in isa.mnemonics("gfx906"), "v_dot4_i32_i8" in isa.mnemonics("gfx900")
    (True, False)
    """
    return _amdgcn.mnemonics(target)


class Target(NamedTuple):
    """GPU that code is for."""

    #: LLVM's name.
    name: str
    #: Version of the instruction set.
    isa: str
    #: Names of chips that mean it.
    chips: tuple[str, ...]


def targets() -> list[Target]:
    """All targets.

    >>> from amdgcn import isa
    >>> [target for target in isa.targets() if target.name == "gfx906"]
    [Target(name='gfx906', isa='GCN 1.4.1', chips=('vega20',))]
    """
    return [Target(name, version, tuple(chips)) for name, version, chips in _amdgcn.targets()]
