//! What a GCN instruction is: tables of rows, and the code that walks them to encode, decode and print.
//!
//! A chapter of AMD's manuals is a module ([`ds`], [`flat`], [`smem`], …): the field maps of its encodings,
//! then a row per instruction. [`Inst`] is an instruction as words with views of its operands; [`decode()`]
//! makes one from words, [`Inst::new`] with [`Inst::set_operand`] from parts, [`Inst::print`] makes text.
//! Nothing here executes, reads files or prints.

pub mod clrx;
pub mod describe;
pub mod dpp;
pub mod ds;
pub mod effect;
pub mod exp;
pub mod field;
pub mod flat;
pub mod form;
pub mod llvm;
pub mod mimg;
pub mod mtbuf;
pub mod mubuf;
pub mod operand;
pub mod regs;
pub mod rules;
pub mod simm;
pub mod smem;
pub mod sop;
pub mod swizzle;
pub mod target;
pub mod text;
pub mod vintrp;
pub mod vop;
pub mod vop3;
pub mod vopc;

mod decode;
mod inst;
mod names;
mod plain;
mod plan;
mod print;
mod row;
mod tables;

pub use decode::{DecodeError, Decoder, Skimmed, decode};
pub use effect::Does;
pub use field::{Encoding, Field};
pub use form::{Form, Place, PlacedModifier};
pub use inst::{FieldError, Inst, ListBits, Operand};
pub use operand::{Access, Kind, Modifier, Slot, Ty, Value, When, Written};
pub use print::{Fidelity, Plans, Syntax};
pub use row::{Forms, Op, Row, rows};
pub use tables::Tables;
pub use target::{Isa, IsaSet, NUMBERINGS, Numbering, TARGETS, Target};
