//! Language server for AMD GCN assembly: diagnostics, hover, completion, definitions, symbols, semantic tokens and
//! formatting.
//!
//! [`serve`] runs the Language Server Protocol over a reader and a writer until the client sends `exit` or closes the
//! stream. Instruction data come from `gcn-asm` and `gcn-isa`, and findings from `gcn-observe`. Other front ends can
//! use [`findings`] to map the findings of a program to source statements, and [`completion`] without the protocol.
//!
//! ```
//! use std::io::Cursor;
//!
//! fn message(json: &str) -> String {
//!     format!("Content-Length: {}\r\n\r\n{json}", json.len())
//! }
//! let input = message(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#)
//!     + &message(r#"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#)
//!     + &message(r#"{"jsonrpc":"2.0","method":"exit"}"#);
//! let mut output = Vec::new();
//! let ending = gcn_lsp::serve(Cursor::new(input), &mut output)?;
//! assert_eq!(ending, gcn_lsp::SessionEnd::Requested);
//! assert!(String::from_utf8_lossy(&output).contains("hoverProvider"));
//! # Ok::<(), std::io::Error>(())
//! ```

#![forbid(unsafe_code)]

// In dependency order: a module imports only from modules above it.

// Findings in a program, without the protocol.
pub mod findings;

// Messages, texts, files and settings.
mod transport;
mod text;
mod uri;
mod settings;
mod files;

// Document outline, assembly and findings.
mod outline;
mod document;
mod assembled;
mod diagnostics;
mod lint;

// Request handlers.
mod context;
mod definition;
mod hover;
pub mod completion;
mod symbols;
mod semantic;
mod format;

// Server and worker.
mod worker;
mod session;
mod server;

pub use server::{SessionEnd, serve};
