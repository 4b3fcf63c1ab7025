//! GCN instruction tables, and the code that encodes, decodes and prints instructions from them.
//!
//! ```
//! use gcn_isa::{Encoding, Inst, Isa, Op, Operand, Target, decode, vop::Vop2};
//!
//! // Decode words and print them.
//! let target = Target::named("gfx900").expect("a known target");
//! let mut words: &[u32] = &[0x7e00_0280, 0x0202_04ff, 0x3f9d_70a4, 0xbf81_0000];
//! let mut listing = Vec::new();
//! while !words.is_empty() {
//!     let inst = decode(target.isa, words)?;
//!     listing.push(inst.to_string());
//!     words = &words[inst.dwords()..];
//! }
//! assert_eq!(listing[0], "v_mov_b32_e32 v0, 0");
//! assert_eq!(listing[1], "v_add_f32_e32 v1, 0x3f9d70a4, v2");
//! assert_eq!(listing[2], "s_endpgm");
//!
//! // Encode `v_mul_f32 v3, s8, v1`.
//! let op = Op::Vop2(Vop2::V_MUL_F32);
//! let mut inst = Inst::new(Isa::Gfx9, op, Encoding::Vop2).expect("gfx900 has the instruction");
//! let [vdst, src0, src1] = [0, 1, 2].map(|index| &inst.form().operands[index].slot);
//! inst.set_operand(vdst, Operand::Vgprs { first: 3, count: 1 })?;
//! inst.set_operand(src0, Operand::Scalar { code: 8, count: 1 })?;
//! inst.set_operand(src1, Operand::Vgprs { first: 1, count: 1 })?;
//! assert_eq!(inst.words()[..inst.dwords()], [0x0a06_0208]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Each chapter of AMD's manuals is a module ([`ds`], [`flat`], [`smem`], …): the field maps of its encodings, then a
//! row per instruction. [`Inst`] holds the words of an instruction and gives access to its operands. [`decode()`]
//! creates an instruction from words, [`Inst::new`] and [`Inst::set_operand`] build one from operands, and
//! [`Inst::print`] prints it. This crate does not execute instructions, read files or write to standard output.

#![forbid(unsafe_code)]
// Every match must handle a new instruction set, register class or effect explicitly.
#![deny(clippy::wildcard_enum_match_arm)]

// In dependency order: a module names only modules above it.

// Words and fields, and the operands and effects that rows refer to.
pub mod target;
pub mod text;
pub mod field;
pub mod dpp;
pub mod swizzle;
pub mod simm;
mod buffer_format;
pub mod operand;
pub mod effect;
pub mod image;

// The tables.
mod row;
mod chapters;
mod op;

// Data derived from rows, and register numbers.
pub mod meaning;
pub mod regs;
mod form;
mod tables;

// Instructions, and the code that interprets rows.
mod inst;
pub mod uses;
pub mod llvm;
pub mod successor;
pub mod rules;
pub mod describe;
pub mod clrx;
mod decode;
mod print;

pub use chapters::{ds, exp, flat, mimg, mtbuf, mubuf, smem, sop, vintrp, vop, vop3, vopc};
pub use decode::{DecodeError, Decoder, Skimmed, decode};
pub use effect::Does;
pub use field::{Encoding, Field};
pub use form::Form;
pub use form::placed::{ListBits, PlacedModifier, PlacedOperand};
pub use inst::{FieldError, Inst, Operand};
pub use op::{Op, rows};
pub use operand::{Kind, Modifier, ModifierValue, OperandAccess, Presence, Slot, Ty, Written};
pub use print::{Printer, Syntax, TextFidelity};
pub use row::{AluTypes, Forms, Lacks, Row};
pub use tables::Tables;
pub use target::{Isa, IsaSet, NUMBERINGS, Numbering, TARGETS, Target, UnknownTarget};
