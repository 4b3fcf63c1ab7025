"""Exceptions: all are an :class:`Error`, with a stable name that ``gcn explain NAME`` expands."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Mapping, Sequence

if TYPE_CHECKING:
    from .reports import Diagnostic, Finding

__all__ = [
    "AssembleError",
    "Cancelled",
    "CompileError",
    "DecodeError",
    "Error",
    "Fault",
    "LaunchError",
    "LoadError",
    "OutOfMemoryError",
    "Skipped",
    "TargetError",
]


class Error(Exception):
    """Reason why something did not succeed.

    >>> import amdgcn
    >>> try:
    ...     amdgcn.Device("gfx1030")
    ... except amdgcn.Error as error:
    ...     print(error.name)
    unsupported-target
    """

    #: Stable name for ``gcn explain``; empty if the error has none.
    name: str
    #: Message without the name; that of a source or a kernel has several lines.
    message: str

    def __init__(self, message: str, name: str = "") -> None:
        super().__init__(message)
        self.name = name
        self.message = message

    def __str__(self) -> str:
        """Report as the command ``gcn`` prints it: ``error[NAME]: MESSAGE``."""
        if not self.name or self.message.startswith("error["):
            return self.message
        return f"error[{self.name}]: {self.message}"


class TargetError(Error, ValueError):
    """No GPU that is supported has the name."""


class OutOfMemoryError(Error, MemoryError):
    """The device has no memory left for an array or a launch."""


class DecodeError(Error, ValueError):
    """Words are no instruction, and the caller asked for nothing else."""


class LoadError(Error):
    """Code cannot be loaded: the file is no code object, has no code for the device, or no such kernel."""


class LaunchError(Error):
    """A launch is not possible: its arguments or sizes do not fit the kernel."""


class Cancelled(Error):
    """A launch was cancelled."""


class Skipped(Error):
    """A launch did not begin, since one before it failed."""


class AssembleError(Error):
    """A source does not assemble.

    >>> import amdgcn
    >>> try:
    ...     amdgcn.assemble("v_ad_f32 v0, v1, v2", "gfx906")
    ... except amdgcn.AssembleError as error:
    ...     first = error.diagnostics[0]
    ...     print(first.name, first.line, first.column, first.message)
    unknown-opcode 1 1 unknown instruction `v_ad_f32`
    """

    #: Errors, warnings and notes in the order of the source.
    diagnostics: Sequence[Diagnostic]

    def __init__(
        self, message: str, name: str = "", diagnostics: Sequence[Mapping[str, Any]] | None = None
    ) -> None:
        from .reports import Diagnostic

        super().__init__(message, name)
        self.diagnostics = [Diagnostic(**fields) for fields in diagnostics or ()]


class CompileError(Error):
    """Clang does not compile a source, or is not installed."""

    #: Clang's messages; empty if it did not run.
    diagnostics: str
    #: Commands up to the one that failed, as a shell takes them.
    commands: Sequence[str]

    def __init__(
        self, message: str, name: str = "", diagnostics: str = "", commands: Sequence[str] = ()
    ) -> None:
        shown = f"{message}\n{diagnostics.rstrip()}" if diagnostics else message
        super().__init__(shown, name)
        self.diagnostics = diagnostics
        self.commands = list(commands)


class Fault(Error):
    """A kernel was stopped by what it did, such as an access to memory that does not exist.

    >>> import amdgcn
    >>> device = amdgcn.Device("gfx906")
    >>> kernel = amdgcn.Module.assemble(device, amdgcn.EXAMPLE).kernel("scale")
    >>> short = device.array(16, "u32", name="short")
    >>> try:
    ...     kernel[64](short, 3)
    ... except amdgcn.Fault as fault:
    ...     print(fault.name, fault.kernel, fault.lane, fault.nearest["name"])
    ...     print(str(fault))
    unmapped-access scale 16 short
    error[unmapped-access]: kernel scale, workgroup 0,0,0, wave 0, lane 16, at 0x...: global_load_dword v1, v0, s[4:5]
      --> <source>:12: global_load_dword v1, v0, s[4:5]
    ...
    """

    #: Report as ``gcn run --json`` has it.
    report: Mapping[str, Any]
    #: Findings until then, if the launch was checked.
    findings: Sequence[Finding]

    def __init__(
        self,
        message: str,
        name: str = "",
        report: str = "{}",
        findings: Sequence[tuple[str, str]] = (),
    ) -> None:
        from .reports import Finding

        super().__init__(message, name)
        self.report = json.loads(report)
        self.findings = [Finding._read(*pair) for pair in findings]

    @property
    def kernel(self) -> str | None:
        """Symbol of the kernel."""
        return self.report.get("kernel")

    @property
    def workgroup(self) -> tuple[int, int, int] | None:
        """Workgroup of the wave, in x, y and z."""
        group = self.report.get("workgroup")
        return None if group is None else tuple(group)

    @property
    def wave(self) -> int | None:
        """Number of the wave in its workgroup."""
        return self.report.get("wave")

    @property
    def lane(self) -> int | None:
        """Lane, if the fault is of one."""
        return self.report.get("lane")

    @property
    def pc(self) -> int | None:
        """Address of the instruction."""
        return self.report.get("pc")

    @property
    def instruction(self) -> str | None:
        """Text of the instruction."""
        return self.report.get("instruction")

    @property
    def source(self) -> str | None:
        """File, line and text of the source, if the code has debug information."""
        return self.report.get("source")

    @property
    def address(self) -> int | None:
        """Address of the access."""
        return self.report.get("address")

    @property
    def nearest(self) -> Mapping[str, Any] | None:
        """Memory that the address was probably meant for: ``name``, ``base`` and ``bytes``."""
        return self.report.get("nearest")


for _exception in [globals()[name] for name in __all__]:
    _exception.__module__ = "amdgcn"
