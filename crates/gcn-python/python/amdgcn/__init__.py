"""AMD GCN machine code on any CPU: assembles, decodes, runs, checks and profiles it on emulated GPUs, gfx600 to gfx90c.

>>> import amdgcn
>>> device = amdgcn.Device("gfx906")
>>> kernel = amdgcn.Module.assemble(device, amdgcn.EXAMPLE).kernel("scale")
>>> xs = device.array([1, 2, 3], "u32", name="xs")
>>> done = kernel[3, 64](xs, factor=10)
>>> xs.tolist()
[10, 20, 30]

Arrays are the device's memory under the buffer protocol: ``numpy.asarray(xs)`` is a view of it. ``kernel.launch(…, check=True)`` returns
findings, ``profile=True`` counts. The wheel installs the command ``gcn`` too.
"""

from __future__ import annotations

from . import isa
from ._amdgcn import __version__
from .arrays import Array
from .assembler import Program, assemble, assemble_file
from .c_library import get_include, get_library_dir
from .errors import (
    AssembleError,
    Cancelled,
    CompileError,
    DecodeError,
    Error,
    Fault,
    LaunchError,
    LoadError,
    OutOfMemoryError,
    Skipped,
    TargetError,
)
from .example import EXAMPLE
from .isa import Instruction, Operand, disassemble
from .launches import Launch
from .objects import CodeObject, ObjectKernel
from .reports import Diagnostic, Finding, Profile
from .runtime import Completion, Device, Event, Kernel, Local, Module, Parameter, Queue
from .sweeps import Table, sweep

__all__ = [
    "EXAMPLE",
    "Array",
    "AssembleError",
    "Cancelled",
    "CodeObject",
    "CompileError",
    "Completion",
    "DecodeError",
    "Device",
    "Diagnostic",
    "Error",
    "Event",
    "Fault",
    "Finding",
    "Instruction",
    "Kernel",
    "Launch",
    "LaunchError",
    "LoadError",
    "Local",
    "Module",
    "ObjectKernel",
    "Operand",
    "OutOfMemoryError",
    "Parameter",
    "Profile",
    "Program",
    "Queue",
    "Skipped",
    "Table",
    "TargetError",
    "__version__",
    "assemble",
    "assemble_file",
    "disassemble",
    "get_include",
    "get_library_dir",
    "isa",
    "sweep",
]
