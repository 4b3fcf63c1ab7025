//! Reference data on instructions and the errata that mention them, as text or JSON.
//!
//! All data is derived: counts, numbers, fields, syntax, semantics, registers and counters from the `gcn-isa` tables,
//! errata from the document that the tables cite.

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
