//! Encoder: assigns operands to slots, selects an encoding that can hold them, and reports why none can. No instruction
//! is special-cased by name; everything follows from the table row and the field maps.

mod problem;
mod statement;
mod constant;
mod graphics;
mod operand;
mod modifiers;

use gcn_isa::field::Encoding;
use gcn_isa::rules::{self, Rule};
use gcn_isa::{
    Does, Field, Form, Inst, Isa, Kind, Op, Operand, OperandAccess, PlacedOperand, Presence, Slot,
};

use crate::argument::{ArgValue, ModArg, ParsedOperand};
use crate::ids;
use crate::inputs::dialect::Dialect;
use modifiers::{set_defaults, set_modifiers};
use operand::{encode_operand, register_counts, scalar_offset};
use problem::at_arg;
pub(crate) use problem::{EncodeProblem, ProblemKind, ProblemPlace};
pub(crate) use statement::{AS_NUMBER, DelayedField, StatementOperands};
use statement::{EncodedStatement, MOST_LATER};

/// Encodes an instruction in the requested encoding, `only`, or else in the first one that can hold the operands.
pub(crate) fn encode(
    isa: Isa,
    dialect: Dialect,
    op: Op,
    only: Option<&'static Form>,
    operands: &StatementOperands<'_>,
) -> Result<EncodedStatement, EncodeProblem> {
    if let Some(form) = only {
        return try_form(dialect, form, operands);
    }
    let forms = isa.tables().forms(op);
    if let [form] = forms
        && !form.encoding.is_extended()
    {
        return try_form(dialect, form, operands);
    }
    let row = op.row();
    // SDWA and DPP are considered only if a modifier or `sext(…)` requires them.
    let is_own = |m: &ModArg| row.modifiers().any(|own| own.field == m.modifier.field);
    let is_extended =
        operands.mods.iter().any(|m| !is_own(m)) || operands.args.iter().any(|arg| arg.extended);
    let mut worst: Option<EncodeProblem> = None;
    let mut needs_vgpr = None;
    let forms = forms.iter();
    for form in forms.filter(|form| is_extended || !form.encoding.is_extended()) {
        match try_form(dialect, form, operands) {
            Ok(encoded) => return Ok(encoded),
            Err(problem) => {
                if problem.kind == ProblemKind::NeedsVgpr {
                    needs_vgpr = Some(problem.at);
                }
                if worst.is_none_or(|w| w.kind.rank() <= problem.kind.rank()) {
                    worst = Some(problem);
                }
            }
        }
    }
    // If one encoding rejects the first literal and another accepts it but not the second, report the second.
    if let Some(EncodeProblem {
        at: ProblemPlace::Arg(first),
        kind: ProblemKind::NoLiteral,
    }) = worst
        && let Some(ProblemPlace::Arg(second)) = needs_vgpr
        && first < second
        && is_literal(isa, dialect, op, second, operands)
    {
        return Err(at_arg(second, ProblemKind::SecondLiteral));
    }
    Err(worst.unwrap_or(EncodeProblem {
        at: ProblemPlace::Instruction,
        kind: ProblemKind::NotAllowed(
            &ids::UNSUPPORTED_ENCODING,
            "the instruction has no encoding here",
        ),
    }))
}

/// Returns true if the operand at `index` must be encoded as a literal.
fn is_literal(
    isa: Isa,
    dialect: Dialect,
    op: Op,
    index: usize,
    operands: &StatementOperands<'_>,
) -> bool {
    let what = operands.args.get(index).map(|arg| arg.what);
    match (what, op.row().slots().nth(index)) {
        (Some(ArgValue::Int(value)), Some(slot)) => {
            matches!(
                dialect.constant(isa, slot.ty, value),
                Ok(Operand::Literal(_))
            )
        }
        (what, _) => matches!(
            what,
            Some(
                ArgValue::Literal(_)
                    | ArgValue::LiteralFloat(_)
                    | ArgValue::Delayed(_)
                    | ArgValue::DelayedLiteral(_)
            )
        ),
    }
}

/// Assignment of operands to an instruction's slots.
struct SlotAssignment {
    places: &'static [PlacedOperand],
    /// Bit mask of slots without an operand.
    absent: u32,
}

