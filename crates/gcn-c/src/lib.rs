//! `libgcn`, the C library: decodes, prints, assembles, runs and checks GCN machine code, and reads code objects.
//!
//! ```c
//! #include <stdio.h>
//!
//! #include "gcn.h"
//!
//! int main(void) {
//!     const uint32_t words[] = {0x24000082, 0xdc508000, 0x01040000, 0xbf810000};
//!     const size_t count = sizeof words / sizeof *words;
//!     gcn_target target = gcn_target_named("gfx906", NULL);
//!     gcn_instruction instruction;
//!     for (size_t at = 0; at < count; at += instruction.word_count) {
//!         gcn_error *error = NULL;
//!         char text[128];
//!         if (!gcn_decode(target, words + at, count - at, &instruction, &error)) {
//!             printf("error[%s]: %s\n", gcn_error_name(error), gcn_error_message(error));
//!             gcn_error_free(error);
//!             return 1;
//!         }
//!         gcn_instruction_print(&instruction, GCN_SYNTAX_LLVM, NULL, text, sizeof text, NULL);
//!         printf(at == 0 ? "%s" : "; %s", text);
//!     }
//!     printf("\n");
//!     return 0;
//! }
//! ```
//!
//! It prints `v_lshlrev_b32_e32 v0, 2, v0; global_load_dword v1, v0, s[4:5]; s_endpgm`.
//!
//! Programs include `gcn.h`. A test checks that it matches the functions in `api/`. `docs/c.md` contains a program that
//! runs a kernel. The functions convert between C types and the types of other crates, and contain no logic of their
//! own:
//!
//! - **Handles** (`handle.rs`) are keys into a table, not addresses. Using a handle that was freed, has another type or
//!   was never created is an error, on any thread.
//! - **Errors** (`failure.rs`) have a stable name for `gcn explain`, a message, help, and a source location if known.
//! - **Panics** are caught in `entry.rs`, which runs the body of every function. The caller gets the error
//!   `internal-error`.
//! - **Pointers** from the caller are read in `pointers.rs`. Null pointers are errors where a value is required.
//!
//! `cargo xtask capi` links `libgcn.so.0` from this crate's static library, with the symbol versions of
//! `exports.map`.

// In import order: a module imports only from modules above it.

// The only module that imports from gcn-runtime and gcn-report.
mod runtime;

// Errors, handles, and wrappers for function bodies.
pub mod error_names;
mod failure;
mod handle;
mod pointers;
mod entry;

// Kernel records and source locations.
mod records;
mod source_place;

// Exported functions.
mod api;
