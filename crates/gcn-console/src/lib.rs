//! Debugger front ends for `gcn debug` and, inside programs, for `gcn exec --debug`.
//!
//! ```
//! use std::io::{self, Write};
//! use std::sync::{Arc, Mutex};
//!
//! use gcn_console::console::{CommandLine, CommandSource, Console, OutputError};
//! use gcn_console::execute::Focus;
//! use gcn_debug::{Engine, Program, Recording, Resume, Setup};
//! use gcn_runtime::Device;
//! use gcn_runtime::gcn_asm::{Options, Source, assemble};
//! use gcn_runtime::observe::Observers;
//!
//! struct Commands(std::vec::IntoIter<&'static str>);
//!
//! impl CommandSource for Commands {
//!     fn next(&mut self) -> io::Result<Option<CommandLine>> {
//!         let line = self.0.next();
//!         Ok(line.map(|line| CommandLine { text: line.to_owned(), is_typed: false }))
//!     }
//! }
//!
//! #[derive(Clone, Default)]
//! struct Output(Arc<Mutex<Vec<u8>>>);
//!
//! impl Write for Output {
//!     fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
//!         self.0.lock().expect("no panic").write(bytes)
//!     }
//!
//!     fn flush(&mut self) -> io::Result<()> {
//!         Ok(())
//!     }
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
//! let commands = vec!["break v_mul*", "run", "stepi", "print v0[5]", "continue"];
//! let output = Output::default();
//! let console = Console::new(
//!     vec![Box::new(Commands(commands.into_iter()))],
//!     Focus::default(),
//!     Box::new(output.clone()),
//!     &OutputError::default(),
//!     false,
//! );
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
//! let engine = Arc::new(Engine::new(setup, Box::new(console)));
//! assert_eq!(engine.idle(), Resume::Restart, "the command `run`");
//! engine.begin();
//! let observers = Observers::none().controlled_by(engine.clone());
//! let launch = module.kernel("square")?.launch([8, 1, 1]).arg(&squares);
//! launch.observers(&observers).run(&device.queue())?;
//!
//! let printed = String::from_utf8(output.0.lock().expect("no panic").clone())?;
//! assert!(printed.starts_with("(gcn) break v_mul*\nBreakpoint 1 at instruction v_mul*\n(gcn) run\n"));
//! assert!(printed.ends_with("(gcn) print v0[5]\nv0[5] = 25\n(gcn) continue\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Front ends control the engine of `gcn-debug`. A [`Console`](console::Console) reads gdb's commands from any
//! [`CommandSource`](console::CommandSource) and writes text to any writer. An [`Adapter`](dap::Adapter) serves an editor.
//! Both use [`places`], [`show`] and [`stop_commands`].
//!
//! In a program started by `gcn exec --debug`, the engine and the front end run in the program's own process, which
//! also emulates the waves. [`attached`](program::attached) connects them to `gcn exec`, which owns the terminal or the
//! connection to the editor. [`protocol`] defines the messages.

#![forbid(unsafe_code)]

// Modules in import order: each imports only modules listed before it.

// Commands.
pub mod commands;
pub mod places;
pub mod show;
pub mod named_places;
pub mod stop_commands;
pub mod focus_commands;
pub mod execute;

// Front ends.
pub mod console;
pub mod dap;
pub mod protocol;
mod buffers;
pub mod findings;
pub mod why;
mod connection;
pub mod program;
