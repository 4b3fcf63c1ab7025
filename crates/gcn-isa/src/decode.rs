//! From words to an instruction. Walks the tables and names no instruction.

use crate::field::Field;
use crate::inst::Inst;
use crate::target::Isa;

/// Why words are no instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, thiserror::Error)]
pub enum DecodeError {
    /// No instruction of this instruction set begins with this word.
    #[error("{0:#010x} begins no instruction of {1}")]
    Unknown(u32, Isa),
    /// The instruction needs a second word.
    #[error("the instruction that begins with {0:#010x} is cut off")]
    Truncated(u32),
    /// There are no words.
    #[error("no words")]
    Empty,
}

/// The instruction that `words` begin with. Reserved and unused bits are kept.
///
/// # Errors
/// [`DecodeError`]; never panics.
pub fn decode(isa: Isa, words: &[u32]) -> Result<Inst, DecodeError> {
    let &first = words.first().ok_or(DecodeError::Empty)?;
    let second = words.get(1).copied();
    let tables = isa.tables();
    for encoding in tables.candidates(first) {
        let Some(layout) = tables.layout(encoding) else {
            continue;
        };
        if (first ^ layout.constant) & layout.constant_mask != 0 {
            continue;
        }
        let opcode = layout.bits(Field::Op).get(u64::from(first)) as u16;
        let Some(form) = tables.numbered(encoding, opcode) else {
            continue;
        };
        let bits = u64::from(first) | u64::from(second.unwrap_or(0)) << 32;
        let inst = Inst::from_bits(form, bits);
        return if inst.dwords() > words.len() {
            Err(DecodeError::Truncated(first))
        } else {
            Ok(inst)
        };
    }
    Err(DecodeError::Unknown(first, isa))
}
