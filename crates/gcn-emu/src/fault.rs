//! Faults, which end a run before its time, and their places.

mod image;
pub mod names;

use crate::memory::{Allocation, Memory};
use crate::wave::WaveId;

pub use gcn_isa::uses::Intent;
pub use image::ImageProblem;

/// An instruction that a wave has executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// The wave.
    pub wave: WaveId,
    /// Address of the instruction.
    pub pc: u64,
    /// The instruction's text, if it is one.
    pub text: Option<String>,
}

/// The kind of fault.
///
/// Exhaustive on purpose: [`names`] names every variant, and a new one without a name does not compile.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FaultKind {
    /// No allocation holds these bytes.
    #[error("{} {bytes} bytes at unmapped address {address:#x}", match intent { Intent::Load => "loads", Intent::Store => "stores", Intent::Atomic => "updates" })]
    Unmapped {
        /// Intent of the instruction.
        intent: Intent,
        /// The first address.
        address: u64,
        /// Bytes of the element.
        bytes: u8,
    },
    /// An atomic at an address that is not a multiple of its size (errata E104).
    #[error("atomic at address {address:#x}, which is not a multiple of {bytes}")]
    Misaligned {
        /// The address.
        address: u64,
        /// Size of the atomic in bytes.
        bytes: u8,
    },
    /// A destination outside the wave's registers, which cancels the instruction on hardware (errata E105, E129).
    #[error(
        "writes registers that the wave does not have: its kernel asks for {vgprs} VGPRs and {sgprs} SGPRs"
    )]
    RegisterOutOfRange {
        /// Vector registers of the kernel.
        vgprs: usize,
        /// Scalar registers of the kernel.
        sgprs: u8,
    },
    /// The words at the PC are no instruction.
    #[error("{0}")]
    Undecodable(gcn_isa::DecodeError),
    /// The instruction is known and not executed here.
    #[error("not executed by this emulator")]
    NotExecuted,
    /// The descriptor of an image or a sampler asks for what is not executed here.
    #[error("{0}")]
    Image(ImageProblem),
    /// The PC left the code.
    #[error("the program counter left the code")]
    PcOutside {
        /// Address of the instruction that it came from, where that is known.
        from: Option<u64>,
    },
    /// The PC is that of no dword.
    #[error("the program counter is not a multiple of 4")]
    PcMisaligned {
        /// Address of the instruction that it came from, where that is known.
        from: Option<u64>,
    },
    /// Memory no longer holds the code that has been executed: a store has changed it. What was stored is not executed.
    #[error("a store has changed this instruction; it was executed as it was before")]
    CodeChanged,
    /// A trap handler's instruction, outside of one.
    #[error("only a trap handler may execute this")]
    OutsideTrapHandler,
    /// The wave halted itself (S_SETHALT, S_SENDMSGHALT): only a debugger could make it go on.
    #[error("the wave halts")]
    Halted,
    /// S_TRAP.
    #[error("trap {0}{meaning}", meaning = meaning(*.0))]
    Trap(u8),
    /// No wave of the dispatch can go on.
    #[error(
        "all waves are blocked: {at_barrier} at a barrier, {at_gws} at a global wave synchronisation, {ended} ended"
    )]
    Blocked {
        /// Waves of the workgroup at a barrier.
        at_barrier: usize,
        /// Waves of the workgroup at a GWS resource.
        at_gws: usize,
        /// Waves of the workgroup that have ended.
        ended: usize,
    },
    /// The wave used up its instructions.
    #[error("stopped after {0} instructions, the limit")]
    Limit(u64),
    /// A call to the host that cannot be answered.
    #[error("{0}")]
    HostCall(String),
    /// An observer stopped the run.
    #[error("{0}")]
    Vetoed(Box<str>),
    /// The host asked the run to stop.
    #[error("interrupted")]
    Interrupted,
}

impl FaultKind {
    /// Address of the instruction that the wave came from, where that is known.
    pub(crate) fn from(&self) -> Option<u64> {
        match self {
            FaultKind::PcOutside { from } | FaultKind::PcMisaligned { from } => *from,
            _ => None,
        }
    }

    /// The allocation that is nearest to the address, where an address is to blame.
    pub(crate) fn nearest(&self, memory: &Memory) -> Option<Allocation> {
        match self {
            FaultKind::Unmapped { address, .. } | FaultKind::Misaligned { address, .. } => {
                memory.nearest(*address)
            }
            _ => None,
        }
    }
}

/// The trap that aborts ("Trap Handler ABI" in LLVM's "User Guide for AMDGPU Backend").
const ABORT: u8 = 2;

/// The breakpoint of compilers, which does nothing where no debugger is installed (errata E240).
pub const BREAKPOINT: u8 = 3;

/// Meaning that compilers give to a trap.
fn meaning(trap: u8) -> &'static str {
    if trap == ABORT {
        ": the kernel aborts, as by __builtin_trap or a failed assertion"
    } else {
        ""
    }
}

/// A fault and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// In which wave.
    pub wave: WaveId,
    /// In which lane, where one is to blame.
    pub lane: Option<u8>,
    /// Address of the instruction, in bytes.
    pub pc: u64,
    /// Text, if it is one.
    pub text: Option<String>,
    /// The instruction that the wave came from, where it has come to no other.
    pub from: Option<Site>,
    /// The allocation that the address is nearest to, where an address is to blame.
    pub nearest: Option<Allocation>,
}