impl SlotAssignment {
    /// Slots that have an operand, each with the operand's index.
    fn iter(&self) -> impl Iterator<Item = (&'static PlacedOperand, usize)> + '_ {
        let mut absent = self.absent;
        let mut index = 0;
        self.places.iter().filter_map(move |place| {
            let is_absent = absent & 1 != 0;
            absent >>= 1;
            let found = (place, index);
            index += usize::from(!is_absent);
            (!is_absent).then_some(found)
        })
    }
}

fn try_form(
    dialect: Dialect,
    form: &'static Form,
    operands: &StatementOperands<'_>,
) -> Result<EncodedStatement, EncodeProblem> {
    let mut inst = Inst::with_defaults(form);
    set_defaults(&mut inst, dialect);
    set_modifiers(&mut inst, dialect, operands)?;
    let matched = match_places(&inst, dialect, operands)?;
    let mut encoded = EncodedStatement {
        inst,
        delayed: None,
        later: [None; MOST_LATER],
    };
    for (index, arg) in operands.mods.iter().enumerate() {
        if let Some(delayed) = arg.later {
            encoded
                .delay(DelayedField::Modifier(arg.modifier), delayed)
                .map_err(|kind| EncodeProblem {
                    at: ProblemPlace::Modifier(index),
                    kind,
                })?;
        }
    }
    if form.has_saddr {
        check_addresses(&matched, operands)?;
    }
    // Mandatory literals come first, because a source may reuse them.
    let is_literal = |place: &PlacedOperand| matches!(place.slot.kind, Kind::Literal);
    if form.has_literal {
        for (to, index) in matched.iter().filter(|(to, _)| is_literal(to)) {
            encode_operand(&mut encoded, dialect, to, index, operands)?;
        }
    }
    for (to, index) in matched.iter().filter(|(to, _)| !is_literal(to)) {
        encode_operand(&mut encoded, dialect, to, index, operands)?;
    }
    if let Some(slot) = form.scalar_offset {
        fill_in_offset(&mut encoded.inst, dialect, &matched, slot, operands)?;
    }
    if let Some(rule) = rules::whole(&encoded.inst).filter(|&rule| dialect.enforces(rule)) {
        return Err(EncodeProblem {
            at: ProblemPlace::Instruction,
            kind: ProblemKind::Breaks(rule),
        });
    }
    // VGPRs do not use the constant bus.
    let is_vgpr = |arg: &ParsedOperand| matches!(arg.what, ArgValue::Vgprs { .. });
    if !operands.args.iter().all(is_vgpr)
        && let Some(slot) = dialect.constant_bus(&encoded.inst)
    {
        // Vector instructions have no implicit operands in source text, so slot and operand indices agree.
        return Err(at_arg(slot, ProblemKind::Breaks(Rule::ConstantBus)));
    }
    Ok(encoded)
}

/// Sets an omitted offset of a scalar memory instruction to 0. Fails if `offset:` is given, which requires a register.
fn fill_in_offset(
    inst: &mut Inst,
    dialect: Dialect,
    matched: &SlotAssignment,
    slot: &'static Slot,
    operands: &StatementOperands<'_>,
) -> Result<(), EncodeProblem> {
    if matched.iter().any(|(place, _)| place.slot == *slot) {
        return Ok(());
    }
    let omitted = ArgValue::Int(0);
    scalar_offset(inst, dialect, slot, omitted, operands.scalar_offset).map_err(|kind| {
        EncodeProblem {
            at: ProblemPlace::Instruction,
            kind,
        }
    })
}

/// Assigns operands to slots. With fewer operands than slots, optional slots stay empty.
fn match_places(
    inst: &Inst,
    dialect: Dialect,
    operands: &StatementOperands<'_>,
) -> Result<SlotAssignment, EncodeProblem> {
    let places = &inst.form().operands;
    let given = operands.args.len();
    let Some(absent) = places.len().checked_sub(given) else {
        return Err(at_arg(places.len(), ProblemKind::TooMany));
    };
    let mut matched = SlotAssignment { places, absent: 0 };
    let returns = inst.flag(Field::Glc);
    if absent == 0 {
        let old = places
            .iter()
            .position(|place| place.slot.when == Presence::Returned);
        return match old {
            Some(index) if !returns && !dialect.takes_idle_destination() => {
                Err(at_arg(index, ProblemKind::ReturnsNothing))
            }
            _ => Ok(matched),
        };
    }
    let to_lds = inst.flag(Field::Lds);
    let vcc_is_implied = implies_vcc(inst.form());
    let may_be_absent = |place: &PlacedOperand| match place.slot.when {
        Presence::Always => {
            let slot = &place.slot;
            vcc_is_implied && is_implicit(place)
                || matches!(slot.kind, Kind::ScalarOffset { .. })
                || slot.kind == Kind::BufferAddress
                    && dialect.takes_idle_address()
                    && register_counts(inst, slot).0 == 0
        }
        Presence::Returned => !returns,
        Presence::NotLds => to_lds,
        Presence::Optional => true,
    };
    // Of several optional slots, the last ones stay empty.
    let may = places.iter().filter(|p| may_be_absent(p)).count();
    let mut kept = may.saturating_sub(absent);
    let mut left_out = 0;
    for (index, place) in places.iter().enumerate() {
        let slot = &place.slot;
        if may_be_absent(place) {
            let is_other = operands.args.get(index - left_out).is_some_and(|arg| {
                slot.when == Presence::Optional
                    && matches!(arg.what, ArgValue::Vgprs { count, .. } if count != slot.ty.dwords())
            });
            if kept == 0 || is_other && left_out < absent {
                left_out += 1;
                matched.absent |= 1 << index;
                continue;
            }
            kept -= 1;
        }
    }
    if left_out < absent {
        let any = |is: &dyn Fn(&Slot) -> bool| places.iter().any(|place| is(&place.slot));
        let returned = any(&|slot| slot.when == Presence::Returned);
        let kind = if returned && returns && absent == 1 {
            ProblemKind::MustReturn
        } else if any(&|slot| slot.kind == Kind::Saddr) {
            ProblemKind::OffIsMandatory
        } else if left_out + 1 == absent
            && let Some(address) = places.iter().find(|p| p.slot.kind == Kind::BufferAddress)
        {
            ProblemKind::NoAddress(register_counts(inst, &address.slot).0)
        } else {
            ProblemKind::TooFew
        };
        return Err(EncodeProblem {
            at: ProblemPlace::Instruction,
            kind,
        });
    }
    Ok(matched)
}

/// Returns true if the operand is always VCC and has no field.
fn is_implicit(place: &PlacedOperand) -> bool {
    place.slot.kind == Kind::Sdst && place.bits.width == 0
}

/// Returns true if VCC may be omitted, as in LLVM: in comparisons and selections, and in additions with carry on
/// generations where the unsuffixed name is the addition without carry.
fn implies_vcc(form: &Form) -> bool {
    let mut implicit = form.operands.iter().filter(|place| is_implicit(place));
    let (Some(only), None) = (implicit.next(), implicit.next()) else {
        return false;
    };
    match form.encoding {
        Encoding::Vopc => true,
        Encoding::Vop2 => only.slot.access == OperandAccess::Read || form.isa >= Isa::Gfx9,
        _ => false,
    }
}

/// Checks rules that relate vector and scalar addresses (errata E016, E017).
fn check_addresses(
    matched: &SlotAssignment,
    operands: &StatementOperands<'_>,
) -> Result<(), EncodeProblem> {
    let find = |kind: Kind| {
        matched
            .iter()
            .find(|(place, _)| place.slot.kind == kind)
            .and_then(|(_, index)| Some((index, operands.args.get(index)?.what)))
    };
    let Some((saddr_at, saddr)) = find(Kind::Saddr) else {
        return Ok(());
    };
    let scalar_is_off = saddr == ArgValue::Off;
    if let Some((at, ArgValue::Vgprs { count, .. })) = find(Kind::GlobalAddress) {
        let expected = if scalar_is_off { 2 } else { 1 };
        if count != expected {
            let kind = ProblemKind::AddressRegisters {
                expected,
                found: count,
            };
            return Err(at_arg(at, kind));
        }
    }
    match find(Kind::ScratchAddress) {
        Some((_, ArgValue::Off)) if scalar_is_off => Err(at_arg(saddr_at, ProblemKind::BothOff)),
        Some((_, ArgValue::Vgprs { .. })) if !scalar_is_off => {
            Err(at_arg(saddr_at, ProblemKind::BothRegisters))
        }
        _ => Ok(()),
    }
}

/// Returns true for scalar stores and atomics; the manual restricts their register offsets.
pub(crate) fn restricts_offset(inst: &Inst) -> bool {
    matches!(inst.op, Op::Smem(_)) && matches!(inst.row().does, Does::Store(_) | Does::Atomic(..))
}
