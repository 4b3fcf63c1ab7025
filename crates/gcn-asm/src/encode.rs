//! From operands to words: which slot takes which operand, which encoding holds them, what is wrong if none does.
//! Names no instruction; everything follows from the row and the field maps.

use gcn_isa::exp::SOURCES;
use gcn_isa::field::Encoding;
use gcn_isa::rules::{self, Rule};
use gcn_isa::vintrp::CHANNELS;
use gcn_isa::{
    Access, Does, Field, FieldError, Form, Inst, Isa, Kind, Modifier, Op, Operand, Place, Row,
    Slot, Ty, Value, When, regs,
};

use crate::cursor::FloatWidth;
use crate::dialect::Dialect;
use crate::modifier::ModArg;
use crate::operand::{Arg, Waiting, What};

/// The most operands that an instruction has.
const MAX_SLOTS: usize = 8;
/// As the length of a list: it is written as one number, CLRX's way.
pub(crate) const AS_NUMBER: usize = usize::MAX;
/// Dwords of an image's descriptor with R128.
const SHORT_DESCRIPTOR: u8 = 4;

/// What the operands of a statement are.
pub(crate) struct Operands<'a> {
    pub args: &'a [Arg],
    pub mods: &'a [ModArg],
    /// `offset:` after the register of a scalar memory instruction (errata E025).
    pub scalar_offset: Option<i64>,
}

/// An instruction, and what of it is filled in later.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encoded {
    pub inst: Inst,
    pub delayed: Option<(DelayedField, Waiting)>,
    /// Fields that are no addresses.
    pub later: [Option<(DelayedField, Waiting)>; MOST_LATER],
}

/// A field that is filled in later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DelayedField {
    /// The dword after the instruction.
    Literal,
    /// The distance of a branch.
    Branch,
    /// The number of an operand.
    Operand(&'static Slot),
    /// The number of a modifier.
    Modifier(&'static Modifier),
}

/// Fields of an instruction that may be filled in later, beside a literal.
pub(crate) const MOST_LATER: usize = 3;

impl Encoded {
    /// A field is filled in at the end of the source.
    fn put_off(&mut self, field: DelayedField, value: Waiting) -> Result<(), Why> {
        let free = self.later.iter_mut().find(|place| place.is_none());
        *free.ok_or(Why::NotKnown)? = Some((field, value));
        Ok(())
    }
}

impl DelayedField {
    /// Puts a number into the field.
    ///
    /// # Errors
    /// [`FieldError`] if it does not fit.
    pub(crate) fn fill(self, inst: &mut Inst, value: i64) -> Result<(), FieldError> {
        match self {
            DelayedField::Literal => inst.set_literal(value as u32),
            DelayedField::Branch => inst.set_signed(Field::Simm16, value),
            DelayedField::Operand(slot) => {
                let operand = match slot.kind {
                    Kind::ScalarOffset { .. } => {
                        let range = || FieldError::Range {
                            value,
                            low: 0,
                            high: inst.layout().bits(Field::Offset).max().cast_signed(),
                        };
                        Operand::ScalarOffset {
                            imm: Some(i32::try_from(value).map_err(|_| range())?),
                            reg: None,
                            literal: false,
                        }
                    }
                    _ => Operand::Imm(value),
                };
                inst.set_operand(slot, operand)
            }
            DelayedField::Modifier(modifier) if modifier.value == Value::Signed => {
                inst.set_signed(modifier.field, value)
            }
            DelayedField::Modifier(modifier) => inst.set(modifier.field, value),
        }
    }
}

/// Which operand something is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Where {
    Instruction,
    Arg(usize),
    Modifier(usize),
}

