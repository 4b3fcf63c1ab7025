//! `libgcn`, the C library: GCN machine code decoded, printed, assembled, read from code objects, run on emulated devices and
//! checked.
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
//! Programs include `gcn.h`, which a test generates from the functions in `api/` and compares; `docs/c.md` has a program that runs a
//! kernel. The functions translate C's types to and from the crates below and have no logic of their own:
//!
//! - **Handles** (`handle.rs`) are keys of a table, not addresses. A handle that was freed, is of another type or was never
//!   made is an error, on whichever thread it is used.
//! - **Errors** (`failure.rs`) have a stable name for `gcn explain`, a message, help, and a place in a source where one is
//!   known.
//! - **Panics** end in `entry.rs`, which runs the body of every function; the caller gets the error `internal-error`.
//! - **Pointers** of the caller's are read in `pointers.rs`; null is an error where a value is needed.
//!
//! `libgcn.so.0` is linked from this crate's static library by `cargo xtask capi`, with the symbol versions of `exports.map`.

// In the order of their imports: a module names only modules above it.

// Types of gcn-runtime and gcn-report, named here alone.
mod runtime;

// Errors, handles, and the way into and out of a function.
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
