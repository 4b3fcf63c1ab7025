//! Debugger engine for emulated kernels, without a front end.
//!
//! An [`Engine`] controls a run as its [`Debugger`]: it holds breakpoints and watchpoints
//! ([`StopPoint`]), counts steps, and calls a [`FrontEnd`] when a wave stops. The front end is given a [`Session`], which reads and changes
//! registers and memory by [`Expr`]essions, and returns a [`Resume`]. [`Program`] has the symbols and source lines of the code.
//!
//! Time is a count of instructions: one thread executes waves in a fixed order, so that a launch that is run again from its start with
//! the same memory comes to the same state. [`Resume::Back`] does that.

#![forbid(unsafe_code)]

// In the order of their imports: a module names only modules above it.

// Values, expressions and the program.
mod scalar;
mod expr;
mod parse;
mod error;
mod program;
mod view;
mod eval;

// Stops, and the engine.
mod stops;
mod catch;
mod past;
mod session;
mod listing;
mod memory_access;
mod reasons;
mod decisions;
mod engine;

// The slice of a value.
mod why;

pub use catch::{Catches, Finding, Findings};
pub use engine::{Attention, Engine, FrontEnd, Setup};
pub use error::EvalError;
pub use eval::{Evaluated, evaluate, resolve};
pub use expr::{BinaryOp, Expr, Place, Reduction, Space, UnaryOp, Variable};
pub use gcn_emu::observe::Debugger;
pub use gcn_emu::wave::{Waiting, Wave, WaveId};
pub use listing::Listed;
pub use memory_access::WorkItem;
pub use parse::{ParseError, parse};
pub use past::{MemoryImage, Moment};
pub use program::{Line, Location, Program, Symbol};
pub use scalar::{Format, Scalar, ScalarType};
pub use session::{Leave, Resume, Scheduler, Session, Stop};
pub use stops::{Change, StopKind, StopPoint, Watched, WatchedValue};
pub use view::{NamedBuffer, Target, View};
pub use why::{
    Answer, AnswerEdge, AnswerStep, AnswerTarget, Edge, Launches, Origin, Question, WhyError, why,
};
