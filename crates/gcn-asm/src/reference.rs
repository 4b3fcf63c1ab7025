//! Reference information about an instruction and the errata that mention it, for people and as JSON.
//!
//! Everything is derived: counts, numbers, fields, syntax, semantics, registers and counters from the tables of
//! `gcn-isa`, the errata from the document that the tables cite.

mod sets;
mod errata;
mod instruction;
mod fields;
mod hazards;

pub use errata::{ErrataEntry, errata, errata_naming};
pub use fields::{BitField, BitRole, FieldValue, bit_fields, field_values, operand_text};
pub use hazards::hazards;
pub use instruction::{EncodingReport, InstructionReport, IsaText, LayoutCell, encoding_name};
pub use sets::{exists, family, set_of, sets, versions};
