//! Requests to explain a value at a stop.

use gcn_emu::wave::WaveId;

use crate::past::Moment;
use crate::view::Target;

/// Location whose value a question asks about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QuestionPlace {
    /// Bytes of global memory.
    Memory {
        /// Address of the first byte.
        address: u64,
        /// Number of bytes.
        bytes: u64,
    },
    /// Registers or LDS of a wave at the point of the question.
    Wave {
        /// Wave that contains them.
        wave: WaveId,
        /// Lane for vector registers given without a lane.
        lane: u8,
        /// Registers, or a value in LDS.
        target: Target,
    },
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
    /// Point at which the launch stopped.
    pub moment: Moment,
}

/// Reason why a value cannot be explained at a stop.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WhyRefused {
    /// No launch is running.
    #[error("no launch runs: `gcn why` explains elements after the last launch")]
    NotRunning,
    /// The launch cannot be replayed to the same point, for this reason.
    #[error("{0}")]
    NoPast(&'static str),
    /// The user has changed the state.
    #[error("`set` has changed what the launch does: begin it again with run")]
    Changed,
    /// The location is neither a register nor traceable memory.
    #[error("why follows registers, scc, elements of buffers, global memory and LDS")]
    NotFollowed,
    /// The wave has not executed an instruction yet.
    #[error("the wave has executed no instruction: its registers have the launch's values")]
    NotBegun,
}
