//! An instruction's bit fields, and its entry in the reference.

use gcn_asm::reference::{BitField, InstructionReport, bit_fields, encoding_name};
use gcn_isa::{TextFidelity, decode};
use serde::{Deserialize, Serialize};

use crate::settings::{DialectName, target};

/// Words of an instruction.
#[derive(Deserialize)]
pub(crate) struct InspectRequest {
    target: String,
    dialect: DialectName,
    words: Vec<u32>,
}

/// Description of an instruction.
#[derive(Serialize)]
pub(crate) struct InspectAnswer {
    text: String,
    /// True if the text omits bits, or assemblers reject the instruction.
    is_lossy: bool,
    encoding: String,
    /// Bits of each dword, from the highest to the lowest.
    dwords: Vec<Vec<BitField>>,
    reference: InstructionReport,
}

/// Describes the instruction that the words of a request begin with.
///
/// # Errors
/// Fails if the target is unknown, or the words are not an instruction of it.
pub(crate) fn inspect(request: &InspectRequest) -> Result<InspectAnswer, String> {
    let isa = target(&request.target)?.isa;
    let inst = decode(isa, &request.words).map_err(|error| error.to_string())?;
    let mut text = String::new();
    let fidelity = inst.print(&mut text, request.dialect.syntax(), None);
    Ok(InspectAnswer {
        text,
        is_lossy: fidelity == TextFidelity::Lossy,
        encoding: encoding_name(inst.encoding),
        dwords: bit_fields(&inst),
        reference: InstructionReport::of(&[isa], inst.row()),
    })
}
