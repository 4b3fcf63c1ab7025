//! Console of the debugger: gdb's commands as text, for `gcn debug`, and inside of programs for `gcn exec --debug`.
//!
//! A [`Console`](console::Console) is a front end of `gcn-debug`'s engine over any [`CommandSource`](console::CommandSource) and writer.
//! [`places`], [`show`] and [`stop_commands`] are the parts of commands that other front ends share.
//!
//! A program that `gcn exec --debug` starts has the engine and the console in its own process, where the waves are.
//! [`attached`](program::attached) connects them to the command, which has the terminal; [`protocol`] has the messages.

#![forbid(unsafe_code)]

// In the order of their imports: a module names only modules above it.

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
pub mod protocol;
mod buffers;
pub mod findings;
mod connection;
pub mod program;
