//! Front end for clients of the Debug Adapter Protocol, such as editors.
//!
//! An [`Adapter`] serves a client that has sent `launch` over a [`Connection`]. This module defines the message types
//! itself. The `dap` crate, an alpha version, trusts message headers when it allocates memory, exits on an unknown request,
//! and writes bytes after a message that the header does not count.

// Modules in import order: each imports only modules listed before it.
mod protocol;
mod connection;
mod references;
mod breakpoints;
mod values;
mod code;
mod adapter;
mod front;

pub use adapter::{Adapter, Choices};
pub use connection::{Connection, Received};
pub use protocol::{ClientFeatures, LaunchArguments, Refusal, Request, capabilities};
