//! `libgcn`, the C library: decodes, prints, assembles, runs and checks GCN machine code, and reads code objects.
//!
//! Programs include `gcn.h`. A test generates it from the functions in `api/` and compares; `docs/c.md` has a
//! complete example. The functions convert C types to and from those of the crates below, and contain no logic of
//! their own:
//!
//! - **Handles** (`handle.rs`) are keys of a table, not addresses. Using a handle that was freed, has another type or
//!   was never created is an error, on any thread.
//! - **Errors** (`failure.rs`) have a stable name for `gcn explain`, a message, help, and a place in a source if
//!   known.
//! - **Panics** end in `entry.rs`, which runs the body of every function. The caller gets the error `internal-error`.
//! - **Pointers** from the caller are read in `pointers.rs`. Null is an error if a value is required.
//!
//! `cargo xtask capi` links `libgcn.so.0` from this crate's static library, with the symbol versions of
//! `exports.map`.

// In import order: a module imports only from modules above it.

// The only module that names gcn-runtime and gcn-report.
mod runtime;

// Errors, handles, and entry and exit of functions.
pub mod error_names;
mod failure;
mod handle;
mod pointers;
mod entry;

// Objects behind handles.
mod records;
mod source_place;

// The functions.
mod api;
