//! Assembler and disassembler: [`assemble`] turns source into a [`Program`], [`list`](mod@list) turns a binary into
//! source.
//!
//! ```
//! use gcn_asm::{Options, Source, assemble};
//!
//! let source = Source { name: "example.s", text: "v_add_f32 v0, v1, v2\ns_endpgn\n" };
//! let target = gcn_isa::Target::named("gfx900").expect("a supported target");
//! let assembly = assemble(&source, &Options::new(target));
//!
//! for word in assembly.program.to_raw().chunks_exact(4) {
//!     println!("{:02x?}", word);
//! }
//! for found in &assembly.diagnostics {
//!     println!("{}: {found}", source.name);
//!     for help in &found.help {
//!         println!("  {help}");
//!     }
//! }
//! assert_eq!(assembly.program.to_raw(), 0x0200_0501_u32.to_le_bytes());
//! assert_eq!(assembly.diagnostics[0].name(), "unknown-opcode");
//! ```
//!
//! The syntax is LLVM's or CLRX's; the [`Dialect`] decides where they conflict (errata E011–E028). The assembler reads a
//! source in one pass, statement by statement, and resolves fixups at the end. It collects all [`Diagnostic`]s; despite
//! errors, the [`Program`] is as complete as possible. The caller renders diagnostics, reads files and exits.

#![forbid(unsafe_code)]

// In dependency order: each module uses only modules listed above it.

// Vocabulary, inputs and results.
pub mod ids;
mod diagnostic;
mod inputs;
mod value;
mod float;
mod cursor;
mod symbols;
mod program;
mod argument;

// Tables and stateless algorithms.
mod descriptor;
mod header;
mod expr;
mod encode;
mod explain;

// Assembler state: names, output and reader.
mod assembler;

// Parts of statements, the directive table, statements.
mod usage;
mod operand;
mod directive;
mod resolve;
mod instruction;
mod statement;

// Whole sources, object files, and listings.
mod assembly;
mod object;
pub mod list;

// APIs for editors and documentation.
pub mod syntax;
pub mod reference;

pub use assembly::{Assembly, assemble, assemble_with, named_target};
pub use diagnostic::{Diagnostic, Note, Severity};
pub use directive::clrx::clrx_target;
pub use directive::directives;
pub use explain::{closest, modifier_usage, modifiers, operand_usage, usage};
pub use ids::{Explanation, explain, explanations};
pub use inputs::dialect::Dialect;
pub use inputs::features::{FeatureError, Features};
pub use inputs::files::{File, Files, NoFiles};
pub use inputs::options::{Inclusion, Options, Source, SourceFile, definition};
pub use object::ObjectError;
pub use program::{
    Listing, Program, ProgramKernel, ProgramMetadata, ProgramRelocation, ProgramSection,
    ProgramSymbol, SectionFlags, SectionKind, SymbolPlace,
};
