//! Field values of an instruction.

use gcn_isa::Inst;
use gcn_isa::describe::BitContents;
use serde::Serialize;

use super::instruction::{contents, places};

/// A field of an instruction and its value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FieldValue {
    /// Bit range: `31:26`.
    pub bits: String,
    /// Name in upper case, or `reserved`.
    pub field: String,
    /// Value.
    pub value: u64,
}

/// Fields of an instruction, and nonzero reserved bits, which its text does not show.
///
/// # Examples
/// ```
/// use gcn_asm::reference::field_values;
/// use gcn_isa::{Isa, decode};
/// let inst = decode(Isa::Gfx9, &[0xbf80_0003])?;
/// let fields = field_values(&inst);
/// assert!(fields.iter().any(|it| it.field == "SIMM16" && it.bits == "15:0" && it.value == 3));
/// # Ok::<(), gcn_isa::DecodeError>(())
/// ```
pub fn field_values(inst: &Inst) -> Vec<FieldValue> {
    let runs = inst.form().picture().into_iter();
    let mut fields: Vec<FieldValue> = runs
        .filter_map(|run| {
            let width = u32::from(run.high - run.low) + 1;
            let value = inst.bits() >> run.low & (u64::MAX >> (u64::BITS - width));
            let field = match run.holds {
                BitContents::Constant => return None,
                BitContents::Field(_) => contents(inst.form(), run),
                BitContents::Nothing if value != 0 => "reserved".to_owned(),
                BitContents::Nothing => return None,
            };
            Some(FieldValue {
                bits: places(run),
                field,
                value,
            })
        })
        .collect();
    fields.extend(inst.literal().map(|literal| FieldValue {
        bits: "63:32".to_owned(),
        field: "literal".to_owned(),
        value: literal.into(),
    }));
    fields
}
