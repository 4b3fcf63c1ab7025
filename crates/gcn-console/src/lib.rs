//! Debugger console with gdb's commands, for `gcn debug` and, inside programs, for `gcn exec --debug`.
//!
//! A [`Console`](console::Console) is a front end for the engine of `gcn-debug` over any
//! [`CommandSource`](console::CommandSource) and writer. [`places`], [`show`] and [`stop_commands`] are also used by
//! other front ends.
//!
//! In a program started by `gcn exec --debug`, the engine and the console run in the program's own process, along
//! with the waves. [`attached`](program::attached) connects them to the command that owns the terminal, using the
//! messages in [`protocol`].

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
pub mod protocol;
mod buffers;
pub mod findings;
mod connection;
pub mod program;
