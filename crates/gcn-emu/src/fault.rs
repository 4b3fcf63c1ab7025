//! Faults, which terminate a run, and their locations.

mod image;
pub mod names;

use crate::memory::{Allocation, Memory};
use crate::wave::WaveId;

pub use gcn_isa::uses::Intent;
pub use image::ImageProblem;

/// Instruction executed by a wave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// ID of the wave.
    pub wave: WaveId,
    /// Address of the instruction.
    pub pc: u64,
    /// Disassembly, if the words decode.
    pub text: Option<String>,
}

/// Kind of fault.
///
/// Exhaustive on purpose: [`names`] names every variant, and a new variant without a name does not compile.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FaultKind {
    /// Access outside all allocations.
    #[error("{} {bytes} bytes at unmapped address {address:#x}", match intent { Intent::Load => "loads", Intent::Store => "stores", Intent::Atomic => "updates" })]
    Unmapped {
        /// Intent of the access.
        intent: Intent,
        /// Address of the element, or of its inaccessible part.
        address: u64,
        /// Size of the element in bytes.
        bytes: u8,
    },
    /// Atomic at an address that is not a multiple of its size (errata E104).
    #[error(
        "atomically updates {bytes} bytes at address {address:#x}, which is not a multiple of {bytes}"
    )]
    Misaligned {
        /// Address of the atomic.
        address: u64,
        /// Size of the atomic in bytes.
        bytes: u8,
    },
    /// Destination outside the wave's registers, which cancels the instruction on hardware (errata E105, E129).
    #[error(
        "writes registers that the wave does not have: its kernel asks for {vgprs} VGPRs and {sgprs} SGPRs"
    )]
    RegisterOutOfRange {
        /// Number of the kernel's vector registers.
        vgprs: usize,
        /// Number of the kernel's scalar registers.
        sgprs: u8,
    },
    /// Words at the PC that do not decode.
    #[error("{0}")]
    Undecodable(gcn_isa::DecodeError),
    /// Known instruction that the emulator does not support.
    #[error("not executed by this emulator")]
    NotExecuted,
    /// Image or sampler descriptor that requests an unsupported feature.
    #[error("{0}")]
    Image(ImageProblem),
    /// PC outside the code.
    #[error("the program counter left the code")]
    PcOutside {
        /// Address of the instruction that transferred control there, if known.
        from: Option<u64>,
    },
    /// PC that is not a multiple of 4.
    #[error("the program counter is not a multiple of 4")]
    PcMisaligned {
        /// Address of the instruction that transferred control there, if known.
        from: Option<u64>,
    },
    /// Store that has modified executed code. The modified code is not executed.
    #[error("a store has changed this instruction; it was executed as originally loaded")]
    CodeChanged,
    /// Trap handler instruction outside a trap handler.
    #[error("only a trap handler may execute this")]
    OutsideTrapHandler,
    /// Wave that halted itself (S_SETHALT, S_SENDMSGHALT); only a debugger could resume it.
    #[error("the wave halts")]
    Halted,
    /// S_TRAP with this number.
    #[error("trap {0}{meaning}", meaning = meaning(*.0))]
    Trap(u8),
    /// Deadlock: no wave of the dispatch can make progress.
    #[error(
        "all waves are blocked: {at_barrier} at a barrier, {at_gws} at a global wave synchronisation, {ended} ended"
    )]
    Blocked {
        /// Number of the workgroup's waves at a barrier.
        at_barrier: usize,
        /// Number of the workgroup's waves at a GWS resource.
        at_gws: usize,
        /// Number of the workgroup's waves that have ended.
        ended: usize,
    },
    /// Instruction limit of the wave reached.
    #[error("stopped after {0} instructions, the limit")]
    Limit(u64),
    /// Host call that cannot be served.
    #[error("{0}")]
    HostCall(String),
    /// Run stopped by an observer.
    #[error("{0}")]
    Vetoed(Box<str>),
    /// Run interrupted by the host.
    #[error("interrupted")]
    Interrupted,
}

impl FaultKind {
    /// Address of the instruction that transferred control, if known.
    pub(crate) fn from(&self) -> Option<u64> {
        match self {
            FaultKind::PcOutside { from } | FaultKind::PcMisaligned { from } => *from,
            _ => None,
        }
    }

    /// Allocation nearest to the faulting address, for faults that have one.
    pub(crate) fn nearest(&self, memory: &Memory) -> Option<Allocation> {
        match self {
            FaultKind::Unmapped { address, .. } | FaultKind::Misaligned { address, .. } => {
                memory.nearest(*address)
            }
            _ => None,
        }
    }
}

/// Trap number for abort ("Trap Handler ABI" in LLVM's "User Guide for AMDGPU Backend").
const ABORT: u8 = 2;

/// Trap number that compilers use for breakpoints, which have no effect without a debugger (errata E240).
pub const BREAKPOINT: u8 = 3;

/// Conventional meaning of a trap number, as the end of an error message.
fn meaning(trap: u8) -> &'static str {
    if trap == ABORT {
        ": the kernel aborts, as by __builtin_trap or a failed assertion"
    } else {
        ""
    }
}

/// Fault with its location.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Fault {
    /// Kind of fault.
    pub kind: FaultKind,
    /// Wave that faulted.
    pub wave: WaveId,
    /// Lane that faulted, for faults caused by a single lane.
    pub lane: Option<u8>,
    /// Address of the instruction.
    pub pc: u64,
    /// Disassembly, if the words decode.
    pub text: Option<String>,
    /// Instruction that transferred control to a misaligned PC or to a PC outside the code.
    pub from: Option<Site>,
    /// Allocation nearest to the faulting address, for faults that have one.
    pub nearest: Option<Allocation>,
}
