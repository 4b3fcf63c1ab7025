//! Front ends of the debugger, for `gcn debug` and, inside programs, for `gcn exec --debug`.
//!
//! A [`Console`](console::Console) with gdb's commands is a front end for the engine of `gcn-debug` over any
//! [`CommandSource`](console::CommandSource) and writer. An [`Adapter`](dap::Adapter) serves an editor. Both use
//! [`places`], [`show`] and [`stop_commands`].
//!
//! In a program started by `gcn exec --debug`, the engine and the front end run in the program's own process, along
//! with the waves. [`attached`](program::attached) connects them to the command that owns the terminal or speaks with
//! the editor, using the messages in [`protocol`].

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
