//! Questions for `why`: queried locations, and user requests at a stop.

use gcn_emu::wave::WaveId;
use gcn_isa::Does;

use crate::past::Moment;
use crate::view::Target;

/// Location whose value `why` explains.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QuestionPlace {
    /// Bytes of global memory.
    Memory {
        /// Address of the first byte.
        address: u64,
        /// Number of bytes.
        bytes: u64,
    },
    /// Registers, LDS or scratch of a wave.
    Wave {
        /// Wave that owns the registers or memory.
        wave: WaveId,
        /// Lane for scratch, and for vector registers without an explicit lane.
        lane: u8,
        /// Registers, or a value in LDS or scratch.
        target: Target,
    },
    /// Address of a memory access.
    Access(AccessPlace),
}

/// Memory access by a wave or a lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AccessPlace {
    /// Index of the run, from 0.
    pub run: u32,
    /// Wave that executes the instruction.
    pub wave: WaveId,
    /// Lane; `None` for a scalar access.
    pub lane: Option<u8>,
    /// Selected access.
    pub access: AccessChoice,
}

/// Selector of one access among those of a lane or wave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessChoice {
    /// Last execution of the instruction at this address.
    At(u64),
    /// Last store to a named buffer.
    LastStore,
    /// Counterpart of an access in another run.
    Like(AccessKey),
}

/// Identity of an access across two runs: operation, source line, and the number of earlier accesses by the same lane
/// or wave with the same operation and line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AccessKey {
    pub(crate) does: Does,
    /// True for a scalar access.
    pub(crate) is_scalar: bool,
    pub(crate) line: Option<u32>,
    pub(crate) before: usize,
}

/// User request to explain a value at a stop.
#[derive(Clone, Debug)]
pub struct WhyRequest {
    /// Expression text.
    pub text: String,
    /// Formatted value.
    pub value: String,
    /// Location that contains the value.
    pub place: QuestionPlace,
    /// Number of dependence levels to show; `None` for the default.
    pub depth: Option<u32>,
    /// Point at which the launch stopped; for memory at a fault, after the faulting instruction. `None` for the end of
    /// the last launch that ran.
    pub moment: Option<Moment>,
}

/// Reason why a value cannot be explained at a stop.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WhyRefused {
    /// No wave is in focus.
    #[error("no wave is running")]
    NotRunning,
    /// The launch cannot be replayed to the same point, for this reason.
    #[error("{0}")]
    NoPast(&'static str),
    /// The user changed registers or memory, and `why` reruns launches without these changes.
    #[error("`set` has changed what the launch does: restart it with run")]
    Changed,
    /// The location cannot be traced: MODE, the program counter or a whole buffer.
    #[error(
        "why follows registers, scc, variables, elements of buffers, global memory, LDS and scratch"
    )]
    NotFollowed,
    /// The object is a structure or an array of this type.
    #[error("a value of type {0} has several parts: name a field or an element")]
    Aggregate(String),
    /// The wave has not executed any instruction yet.
    #[error("the wave has executed no instruction: its registers have the launch's values")]
    NotBegun,
}
