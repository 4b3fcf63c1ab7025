//! Requests to explain a value at a stop.

use gcn_emu::wave::WaveId;

use crate::past::Moment;
use crate::view::Target;

/// Place of a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QuestionPlace {
    /// Bytes of global memory.
    Memory {
        /// Address of the first.
        address: u64,
        /// Number.
        bytes: u64,
    },
    /// Registers of a wave, or a number in its LDS, at the moment of the question.
    Wave {
        /// The wave.
        wave: WaveId,
        /// Lane of vector registers that name none.
        lane: u8,
        /// The registers, or the number.
        target: Target,
    },
}

/// Request of the user to explain a value at a stop.
#[derive(Clone, Debug)]
pub struct WhyRequest {
    /// Text of the place.
    pub text: String,
    /// Text of its value.
    pub value: String,
    /// The place.
    pub place: QuestionPlace,
    /// Levels of the answer; `None` for as many as usual.
    pub depth: Option<u32>,
    /// Moment at which the launch has stopped.
    pub moment: Moment,
}

/// Reason for which a value cannot be explained at a stop.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WhyRefused {
    /// No launch runs.
    #[error("no launch runs: `gcn why` explains elements after the last launch")]
    NotRunning,
    /// The launch cannot run again to the same moment.
    #[error("{0}")]
    NoPast(&'static str),
    /// The user has changed the state.
    #[error("`set` has changed what the launch does: begin it again with run")]
    Changed,
    /// The place is neither a register nor memory that is followed.
    #[error("why follows registers, scc, elements of buffers, global memory and LDS")]
    NotFollowed,
    /// The wave is at its first instruction.
    #[error("the wave has executed no instruction: its registers have the launch's values")]
    NotBegun,
}
