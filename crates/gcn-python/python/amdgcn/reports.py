"""Diagnostics of sources, and findings and profiles of launches."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Mapping, Sequence

__all__ = ["Diagnostic", "Finding", "Profile"]


@dataclass(frozen=True)
class Diagnostic:
    """Error, warning or note about a place of a source; ``str`` of it shows the line.

    >>> import amdgcn
    >>> program = amdgcn.assemble('.warning "not for gfx803"', "gfx906")
    >>> print(program.diagnostics[0].severity, program.diagnostics[0].name)
    warning user-warning
    """

    #: ``error``, ``warning`` or ``note``.
    severity: str
    #: Stable name for ``gcn explain``.
    name: str
    #: Message in one line.
    message: str
    #: Text beside the marked place; may be empty.
    label: str
    #: Lines that say how to correct it.
    help: Sequence[str]
    #: Name of the file.
    file: str
    #: Line, from 1.
    line: int
    #: Column in characters, from 1.
    column: int
    #: Message with the line, as a compiler prints it.
    text: str = field(repr=False)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Finding:
    """Problem that a checker found in a launch; ``str`` of it shows the source, if it is known.

    >>> import amdgcn
    >>> device = amdgcn.Device("gfx906")
    >>> racy = amdgcn.EXAMPLE.replace("s_waitcnt vmcnt(0)", "s_nop 0")
    >>> kernel = amdgcn.Module.assemble(device, racy).kernel("scale")
    >>> numbers = device.array(64, "u32")
    >>> done = kernel.launch(64, 64, (numbers, 3), check=True)
    >>> [(finding.name, finding.severity, finding.instruction) for finding in done.findings]
    [('missing-wait', 'error', 'v_mul_lo_u32 v1, v1, s6')]
    """

    #: Stable name for ``gcn explain``.
    name: str
    #: ``error`` or ``warning``.
    severity: str
    #: Message in one line.
    message: str
    #: Symbol of the kernel, if it is known.
    kernel: str | None
    #: Text of the instruction.
    instruction: str | None
    #: File, line and column of the source, if the code has debug information.
    file: str | None
    line: int | None
    column: int | None
    #: Times that it happened.
    count: int
    #: All of the report, as ``gcn check --json`` has it.
    report: Mapping[str, Any] = field(repr=False)
    #: Report as ``gcn check`` prints it.
    text: str = field(repr=False)

    @classmethod
    def _read(cls, report: str, text: str) -> Finding:
        data = json.loads(report)
        names = ("name", "severity", "message", "kernel", "instruction", "file", "line", "column", "count")
        return cls(**{name: data.get(name) for name in names}, report=data, text=text)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Profile:
    """Counts of a launch; ``str`` of it is a table.

    >>> import amdgcn
    >>> device = amdgcn.Device("gfx906")
    >>> kernel = amdgcn.Module.assemble(device, amdgcn.EXAMPLE).kernel("scale")
    >>> profile = kernel.launch(64, 64, (device.array(64, "u32"), 3), profile=True).profile
    >>> [(row["instruction"], row["executions"]) for row in profile.instructions][-2:]
    [('global_store_dword v0, v1, s[4:5]', 1), ('s_endpgm', 1)]
    """

    #: Counts by kernel, as ``docs/profile.md`` describes them.
    kernels: Sequence[Mapping[str, Any]]
    #: Tables of what is executed most.
    text: str = field(repr=False)

    @classmethod
    def _read(cls, report: str, text: str) -> Profile:
        return cls(json.loads(report)["kernels"], text)

    @property
    def instructions(self) -> Sequence[Mapping[str, Any]]:
        """A row per executed instruction, by address; ``pandas.DataFrame`` takes it as it is."""
        return [row for kernel in self.kernels for row in kernel["instructions"]]

    @property
    def lines(self) -> Sequence[Mapping[str, Any]]:
        """A row per source line that is known, by file and line."""
        return [row for kernel in self.kernels for row in kernel["lines"]]

    def __str__(self) -> str:
        return self.text
