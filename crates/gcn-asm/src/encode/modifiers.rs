//! Encodes modifiers and sets defaults for omitted ones.

use gcn_isa::field::Encoding;
use gcn_isa::{Field, FieldError, Inst, Modifier, ModifierValue};

use super::problem::{EncodeProblem, ProblemKind, ProblemPlace, field_problem};
use super::statement::{AS_NUMBER, StatementOperands};
use crate::argument::ModArg;
use crate::inputs::dialect::Dialect;

/// Maximum list length: three sources and the destination.
const LIST_ROOM: usize = 4;

/// Sets omitted modifiers to their defaults in the dialect.
pub(super) fn set_defaults(inst: &mut Inst, dialect: Dialect) {
    if dialect == Dialect::default() {
        return;
    }
    let of_row = *inst;
    for modifier in of_row.modifiers() {
        if let Some(value) = dialect.default_of(modifier) {
            let _ = inst.set(modifier.field, value); // Cannot fail: the encoding has the field.
        }
    }
    if inst.encoding == Encoding::VopcSdwa && inst.layout().has(Field::DstSel) {
        let _ = inst.set(Field::DstSel, dialect.comparison_selection()); // Cannot fail.
    }
    if inst.encoding != Encoding::Vop3p {
        return;
    }
    let selects_halves = inst
        .modifiers()
        .any(|m| m.field == Field::OpSelHi && m.default == 0);
    let all = |inst: &Inst, field| inst.layout().bits(field).max().cast_signed();
    if selects_halves && dialect.mixed_sources_are_halves() {
        for field in [Field::OpSelHi, Field::OpSelHi2] {
            let value = all(inst, field);
            let _ = inst.set(field, value); // Cannot fail: the value is the field's maximum.
        }
    }
}

/// Sets the modifiers that the statement gives.
pub(super) fn set_modifiers(
    inst: &mut Inst,
    dialect: Dialect,
    operands: &StatementOperands<'_>,
) -> Result<(), EncodeProblem> {
    for (index, arg) in operands.mods.iter().enumerate() {
        let at = ProblemPlace::Modifier(index);
        let field = arg.modifier.field;
        let is_own = inst.modifiers().any(|m| m.field == field);
        let has_bits = dialect.takes_all_modifiers() && inst.layout().has(field);
        if !is_own && !has_bits {
            // LLVM accepts numeric modifiers of value 0, such as `offset:0`, on instructions without them.
            let is_number = matches!(
                arg.modifier.value,
                ModifierValue::Unsigned | ModifierValue::Signed
            );
            if is_number && arg.value == 0 && field != Field::BoundCtrl {
                continue;
            }
            return Err(EncodeProblem {
                at,
                kind: ProblemKind::ModifierNotHere,
            });
        }
        if arg.later.is_some() {
            continue;
        }
        if field == Field::OpSelHi
            && !dialect.list_sets_missing_source()
            && !inst.row().slots().any(|slot| slot.field == Field::Src2)
        {
            let _ = inst.set(Field::OpSelHi2, 0); // Cannot fail: VOP3P has the bit.
        }
        let result = match arg.modifier.value {
            ModifierValue::Signed => inst.set_signed(field, arg.value),
            ModifierValue::BitList => {
                set_list(inst, arg).map_err(|kind| EncodeProblem { at, kind })?
            }
            _ => inst.set(field, arg.value),
        };
        if let Err(error) = result {
            let kind = field_problem(error, arg.value);
            return Err(EncodeProblem { at, kind });
        }
    }
    let required = inst.form().required;
    if inst.bits() & required != required && !dialect.takes_all_modifiers() {
        let is_missing = |m: &&Modifier| m.required && !inst.flag(m.field);
        let missing = inst.modifiers().find(is_missing);
        let name = missing.and_then(|modifier| modifier.names.first());
        return Err(EncodeProblem {
            at: ProblemPlace::Instruction,
            kind: ProblemKind::Missing(name.copied().unwrap_or("")),
        });
    }
    Ok(())
}

/// Sets each bit of a list in the field that holds it in this encoding. Bits missing from a short list are 0.
fn set_list(inst: &mut Inst, arg: &ModArg) -> Result<Result<(), FieldError>, ProblemKind> {
    let list = inst.list_bits(arg.modifier);
    let expected = list.iter().count();
    let count = if arg.count == AS_NUMBER {
        expected
    } else {
        arg.count
    };
    // LLVM accepts four-element lists; surplus elements are ignored if they are 0 or belong to `op_sel_hi`.
    let surplus = arg.value.checked_shr(expected as u32).unwrap_or(0);
    let is_idle = count <= LIST_ROOM && (surplus == 0 || arg.modifier.field == Field::OpSelHi);
    if count > expected && !is_idle {
        return Err(ProblemKind::ListLength {
            expected,
            found: count,
        });
    }
    for (index, bit) in list.iter().enumerate() {
        for field in [arg.modifier.field, Field::OpSelHi2] {
            let bits = inst.layout().bits(field);
            if bit < bits.low || bit >= bits.low + bits.width {
                continue;
            }
            let mask = 1i64 << (bit - bits.low);
            let old = inst.get(field).cast_signed();
            let set = arg.value >> index & 1 != 0;
            let new = if set { old | mask } else { old & !mask };
            if let Err(error) = inst.set(field, new) {
                return Ok(Err(error));
            }
        }
    }
    Ok(Ok(()))
}