/// Why operands do not fit an encoding.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Problem {
    pub at: Where,
    pub why: Why,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Why {
    /// Ordered so that the most telling one of several encodings is reported: later is better.
    ModifierNotHere,
    NeedsVgpr,
    NoLiteral,
    NoSourceModifiers,
    NeedsVcc,
    SecondLiteral,
    Breaks(Rule),
    Expected(&'static Slot),
    Registers {
        expected: u8,
        found: u8,
    },
    Alignment(u8),
    TooFew,
    TooMany,
    Missing(&'static str),
    MustReturn,
    OffIsMandatory,
    BothOff,
    BothRegisters,
    AddressRegisters {
        expected: u8,
        found: u8,
    },
    ImageAddress {
        least: u8,
        most: u8,
        found: u8,
    },
    NotAllowed(&'static str),
    NotKnown,
    Range {
        value: i64,
        low: i64,
        high: i64,
    },
    FloatRange(f64),
    FloatInInteger,
    ListLength {
        expected: usize,
        found: usize,
    },
}

impl Why {
    /// How much it tells; of several encodings' problems the largest is reported.
    fn rank(self) -> u8 {
        match self {
            Why::ModifierNotHere | Why::NeedsVgpr | Why::NeedsVcc | Why::NoSourceModifiers => 0,
            Why::NoLiteral => 1,
            Why::Breaks(Rule::ConstantBus) | Why::SecondLiteral => 2,
            _ => 3,
        }
    }
}

/// What is said of an encoding that an instruction has elsewhere.
pub(crate) const NO_SUCH_ENCODING: &str = "this instruction set has no such encoding of it";

/// The instruction in the first of its encodings that can hold the operands, or in the one asked for.
pub(crate) fn encode(
    isa: Isa,
    dialect: Dialect,
    op: Op,
    only: Option<&'static Form>,
    operands: &Operands<'_>,
) -> Result<Encoded, Problem> {
    if let Some(form) = only {
        return try_form(dialect, form, operands);
    }
    let row = op.row();
    // SDWA and DPP are meant only where something is written that only they have.
    let is_own = |m: &ModArg| row.modifiers().any(|own| own.field == m.modifier.field);
    let is_extended =
        operands.mods.iter().any(|m| !is_own(m)) || operands.args.iter().any(|arg| arg.extended);
    let mut worst: Option<Problem> = None;
    let forms = isa.tables().forms(op).iter();
    for form in forms.filter(|form| is_extended || !form.encoding.is_extended()) {
        match try_form(dialect, form, operands) {
            Ok(encoded) => return Ok(encoded),
            Err(problem) => {
                if worst.is_none_or(|w| w.why.rank() <= problem.why.rank()) {
                    worst = Some(problem);
                }
            }
        }
    }
    Err(worst.unwrap_or(Problem {
        at: Where::Instruction,
        why: Why::NotAllowed("the instruction has no encoding here"),
    }))
}

/// An instruction's operands in their places.
struct Matched {
    places: [Option<(&'static Place, usize)>; MAX_SLOTS],
    len: usize,
}

impl Matched {
    fn iter(&self) -> impl Iterator<Item = (&'static Place, usize)> + '_ {
        self.places.iter().take(self.len).copied().flatten()
    }

    /// Gives the next operand this place.
    fn push(&mut self, place: &'static Place) {
        if let Some(next) = self.places.get_mut(self.len) {
            *next = Some((place, self.len));
            self.len += 1;
        }
    }
}

fn at_arg(index: usize, why: Why) -> Problem {
    Problem {
        at: Where::Arg(index),
        why,
    }
}

fn try_form(
    dialect: Dialect,
    form: &'static Form,
    operands: &Operands<'_>,
) -> Result<Encoded, Problem> {
    let mut inst = Inst::plain(form);
    set_defaults(&mut inst, dialect);
    set_modifiers(&mut inst, dialect, operands)?;
    let matched = match_places(&inst, dialect, operands)?;
    let mut encoded = Encoded {
        inst,
        delayed: None,
        later: [None; MOST_LATER],
    };
    for (index, arg) in operands.mods.iter().enumerate() {
        if let Some(delayed) = arg.later {
            encoded
                .put_off(DelayedField::Modifier(arg.modifier), delayed)
                .map_err(|why| Problem {
                    at: Where::Modifier(index),
                    why,
                })?;
        }
    }
    check_addresses(&matched, operands)?;
    // A literal that is always there first: a source may be the same one.
    let is_literal = |place: &Place| place.slot.kind == Kind::Literal;
    let has_literal = form.places.iter().any(is_literal);
    for (to, index) in matched
        .iter()
        .filter(|(to, _)| has_literal && is_literal(to))
    {
        place(&mut encoded, dialect, to, index, operands)?;
    }
    for (to, index) in matched.iter().filter(|(to, _)| !is_literal(to)) {
        place(&mut encoded, dialect, to, index, operands)?;
    }
    fill_in_offset(&mut encoded.inst, dialect, &matched)?;
    if let Some(rule) = rules::whole(&encoded.inst).filter(|&rule| dialect.holds_to(rule)) {
        return Err(Problem {
            at: Where::Instruction,
            why: Why::Breaks(rule),
        });
    }
    // VGPRs alone need no bus.
    let is_vgpr = |arg: &Arg| matches!(arg.what, What::Vgprs { .. });
    if !operands.args.iter().all(is_vgpr)
        && let Some(slot) = dialect.constant_bus(&encoded.inst)
    {
        // The operands of vector instructions are all written.
        return Err(at_arg(slot, Why::Breaks(Rule::ConstantBus)));
    }
    Ok(encoded)
}

/// The offset of a scalar memory instruction is 0 if it is left out.
fn fill_in_offset(inst: &mut Inst, dialect: Dialect, matched: &Matched) -> Result<(), Problem> {
    let is_offset = |slot: &&Slot| matches!(slot.kind, Kind::ScalarOffset { .. });
    let is_written = matched.iter().any(|(place, _)| is_offset(&place.slot));
    match inst.row().slots().find(is_offset) {
        Some(slot) if !is_written => scalar_offset(inst, dialect, slot, What::Int(0), None)
            .map_err(|why| Problem {
                at: Where::Instruction,
                why,
            }),
        _ => Ok(()),
    }
}

/// What the dialect has for modifiers that are not written.
fn set_defaults(inst: &mut Inst, dialect: Dialect) {
    if dialect == Dialect::default() {
        return;
    }
    let of_row = *inst;
    for modifier in of_row.modifiers() {
        if let Some(value) = dialect.default_of(modifier) {
            let _ = inst.set(modifier.field, value); // A field of this encoding, which holds its default.
        }
    }
    if inst.encoding == Encoding::VopcSdwa && inst.layout().has(Field::DstSel) {
        let _ = inst.set(Field::DstSel, dialect.unmeant_selection()); // The same.
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
            let _ = inst.set(field, value); // The same.
        }
    }
}

fn set_modifiers(
    inst: &mut Inst,
    dialect: Dialect,
    operands: &Operands<'_>,
) -> Result<(), Problem> {
    for (index, arg) in operands.mods.iter().enumerate() {
        let at = Where::Modifier(index);
        let field = arg.modifier.field;
        let is_own = inst.modifiers().any(|m| m.field == field);
        let has_bits = dialect.takes_all_modifiers() && inst.layout().has(field);
        if !is_own && !has_bits {
            // LLVM takes `offset:0` where there is no offset.
            let is_number = matches!(arg.modifier.value, Value::Unsigned | Value::Signed);
            if is_number && arg.value == 0 && field != Field::BoundCtrl {
                continue;
            }
            return Err(Problem {
                at,
                why: Why::ModifierNotHere,
            });
        }
        if arg.later.is_some() {
            continue;
        }
        if field == Field::OpSelHi
            && !dialect.list_sets_missing_source()
            && !inst.row().slots().any(|slot| slot.field == Field::Src2)
        {
            let _ = inst.set(Field::OpSelHi2, 0); // VOP3P has the bit.
        }
        let result = match arg.modifier.value {
            Value::Signed => inst.set_signed(field, arg.value),
            Value::BitList => set_list(inst, arg).map_err(|why| Problem { at, why })?,
            _ => inst.set(field, arg.value),
        };
        if let Err(error) = result {
            let why = field_problem(error, arg.value);
            return Err(Problem { at, why });
        }
    }
    for modifier in inst.modifiers() {
        if modifier.required && !inst.flag(modifier.field) && !dialect.takes_all_modifiers() {
            let name = modifier.names.first().copied().unwrap_or("");
            return Err(Problem {
                at: Where::Instruction,
                why: Why::Missing(name),
            });
        }
    }
    Ok(())
}

/// Sets each bit of a list where the encoding has it. Those that a shorter list leaves out are 0.
fn set_list(inst: &mut Inst, arg: &ModArg) -> Result<Result<(), FieldError>, Why> {
    let list = inst.list_bits(arg.modifier);
    let expected = list.iter().count();
    let count = if arg.count == AS_NUMBER {
        expected
    } else {
        arg.count
    };
    if count > expected {
        return Err(Why::ListLength {
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

fn field_problem(error: FieldError, value: i64) -> Why {
    match error {
        FieldError::Missing => Why::ModifierNotHere,
        FieldError::Range { low, high, .. } => Why::Range { value, low, high },
        FieldError::Kind => Why::NoLiteral,
        FieldError::Alignment(multiple) => Why::Alignment(multiple),
    }
}

/// Which places have an operand: those that may be left out are, if there are fewer operands than places.
fn match_places(
    inst: &Inst,
    dialect: Dialect,
    operands: &Operands<'_>,
) -> Result<Matched, Problem> {
    let places = &inst.form().places;
    let given = operands.args.len();
    let Some(absent) = places.len().checked_sub(given) else {
        return Err(at_arg(places.len(), Why::TooMany));
    };
    let mut matched = Matched {
        places: [None; MAX_SLOTS],
        len: 0,
    };
    if absent == 0 {
        places.iter().for_each(|place| matched.push(place));
        return Ok(matched);
    }
    let returns = inst.flag(Field::Glc);
    let to_lds = inst.flag(Field::Lds);
    let may_be_absent = |slot: &Slot| match slot.when {
        When::Always => {
            matches!(slot.kind, Kind::ScalarOffset { .. })
                || slot.kind == Kind::BufferAddress
                    && dialect.takes_idle_address()
                    && register_counts(inst, slot).0 == 0
        }
        When::Returned => !returns,
        When::NotLds => to_lds,
        When::Optional => true,
    };
    // Of several that may be left out the last ones are.
    let may = places.iter().filter(|p| may_be_absent(p.slot)).count();
    let mut kept = may.saturating_sub(absent);
    let mut left_out = 0;
    for place in places {
        let slot = place.slot;
        if may_be_absent(slot) {
            let is_other = operands.args.get(matched.len).is_some_and(|arg| {
                slot.when == When::Optional
                    && matches!(arg.what, What::Vgprs { count, .. } if count != slot.ty.dwords())
            });
            if kept == 0 || is_other && left_out < absent {
                left_out += 1;
                continue;
            }
            kept -= 1;
        }
        matched.push(place);
    }
    if left_out < absent {
        let any = |is: &dyn Fn(&Slot) -> bool| places.iter().any(|place| is(place.slot));
        let returned = any(&|slot| slot.when == When::Returned);
        let why = if returned && returns && absent == 1 {
            Why::MustReturn
        } else if any(&|slot| slot.kind == Kind::Saddr) {
            Why::OffIsMandatory
        } else {
            Why::TooFew
        };
        return Err(Problem {
            at: Where::Instruction,
            why,
        });
    }
    Ok(matched)
}

/// Rules between a vector address and a scalar one (errata E016, E017).
fn check_addresses(matched: &Matched, operands: &Operands<'_>) -> Result<(), Problem> {
    let find = |kind: Kind| {
        matched
            .iter()
            .find(|(place, _)| place.slot.kind == kind)
            .and_then(|(_, index)| Some((index, operands.args.get(index)?.what)))
    };
    let Some((saddr_at, saddr)) = find(Kind::Saddr) else {
        return Ok(());
    };
    let scalar_is_off = saddr == What::Off;
    if let Some((at, What::Vgprs { count, .. })) = find(Kind::GlobalAddress) {
        let expected = if scalar_is_off { 2 } else { 1 };
        if count != expected {
            let why = Why::AddressRegisters {
                expected,
                found: count,
            };
            return Err(at_arg(at, why));
        }
    }
    match find(Kind::ScratchAddress) {
        Some((_, What::Off)) if scalar_is_off => Err(at_arg(saddr_at, Why::BothOff)),
        Some((_, What::Vgprs { .. })) if !scalar_is_off => {
            Err(at_arg(saddr_at, Why::BothRegisters))
        }
        _ => Ok(()),
    }
}

/// How many registers an operand must have; a second number that will do as well.
fn register_counts(inst: &Inst, slot: &Slot) -> (u8, u8) {
    let count = slot.ty.dwords();
    match slot.kind {
        // With TFE a status may follow the value (errata E015).
        Kind::Vgpr if slot.access != Access::Read && inst.flag(Field::Tfe) => (count + 1, count),
        Kind::Vgpr
            if matches!(inst.encoding, Encoding::Mubuf | Encoding::Mtbuf)
                && inst.flag(Field::Tfe) =>
        {
            (count + 1, count)
        }
        Kind::ImageData { .. } => match inst.operand(slot) {
            Operand::Vgprs { count, .. } => (count, count),
            _ => (count, count),
        },
        Kind::ExportSource(_) => (1, 1),
        // LLVM writes short descriptors as long as long ones.
        Kind::Aligned(_) if slot.field == Field::Srsrc && inst.flag(Field::R128) => {
            (count, SHORT_DESCRIPTOR)
        }
        Kind::BufferAddress => {
            let count = if inst.flag(Field::Addr64) {
                2
            } else {
                u8::from(inst.flag(Field::Idxen)) + u8::from(inst.flag(Field::Offen))
            };
            (count, count)
        }
        _ => (count, count),
    }
}

fn place(
    encoded: &mut Encoded,
    dialect: Dialect,
    to: &'static Place,
    index: usize,
    operands: &Operands<'_>,
) -> Result<(), Problem> {
    let Some(arg) = operands.args.get(index) else {
        return Ok(());
    };
    let problem = |why| at_arg(index, why);
    let inst = &mut encoded.inst;
    let isa = inst.isa;
    let Place { slot, bits, .. } = *to;
    let what =
        if arg.negated || arg.absolute || arg.extended || arg.has_two_signs && slot.ty.is_float() {
            source_modifiers(inst, dialect, to, arg).map_err(problem)?
        } else {
            arg.what
        };
    let check_count = |found: u8| {
        let (expected, also) = register_counts(inst, slot);
        let theirs = dialect
            .takes_all_modifiers()
            .then(|| gcn_isa::clrx::width(inst.row(), slot))
            .flatten();
        if found == expected || found == also || Some(found) == theirs {
            Ok(())
        } else {
            Err(problem(Why::Registers { expected, found }))
        }
    };
    let operand = match (slot.kind, what) {
        (Kind::Vgpr | Kind::Src, What::Vgprs { first, count }) if count == slot.ty.dwords() => {
            Operand::Vgprs { first, count }
        }
        (Kind::GlobalAddress, What::Vgprs { first, count }) => Operand::Vgprs { first, count },
        (Kind::BufferAddress, What::Off) => {
            check_count(0)?;
            Operand::Off
        }
        (Kind::BufferAddress, What::Vgprs { first, count: 1 })
            if register_counts(inst, slot).0 == 0 && dialect.takes_idle_address() =>
        {
            Operand::Vgprs { first, count: 1 }
        }
        (Kind::ExportSource(place), what) if dialect.exports_each_value() => {
            return export_value(inst, place, what).map_err(problem);
        }
        (Kind::ScratchAddress | Kind::Saddr | Kind::ExportSource(_), What::Off) => Operand::Off,
        (Kind::ImageAddress { least, most }, What::Vgprs { first, count }) => {
            let is_written_by_clrx =
                dialect.takes_idle_address() && gcn_isa::clrx::takes_image_address(most, count);
            if !Inst::takes_image_address(least, most, count) && !is_written_by_clrx {
                return Err(problem(Why::ImageAddress {
                    least,
                    most,
                    found: count,
                }));
            }
            Operand::Vgprs { first, count }
        }
        (
            Kind::Vgpr
            | Kind::ScratchAddress
            | Kind::BufferAddress
            | Kind::Src
            | Kind::ImageData { .. }
            | Kind::ExportSource(_),
            What::Vgprs { first, count },
        ) => {
            check_count(count)?;
            Operand::Vgprs { first, count }
        }
        (Kind::Src, What::Scalar { code, count })
            if bits.width == 8 && code != regs::LDS_DIRECT && takes_scalar(inst, slot.field) =>
        {
            if count != regs::ANY_WIDTH {
                check_count(count)?;
            }
            Operand::Scalar {
                code,
                count: slot.ty.dwords(),
            }
        }
        (Kind::Vgpr, What::Scalar { code, .. })
            if bits.width == VGPR_OR_SCALAR_BITS
                && code <= regs::EXEC_HI
                && dialect.takes_all_modifiers() =>
        {
            let set = inst.set(slot.field, code.into());
            return set.map_err(|error| problem(field_problem(error, code.into())));
        }
        (Kind::Ssrc, What::Vgprs { first, count: 1 })
            if bits.width == VGPR_OR_SCALAR_BITS && dialect.takes_all_modifiers() =>
        {
            let number = i64::from(first) + FIRST_VGPR;
            let set = inst.set(slot.field, number);
            return set.map_err(|error| problem(field_problem(error, number)));
        }
        (Kind::Src, What::Int(_) | What::Float(_))
            if bits.width == 8 && takes_scalar(inst, slot.field) =>
        {
            let constant = match arg.what {
                What::Float(value) => float_constant(isa, dialect, slot.ty, value),
                What::Int(value) => dialect
                    .constant(isa, slot.ty, value)
                    .map_err(|error| field_problem(error, value)),
                _ => Err(Why::NeedsVgpr),
            };
            match constant.map_err(problem)? {
                Operand::Literal(_) => return Err(problem(Why::NoLiteral)),
                inline => inline,
            }
        }
        (Kind::Src, _) if bits.width == 8 => return Err(problem(Why::NeedsVgpr)),
        (Kind::Vgpr, What::Scalar { code, .. }) if code == regs::LDS_DIRECT && bits.width == 9 => {
            Operand::Scalar { code, count: 1 }
        }
        (
            Kind::Saddr | Kind::Src | Kind::Ssrc | Kind::Sdst | Kind::Aligned(_),
            What::Scalar { code, count },
        ) => {
            if count != regs::ANY_WIDTH {
                check_count(count)?;
            }
            if code < regs::ZERO && !takes_group(inst, slot, code, count) {
                return Err(problem(Why::Alignment(if count == 2 { 2 } else { 4 })));
            }
            let operand = Operand::Scalar {
                code,
                count: slot.ty.dwords(),
            };
            match rules::operand(inst, slot, operand) {
                // An inline constant's number is that of no register.
                Some(Rule::NoConstant) => return Err(problem(Why::Expected(slot))),
                Some(rule) if dialect.holds_to(rule) => {
                    return Err(problem(Why::Breaks(rule)));
                }
                Some(_) | None => operand,
            }
        }
        // What lies between labels is as long in the end as it is here, but LLVM does not know that.
        (Kind::Src | Kind::Ssrc, What::Int(value)) if arg.is_distance => {
            Operand::Literal(literal(dialect, slot.ty, value).map_err(problem)?)
        }
        (Kind::Src | Kind::Ssrc, What::Int(value)) => dialect
            .constant(isa, slot.ty, value)
            .map_err(|error| problem(field_problem(error, value)))?,
        (Kind::Src | Kind::Ssrc, What::Float(value)) => {
            float_constant(isa, dialect, dialect.float_type(slot.ty), value)
                .map(|operand| with_count(operand, slot))
                .map_err(problem)?
        }
        (Kind::Src | Kind::Ssrc, What::Sized(value, width)) if width == width_of(slot.ty) => {
            float_constant(isa, dialect, float_of(width), value)
                .map(|operand| with_count(operand, slot))
                .map_err(problem)?
        }
        (Kind::Src | Kind::Ssrc | Kind::Literal, What::Sized(value, width)) => {
            Operand::Literal(float_literal(dialect, float_of(width), value).map_err(problem)?)
        }
        (Kind::Src | Kind::Ssrc | Kind::Literal, What::LiteralFloat(value)) => {
            let ty = dialect.float_type(slot.ty);
            Operand::Literal(float_literal(dialect, ty, value).map_err(problem)?)
        }
        (Kind::Src | Kind::Ssrc | Kind::Literal, What::Literal(value)) => {
            Operand::Literal(literal(dialect, slot.ty, value).map_err(problem)?)
        }
        (Kind::Src | Kind::Ssrc | Kind::Literal, What::Delayed(delayed)) => {
            if encoded.delayed.is_some() {
                return Err(problem(Why::SecondLiteral));
            }
            if slot.ty.constant_bits() != u32::BITS {
                return Err(problem(Why::NotKnown));
            }
            let placed = inst.set_operand(slot, Operand::Literal(0));
            placed.map_err(|error| problem(field_problem(error, 0)))?;
            encoded.delayed = Some((DelayedField::Literal, delayed));
            return Ok(());
        }
        (Kind::Literal, What::Int(value)) => {
            Operand::Literal(literal(dialect, slot.ty, value).map_err(problem)?)
        }
        (Kind::Literal, What::Float(value)) => Operand::Literal(
            float_literal(dialect, dialect.float_type(slot.ty), value).map_err(problem)?,
        ),
        (Kind::ScalarOffset { .. }, What::Delayed(delayed)) => {
            // Only a number can be defined later.
            let number = Operand::ScalarOffset {
                imm: Some(0),
                reg: None,
                literal: false,
            };
            let set = inst.set_operand(slot, number);
            set.map_err(|error| problem(field_problem(error, 0)))?;
            let put_off = encoded.put_off(DelayedField::Operand(slot), delayed);
            return put_off.map_err(problem);
        }
        (Kind::ScalarOffset { .. }, what) => {
            return scalar_offset(inst, dialect, slot, what, operands.scalar_offset)
                .map_err(problem);
        }
        (Kind::Branch, What::Delayed(delayed)) => {
            encoded.delayed = Some((DelayedField::Branch, delayed));
            return Ok(());
        }
        (Kind::Branch, What::Int(_)) if !dialect.numbers_are_distances() => {
            return Err(problem(Why::NotAllowed(
                "a branch goes to an address, such as a label or `.+8`",
            )));
        }
        (Kind::Branch, What::Int(value)) => {
            // LLVM writes a distance as the number without sign.
            let value = match u16::try_from(value) {
                Ok(unsigned) => i64::from(unsigned.cast_signed()),
                Err(_) => value,
            };
            Operand::Imm(value)
        }
        (Kind::Waitcnt, What::Waitcnt(value))
        | (Kind::Hwreg, What::Hwreg(value))
        | (Kind::SendMsg, What::Message(value))
        | (Kind::GprIndex, What::GprIndex(value)) => Operand::Imm(i64::from(value)),
        (Kind::Attribute, What::Graphics(Kind::Attribute, value)) => {
            return attribute(inst, value).map_err(problem);
        }
        (_, What::Graphics(kind, value)) if kind == slot.kind => Operand::Imm(value),
        // What is compared without sign has none.
        (Kind::Simm16, What::Int(value @ ..0))
            if inst.row().slots().any(|slot| slot.ty == Ty::U32) =>
        {
            return Err(problem(Why::Range {
                value,
                low: 0,
                high: u16::MAX.into(),
            }));
        }
        (
            Kind::Unsigned
            | Kind::Signed
            | Kind::Simm16
            | Kind::Waitcnt
            | Kind::Hwreg
            | Kind::SendMsg
            | Kind::GprIndex,
            What::Int(value),
        ) => Operand::Imm(value),
        (
            Kind::Unsigned
            | Kind::Signed
            | Kind::Simm16
            | Kind::Waitcnt
            | Kind::Hwreg
            | Kind::SendMsg
            | Kind::GprIndex,
            What::Delayed(delayed),
        ) => {
            let put_off = encoded.put_off(DelayedField::Operand(slot), delayed);
            return put_off.map_err(problem);
        }
        _ => return Err(problem(Why::Expected(slot))),
    };
    let value = match operand {
        Operand::Imm(value) => value,
        _ => 0,
    };
    if (slot.kind == Kind::GprIndex || inst.does() == Does::Fork)
        && let Some(rule) = rules::operand(inst, slot, operand)
        && dialect.holds_to(rule)
    {
        return Err(problem(Why::Breaks(rule)));
    }
    inst.set_operand(slot, operand).map_err(|error| {
        problem(match (error, operand) {
            (FieldError::Kind, Operand::Literal(_)) if inst.literal().is_some() => {
                Why::SecondLiteral
            }
            (FieldError::Kind, Operand::Literal(_)) => Why::NoLiteral,
            (FieldError::Kind, _) if slot.kind == Kind::Sdst && bits.width == 0 => Why::NeedsVcc,
            (FieldError::Kind, _) => Why::Expected(slot),
            _ => field_problem(error, value),
        })
    })
}

/// Whether a source of SDWA may be scalar or an inline constant (GCN 1.4).
fn takes_scalar(inst: &Inst, field: Field) -> bool {
    match field {
        Field::Src0 => inst.layout().has(Field::Src0Scalar),
        Field::Src1 => inst.layout().has(Field::Src1Scalar),
        _ => false,
    }
}

/// The bits that negate a source, take its absolute value and extend its sign, whatever its type is; 0 where an
/// encoding has none.
fn modifier_bits(inst: &Inst, slot: &Slot) -> (u64, u64, u64) {
    let index = match slot.field {
        Field::Src0 => 0,
        Field::Src1 => 1,
        Field::Src2 => 2,
        _ => return (0, 0, 0),
    };
    let layout = inst.layout();
    if layout.has(Field::Src0Neg) {
        let of = |field| layout.bits(field).mask();
        return match index {
            0 => (of(Field::Src0Neg), of(Field::Src0Abs), of(Field::Src0Sext)),
            1 => (of(Field::Src1Neg), of(Field::Src1Abs), of(Field::Src1Sext)),
            _ => (0, 0, 0),
        };
    }
    let bit = |field| {
        let bits = layout.bits(field);
        if bits.width > index {
            1 << (bits.low + index)
        } else {
            0
        }
    };
    // Packed instructions list them; CLRX takes a sign for the list of negations.
    let is_packed = inst.encoding == Encoding::Vop3p;
    let absolute = if is_packed { 0 } else { bit(Field::Abs) };
    (bit(Field::Neg), absolute, 0)
}

/// Puts negation, absolute value and the extension of the sign into the fields that an encoding has for them, or into
/// a constant.
fn source_modifiers(
    inst: &mut Inst,
    dialect: Dialect,
    place: &Place,
    arg: &Arg,
) -> Result<What, Why> {
    let slot = place.slot;
    let is_float = slot.ty.is_float();
    if arg.has_two_signs {
        return Err(Why::NotAllowed(
            "two signs follow each other: write `neg(…)`",
        ));
    }
    let is_any = dialect.takes_all_modifiers();
    let has_modifiers = match slot.kind {
        Kind::Src | Kind::Vgpr => true,
        Kind::Ssrc => is_any,
        _ => false,
    };
    if !has_modifiers
        || !is_any && (arg.negated || arg.absolute) && !is_float
        || !is_any && arg.extended && is_float
    {
        return Err(Why::NotAllowed(if arg.extended {
            "only integers can be sign-extended"
        } else {
            "only floating-point operands of vector instructions can be negated"
        }));
    }
    let has_fields = inst.layout().has(Field::Neg) || inst.layout().has(Field::Src0Neg);
    if !has_fields
        && !arg.extended
        && let Some(constant) = modified_constant(slot.ty, arg)
    {
        return Ok(constant);
    }
    let (negate, absolute, extend) = match is_any {
        true => modifier_bits(inst, slot),
        false => (place.negate, place.absolute, place.extend),
    };
    let wanted = [
        (arg.negated, negate),
        (arg.absolute, absolute),
        (arg.extended, extend),
    ];
    for (_, bit) in wanted.into_iter().filter(|(is_wanted, _)| *is_wanted) {
        if bit == 0 {
            return Err(Why::NoSourceModifiers);
        }
        inst.set_bits(bit);
    }
    Ok(arg.what)
}

/// What negation and absolute value make of a constant. An integer of 64 bits would not be the constant that the
/// text says once it is a literal of 32 bits.
fn modified_constant(ty: Ty, arg: &Arg) -> Option<What> {
    let float = |value: f64| {
        let value = if arg.absolute { value.abs() } else { value };
        if arg.negated { -value } else { value }
    };
    let integer = |value: i64| {
        if ty.constant_bits() == u64::BITS {
            return None;
        }
        let bits = i64::from(rules::literal(ty, value).ok()?);
        let sign = 1 << (ty.constant_bits() - 1);
        let bits = if arg.absolute { bits & !sign } else { bits };
        Some(if arg.negated { bits ^ sign } else { bits })
    };
    match arg.what {
        What::Float(value) => Some(What::Float(float(value))),
        What::LiteralFloat(value) => Some(What::LiteralFloat(float(value))),
        What::Int(value) => integer(value).map(What::Int),
        What::Literal(value) => integer(value).map(What::Literal),
        _ => None,
    }
}

/// The bits that a literal of this type gives a number.
fn literal(dialect: Dialect, ty: Ty, value: i64) -> Result<u32, Why> {
    dialect
        .literal(ty, value)
        .map_err(|error| field_problem(error, value))
}

/// A floating-point number in the format of a literal of this type. An integer of 16 bits has the bits of a
/// 32-bit float, as its inline constants have (errata E165).
fn float_literal(dialect: Dialect, ty: Ty, value: f64) -> Result<u32, Why> {
    let (bits, is_possible) = match (ty, ty.constant_bits()) {
        (Ty::F16 | Ty::F16x2, _) => {
            let half = half::f16::from_f64(value);
            let is_rounded = f64::from(half) != value;
            let is_possible = half.is_finite() && (half.is_normal() || !is_rounded);
            (u32::from(half.to_bits()), is_possible)
        }
        // The literal is the upper half; the lower is zero.
        (Ty::F64, _) => ((dialect.double_bits(value) >> u32::BITS) as u32, true),
        (_, 64) => return Err(Why::FloatInInteger),
        // It must fit a half too.
        _ if ty.is_short_integer() => {
            float_literal(dialect, Ty::F16, value)?;
            ((value as f32).to_bits(), true)
        }
        _ => {
            let single = value as f32;
            let is_rounded = f64::from(single) != value;
            let is_possible = single.is_finite() && (single.is_normal() || !is_rounded);
            (single.to_bits(), is_possible)
        }
    };
    if is_possible {
        Ok(bits)
    } else {
        Err(Why::FloatRange(value))
    }
}

/// A floating-point number as the inline constant with the same bits, or else as a literal.
fn float_constant(isa: Isa, dialect: Dialect, ty: Ty, value: f64) -> Result<Operand, Why> {
    // CLRX writes 1/(2π) alike for every type.
    let is_inv_2pi = dialect.rounds_inv_2pi() && value as f32 == std::f32::consts::FRAC_1_PI / 2.0;
    if is_inv_2pi && regs::inline(isa, regs::INV_2PI).is_some() {
        return Ok(Operand::Scalar {
            code: regs::INV_2PI,
            count: ty.dwords(),
        });
    }
    let bits = if ty.constant_bits() == u64::BITS {
        dialect.double_bits(value)
    } else {
        float_literal(dialect, ty, value)?.into()
    };
    rules::inline_or_literal(isa, ty, bits, float_literal(dialect, ty, value))
}

/// The offset of a scalar memory instruction (errata E012, E025, E026).
fn scalar_offset(
    inst: &mut Inst,
    dialect: Dialect,
    slot: &'static Slot,
    what: What,
    added: Option<i64>,
) -> Result<(), Why> {
    // Only the literal of GCN 1.1 has all bits of a number without sign.
    let has_literal = inst.encoding == Encoding::Smrd;
    let narrow = |value: i64| {
        let unsigned = u32::try_from(value).map(u32::cast_signed);
        i32::try_from(value).or_else(|error| if has_literal { unsigned } else { Err(error) })
    };
    let has_both = inst.layout().has(Field::Soe);
    let operand = match what {
        What::Scalar { code, count: 1 } if code < regs::ZERO => {
            let imm = match added {
                None => None,
                Some(_) if !has_both => return Err(Why::ModifierNotHere),
                Some(value) => Some(narrow(value).map_err(|_| offset_range(inst, slot, value))?),
            };
            let operand = Operand::ScalarOffset {
                imm,
                reg: Some(code),
                literal: false,
            };
            match rules::operand(inst, slot, operand) {
                // The fields say what the range is.
                None | Some(Rule::OffsetRange) => operand,
                Some(rule) if !dialect.holds_to(rule) => operand,
                Some(rule) => return Err(Why::Breaks(rule)),
            }
        }
        What::Int(value) if added.is_none() => {
            let largest = inst.layout().bits(Field::Offset).max().cast_signed();
            let literal = inst.encoding == Encoding::Smrd && inst.isa == Isa::Ci && value > largest;
            Operand::ScalarOffset {
                imm: Some(narrow(value).map_err(|_| offset_range(inst, slot, value))?),
                reg: None,
                literal,
            }
        }
        What::Literal(value) if inst.encoding == Encoding::Smrd => Operand::ScalarOffset {
            imm: Some(narrow(value).map_err(|_| offset_range(inst, slot, value))?),
            reg: None,
            literal: true,
        },
        What::Delayed(_) => return Err(Why::NotKnown),
        _ => return Err(Why::Expected(slot)),
    };
    let value = match what {
        What::Int(value) => value,
        _ => added.unwrap_or(0),
    };
    match inst.set_operand(slot, operand) {
        // CLRX writes a negative offset as the number without sign.
        Err(FieldError::Range { .. })
            if !dialect.holds_to(Rule::OffsetRange) && inst.set(Field::Offset, value).is_ok() =>
        {
            Ok(())
        }
        result => result.map_err(|error| field_problem(error, value)),
    }
}

/// The number of v0 in a field that names scalar registers, too.
const FIRST_VGPR: i64 = 256;
/// The width of such a field.
const VGPR_OR_SCALAR_BITS: u8 = 9;

/// The operand with as many registers as the slot has.
fn with_count(operand: Operand, slot: &Slot) -> Operand {
    match operand {
        Operand::Scalar { code, .. } => Operand::Scalar {
            code,
            count: slot.ty.dwords(),
        },
        other => other,
    }
}

/// The width of a floating-point constant of this type.
fn width_of(ty: Ty) -> FloatWidth {
    match ty {
        Ty::F16 | Ty::F16x2 => FloatWidth::Half,
        Ty::F64 => FloatWidth::Double,
        _ => FloatWidth::Single,
    }
}

/// The type of a floating-point constant of this width.
fn float_of(width: FloatWidth) -> Ty {
    match width {
        FloatWidth::Half => Ty::F16,
        FloatWidth::Single => Ty::F32,
        FloatWidth::Double => Ty::F64,
    }
}

/// Whether a group of scalar registers may begin where it does.
fn takes_group(inst: &Inst, slot: &Slot, code: u8, count: u8) -> bool {
    // The field of an aligned group says it itself.
    matches!(slot.kind, Kind::Aligned(_)) || gcn_isa::clrx::takes_group(inst.encoding, code, count)
}

/// An attribute's number, of which the dialect has said how large it may be, and its channel.
fn attribute(inst: &mut Inst, value: i64) -> Result<(), Why> {
    let channels = CHANNELS.len() as i64;
    let problem = |error| field_problem(error, value);
    inst.set(Field::AttrChan, value.rem_euclid(channels))
        .map_err(problem)?;
    inst.set(Field::Attr, value.div_euclid(channels))
        .map_err(problem)
}

/// A value of an export as CLRX has it: EN has a bit for each, with COMPR too, where two share a field.
fn export_value(inst: &mut Inst, place: u8, what: What) -> Result<(), Why> {
    let register = match what {
        What::Vgprs { first, count: 1 } => Some(first),
        What::Off => None,
        _ => return Err(Why::NotAllowed("a value of an export is one VGPR or `off`")),
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
    let field = field.ok_or(Why::TooMany)?;
    let shares = is_compressed && place % 2 == 1 && enabled >> (place - 1) & 1 != 0;
    if shares && inst.get(field) != u64::from(register) {
        return Err(Why::NotAllowed(
            "with `compr` both values of a pair are in the same register",
        ));
    }
    inst.set(Field::En, enabled | 1 << place).map_err(problem)?;
    inst.set(field, register.into()).map_err(problem)
}

/// The range of an offset that is far out of it.
fn offset_range(inst: &Inst, slot: &Slot, value: i64) -> Why {
    let mut probe = *inst;
    let extreme = Operand::ScalarOffset {
        imm: Some(i32::MAX),
        reg: None,
        literal: false,
    };
    match probe.set_operand(slot, extreme) {
        Err(FieldError::Range { low, high, .. }) => Why::Range { value, low, high },
        _ => Why::NotKnown,
    }
}

/// Whether an instruction of this row is a scalar store or atomic, whose register offset the manual restricts.
pub(crate) fn restricts_offset(row: &Row) -> bool {
    matches!(row.op, Op::Smem(_)) && matches!(row.does, Does::Store(_) | Does::Atomic(..))
}
