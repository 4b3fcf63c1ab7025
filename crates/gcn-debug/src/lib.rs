//! Debugger engine for emulated kernels, without a front end.
//!
//! ```
//! use std::sync::{Arc, mpsc};
//!
//! use gcn_asm::{Options, Source, assemble};
//! use gcn_debug::{
//!     Engine, Evaluated, FrontEnd, Program, Recording, Resume, Session, Setup, Stop, StopKind, parse,
//! };
//! use gcn_emu::observe::Observers;
//! use gcn_runtime::Device;
//!
//! /// Front end that stops the run at multiplications, and sends the value of v0 + 100 in lane 5.
//! struct Front(mpsc::Sender<i128>);
//!
//! impl FrontEnd for Front {
//!     fn idle(&mut self, session: &mut Session<'_, '_>) -> Resume {
//!         session.add_breakpoint("v_mul*", StopKind::Mnemonic("v_mul*".to_owned()), false);
//!         Resume::Restart
//!     }
//!
//!     fn stopped(&mut self, session: &mut Session<'_, '_>, _: &Stop) -> Resume {
//!         session.set_lane(5);
//!         let value = parse("v0 + 100", session.program().isa()).expect("an expression");
//!         if let Ok(Evaluated::Scalar(value)) = session.evaluate(&value) {
//!             let _ = self.0.send(value.integer());
//!         }
//!         Resume::Continue
//!     }
//!
//!     fn passed(&mut self, _: &Session<'_, '_>, _: &Stop) {}
//! }
//!
//! let device = Device::new("gfx900")?;
//! let text = "
//!     .text
//!     .type square,@function
//!     square:
//!       s_load_dwordx2 s[0:1], s[0:1], 0x0
//!       v_lshlrev_b32 v1, 2, v0
//!       v_mul_u32_u24 v0, v0, v0
//!       s_waitcnt lgkmcnt(0)
//!       global_store_dword v1, v0, s[0:1]
//!       s_endpgm
//!     .rodata
//!     .p2align 6
//!     .amdhsa_kernel square
//!       .amdhsa_user_sgpr_kernarg_segment_ptr 1
//!       .amdhsa_next_free_vgpr 2
//!       .amdhsa_next_free_sgpr 2
//!     .end_amdhsa_kernel";
//! let program = assemble(&Source { name: "square.s", text }, &Options::new(device.target())).program;
//! let module = device.load(&program.to_object(None)?)?;
//! let squares = device.allocate("squares", 8 * 4)?;
//!
//! let (sender, values) = mpsc::channel();
//! let setup = Setup {
//!     program: Program::new(module.object(), module.loaded().moved(0), device.target().isa),
//!     memory: device.memory().clone(),
//!     buffers: Vec::new(),
//!     findings: None,
//!     interrupt: Arc::default(),
//!     attention: Arc::default(),
//!     timeout: None,
//!     log: None,
//!     recording: Recording::default(),
//! };
//! let engine = Arc::new(Engine::new(setup, Box::new(Front(sender))));
//! assert_eq!(engine.idle(), Resume::Restart);
//! engine.begin();
//! let observers = Observers::none().controlled_by(engine.clone());
//! let launch = module.kernel("square")?.launch([8, 1, 1]).arg(&squares);
//! launch.observers(&observers).run(&device.queue())?;
//! assert_eq!(engine.left(), None, "the run has ended on its own");
//! assert_eq!(values.try_iter().collect::<Vec<_>>(), [105]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An [`Engine`] controls a run as its [`Debugger`]: it holds breakpoints and watchpoints ([`StopPoint`]), counts
//! steps, and calls a [`FrontEnd`] when a wave stops. The front end receives a [`Session`] to read and change registers
//! and memory with [`Expr`]s, and returns a [`Resume`]. [`Program`] contains the symbols and source lines of the code.
//!
//! Positions in a run are measured in instructions. A single thread executes waves in a fixed order, so a replay from
//! an earlier state passes through the same states. The engine takes checkpoints of a launch within the limits of a
//! [`Recording`]. For reverse execution ([`Resume::Back`]), it restores a checkpoint and replays the launch from there.

#![forbid(unsafe_code)]

// In dependency order: a module imports only from modules above it.

// Values, expressions and the program.
mod scalar;
mod expr;
mod parse;
mod error;
mod program;
mod view;
mod object;
mod eval;

// Breakpoints, reverse execution and the engine.
mod catch;
mod stops;
mod store_log;
mod pages;
mod past;
mod why_request;
mod checkpoints;
mod record;
mod goal;
mod session;
mod listing;
mod memory_access;
mod reasons;
mod replay;
mod decisions;
mod ask;
mod engine;

// Dynamic slices.
mod why;

pub use catch::{Catches, Finding, Findings};
pub use checkpoints::Recording;
pub use engine::{Attention, Engine, FrontEnd, Setup};
pub use error::EvalError;
pub use eval::{Evaluated, evaluate, resolve};
pub use expr::{BinaryOp, Dependencies, Expr, Part, Place, Reduction, Space, UnaryOp, Variable};
pub use gcn_emu::observe::Debugger;
pub use gcn_emu::wave::{Waiting, Wave, WaveId};
pub use listing::Listed;
pub use memory_access::WorkItem;
pub use object::{Local, ObjectPart, SourceObject, folded};
pub use parse::{ParseError, parse};
pub use past::{MemoryImage, Moment};
pub use program::{Line, Location, Program, Symbol};
pub use scalar::{Format, Scalar, ScalarType};
pub use session::{Leave, Resume, Scheduler, Session};
pub use stops::{Change, Observation, Stop, StopKind, StopPoint, Watched, matches_pattern};
pub use store_log::StoreLog;
pub use view::{NamedBuffer, Target, View};
pub use why::{
    Answer, AnswerEdge, AnswerStep, AnswerTarget, Edge, Launches, Origin, Parting, PartingKind,
    PartingSide, Question, StepInput, Until, ValueGraph, ValueOrigin, ValueStep, WhyError, part,
    part_addresses, why,
};
pub use why_request::{
    AccessChoice, AccessKey, AccessPlace, QuestionPlace, WhyRefused, WhyRequest,
};
