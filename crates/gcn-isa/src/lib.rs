//! What a GCN instruction is: tables of rows, and the code that walks them to encode, decode and print.
//!
//! A chapter of AMD's manuals is a module ([`ds`], [`flat`], [`smem`], …): the field maps of its encodings,
//! then a row per instruction. [`Inst`] is an instruction as words with views of its operands; [`decode()`]
//! makes one from words, [`Inst::new`] with [`Inst::set_operand`] from parts, [`Inst::print`] makes text.
//! Nothing here executes, reads files or prints.

// In dependency order: a module uses only those above it.
pub mod target;
pub mod text;
pub mod field;
pub mod dpp;
pub mod swizzle;
pub mod simm;
pub mod buffer_format;
pub mod operand;
pub mod effect;
mod row;
pub mod ds;
pub mod exp;
pub mod flat;
pub mod mimg;
pub mod mtbuf;
pub mod mubuf;
pub mod smem;
pub mod sop;
pub mod vintrp;
pub mod vop3;
pub mod vopc;
pub mod vop;
mod op;
mod layouts;
pub mod regs;
mod ready;
mod placed;
mod template;
mod form;
mod tables;
pub mod describe;
mod inst;
pub mod llvm;
pub mod rules;
pub mod clrx;
mod decode;
mod print;

pub use decode::{DecodeError, Decoder, Skimmed, decode};
pub use effect::Does;
pub use field::{Encoding, Field};
pub use form::Form;
pub use inst::{FieldError, Inst, Operand};
pub use op::{Op, rows};
pub use operand::{Access, Kind, Modifier, Slot, Ty, Value, When, Written};
pub use placed::{ListBits, PlacedModifier, PlacedOperand};
pub use print::{Fidelity, Printer, Syntax};
pub use row::{Forms, Lacks, Row};
pub use tables::Tables;
pub use target::{Isa, IsaSet, NUMBERINGS, Numbering, TARGETS, Target};
