//! Engine of the playground: answers requests of the web page `page/` about GCN assembly, in JSON.
//!
//! [`respond`] takes a request and returns its answer. Assembly, encodings and findings come from the crates below; spans are in
//! UTF-16 code units, as JavaScript counts them. [`entry`] exports the functions that the page calls in WebAssembly.
//!
//! ```
//! let answer = gcn_web::respond(r#"{"assemble":{"target":"gfx900","dialect":"llvm","text":"s_endpgm"}}"#);
//! assert!(answer.contains(r#""words":[3212902400]"#));
//! ```

// In dependency order: a module names only modules above it.

mod position;
mod settings;
mod examples;

mod catalog;
mod assemble;
mod complete;
mod inspect;
mod read;

mod respond;
pub mod entry;

pub use respond::respond;
