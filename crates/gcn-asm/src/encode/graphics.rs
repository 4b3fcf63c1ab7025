//! Encodes operands of export and interpolation instructions.

use gcn_isa::exp::SOURCES;
use gcn_isa::vintrp::CHANNELS;
use gcn_isa::{Field, Inst};

use super::problem::{ProblemKind, field_problem};
use crate::argument::ArgValue;
use crate::ids;

/// Encodes an attribute number and its channel. The dialect has already checked the number's range.
pub(super) fn attribute(inst: &mut Inst, value: i64) -> Result<(), ProblemKind> {
    let channels = CHANNELS.len() as i64;
    let problem = |error| field_problem(error, value);
    inst.set(Field::AttrChan, value.rem_euclid(channels))
        .map_err(problem)?;
    inst.set(Field::Attr, value.div_euclid(channels))
        .map_err(problem)
}

/// Encodes an export value as CLRX does: EN has one bit per value, even if COMPR packs two values into a field.
pub(super) fn export_value(inst: &mut Inst, place: u8, what: ArgValue) -> Result<(), ProblemKind> {
    let register = match what {
        ArgValue::Vgprs { first, count: 1 } => Some(first),
        ArgValue::Off => None,
        _ => {
            return Err(ProblemKind::NotAllowed(
                &ids::OPERAND_KIND,
                "a value of an export is one VGPR or `off`",
            ));
        }
    };
    let is_compressed = inst.flag(Field::Compr);
    let index = if is_compressed { place / 2 } else { place };
    let field = SOURCES.get(usize::from(index)).copied();
    let enabled = inst.get(Field::En).cast_signed();
    let problem = |error| field_problem(error, 0);
    let Some(register) = register else {
        return inst
            .set(Field::En, enabled & !(1 << place))
            .map_err(problem);
    };
    let field = field.ok_or(ProblemKind::TooMany)?;
    let shares = is_compressed && place % 2 == 1 && enabled >> (place - 1) & 1 != 0;
    if shares && inst.get(field) != u64::from(register) {
        return Err(ProblemKind::NotAllowed(
            &ids::INSTRUCTION_RULE,
            "with `compr` both values of a pair are in the same register",
        ));
    }
    inst.set(Field::En, enabled | 1 << place).map_err(problem)?;
    inst.set(field, register.into()).map_err(problem)
}
