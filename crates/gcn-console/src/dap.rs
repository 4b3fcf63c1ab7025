//! Front end for clients of the Debug Adapter Protocol, such as editors.
//!
//! An [`Adapter`] serves a client that has sent `launch` over a [`Connection`]. This module defines its own message
//! types, because the `dap` crate (an alpha version) trusts message headers when it allocates memory, exits on unknown
//! requests, and writes more bytes than its headers state.

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
