//! Rules that assemblers enforce in addition to field ranges. Words that break a rule cannot be produced from source,
//! so a listing shows them as data.
//!
//! The assembler checks [`operand`] for each operand, then [`whole`] and [`constant_bus`]. The printer checks the same
//! rules to determine if assemblers would accept its text.

use crate::effect::{Does, ImageOp, Implicit};
use crate::field::{Encoding, Field};
use crate::form::Form;
use crate::inst::{FieldError, Inst, Operand};
use crate::operand::{Kind, OperandAccess, Slot, Ty};
use crate::regs;
use crate::row::{Lacks, Row};
use crate::simm::GPR_INDEXES;
use crate::target::{Isa, Numbering, on};

/// Constant bus limit: maximum number of scalar registers and literals that a vector instruction may read.
const CONSTANT_BUS_READS: usize = 1;
/// Maximum number of scalar values that a vector instruction reads: three sources, VCC and M0.
const MOST_READS: usize = 5;

/// A rule that an encoding can violate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rule {
    /// A vector instruction reads at most one scalar register or literal.
    ConstantBus,
    /// A destination or address must be a register, not a constant.
    NoConstant,
    /// A scalar operand cannot read LDS.
    LdsDirect,
    /// Only the first source can read LDS, and not with SDWA or in an instruction with reversed sources.
    LdsPlace,
    /// GCN 1.0 and 1.1 have no integer clamp.
    IntegerClamp,
    /// An image atomic selects one component per data dword: 1 or 2; for a compare-and-swap, 2 or 4.
    AtomicMask,
    /// A gather selects one component.
    GatherMask,
    /// A buffer store returns no status (TFE).
    StoreStatus,
    /// A load to LDS returns no status (TFE).
    LdsStatus,
    /// VGPR indexing has only four enable bits, one per operand.
    GprIndex,
    /// Scalar memory instructions cannot load or store M0 or EXEC (errata E024).
    ScalarData,
    /// EXEC_HI cannot be an address, because its number means `off` (errata E079).
    ExecHiAddress,
    /// The immediate offset of a scalar buffer instruction is unsigned (errata E012).
    OffsetRange,
    /// The offset of a scalar store on GCN 1.2 is M0 or an immediate (errata E026).
    StoreOffset,
    /// A fork accepts no literal.
    ForkLiteral,
    /// The literal of a 16-bit operand fits in 16 bits.
    Literal,
}

impl Inst {
    /// First rule that the instruction violates.
    ///
    /// ```
    /// use gcn_isa::{Isa, decode, rules::Rule};
    /// // v_cndmask_b32 v0, s0, v0, vcc: reads VCC and s0.
    /// let inst = decode(Isa::Vi, &[0]).unwrap();
    /// assert_eq!(inst.broken_rule(), Some(Rule::ConstantBus));
    /// ```
    pub fn broken_rule(&self) -> Option<Rule> {
        let of_bus = || constant_bus(self).map(|_| Rule::ConstantBus);
        let of_whole = || whole(self);
        self.operand_rules()
            .next()
            .or_else(of_whole)
            .or_else(of_bus)
    }

    /// True if an operand violates a rule for which `counts` is true.
    pub(crate) fn breaks_any(&self, counts: impl Fn(Rule) -> bool) -> bool {
        self.operand_rules().any(counts)
    }

    fn operand_rules(&self) -> impl Iterator<Item = Rule> {
        self.row()
            .slots()
            .filter_map(|slot| operand(self, slot, self.operand(slot)))
    }
}

/// Modifier bits that can violate a rule if they are set. Images are not covered: their rules depend on the fields'
/// values.
pub(crate) fn breaking_bits(form: &Form) -> u64 {
    let mask = |field| form.layout.bits(field).mask();
    if matches!(form.encoding, Encoding::Mubuf | Encoding::Mtbuf) {
        mask(Field::Tfe)
    } else if form.isa.numbering() == Numbering::SiCi {
        mask(Field::Clamp)
    } else {
        0
    }
}

/// True if an instruction that has the modifier `clamp` accepts it on `isa`.
///
/// # Examples
/// ```
/// use gcn_isa::{Isa, Op, rules::clamps, vop::Vop3};
/// let mad = Op::Vop3(Vop3::V_MAD_U32_U24).row();
/// assert!(clamps(Isa::Vi, mad) && !clamps(Isa::Ci, mad));
/// assert!(clamps(Isa::Ci, Op::Vop3(Vop3::V_MAD_F32).row()));
/// ```
pub fn clamps(isa: Isa, row: &Row) -> bool {
    let result = row.slots().next();
    isa.numbering() != Numbering::SiCi || result.is_some_and(|slot| slot.ty.is_float())
}

/// First rule that the instruction's modifiers violate.
///
/// # Examples
/// ```
/// use gcn_isa::rules::{Rule, whole};
/// use gcn_isa::{Encoding, Field, Inst, Isa, Op, mimg::Mimg};
/// let mut gather = Inst::new(Isa::Vi, Op::Mimg(Mimg::GATHER4), Encoding::Mimg).expect("an instruction");
/// gather.set(Field::Dmask, 0b0011)?;
/// assert_eq!(whole(&gather), Some(Rule::GatherMask));
/// gather.set(Field::Dmask, 0b0010)?;
/// assert_eq!(whole(&gather), None);
/// # Ok::<(), gcn_isa::FieldError>(())
/// ```
pub fn whole(inst: &Inst) -> Option<Rule> {
    let mask = inst.get(Field::Dmask);
    let rules = match inst.does() {
        Does::Alu(_) | Does::Compare(..) => {
            (inst.flag(Field::Clamp) && !clamps(inst.isa, inst.row())).then_some(Rule::IntegerClamp)
        }
        Does::Atomic(op, _) if inst.encoding == Encoding::Mimg => {
            let is_possible = if op.values() == 2 {
                matches!(mask, 0x3 | 0xf) || mask == 0x1 && inst.flag(Field::Tfe)
            } else {
                matches!(mask, 0x1 | 0x3)
            };
            (!is_possible).then_some(Rule::AtomicMask)
        }
        Does::Image(ImageOp::Gather(_) | ImageOp::GatherRow) => {
            (mask.count_ones() != 1).then_some(Rule::GatherMask)
        }
        Does::Store(_) | Does::StoreHigh(_) | Does::StoreFormat(..) | Does::StoreFormatHigh
            if matches!(inst.encoding, Encoding::Mubuf | Encoding::Mtbuf) =>
        {
            inst.flag(Field::Tfe).then_some(Rule::StoreStatus)
        }
        Does::Store(_)
        | Does::StoreHigh(_)
        | Does::StoreFormat(..)
        | Does::StoreFormatHigh
        | Does::Load(_)
        | Does::LoadHalf(..)
        | Does::LoadFormat(..)
        | Does::LoadFormatHigh
        | Does::StoreFromLds
        | Does::Atomic(..)
        | Does::Return(..)
        | Does::LoadTwo(..)
        | Does::StoreTwo(..)
        | Does::ExchangeTwo(..)
        | Does::AtomicFromLds(..)
        | Does::LoadByLane
        | Does::StoreByLane
        | Does::Count(_)
        | Does::ExchangeConditionally(_)
        | Does::Lanes(_)
        | Does::Gws(_)
        | Does::OrderedCount
        | Does::LdsNop
        | Does::Time(_)
        | Does::Cache(_)
        | Does::Probe
        | Does::Image(_)
        | Does::Export
        | Does::Branch(_)
        | Does::Jump
        | Does::ReturnFromTrap
        | Does::Fork
        | Does::Control(_) => None,
    };
    rules.or((inst.flag(Field::Lds) && inst.flag(Field::Tfe)).then_some(Rule::LdsStatus))
}

/// Rule that `operand` violates in `slot`, a slot of the instruction's row.
///
/// # Examples
/// ```
/// use gcn_isa::rules::{Rule, operand};
/// use gcn_isa::{Encoding, Inst, Isa, Op, Operand, regs, sop::Sop1};
/// let jump = Inst::new(Isa::Vi, Op::Sop1(Sop1::S_SETPC_B64), Encoding::Sop1).expect("an instruction");
/// let address = &jump.form().operands[0].slot;
/// assert_eq!(operand(&jump, address, Operand::Scalar { code: 4, count: 2 }), None);
/// let zero = Operand::Scalar { code: regs::ZERO, count: 2 };
/// assert_eq!(operand(&jump, address, zero), Some(Rule::NoConstant));
/// ```
pub fn operand(inst: &Inst, slot: &Slot, operand: Operand) -> Option<Rule> {
    match (slot.kind, operand) {
        (Kind::Sdst, Operand::Scalar { code, .. })
            if slot.access == OperandAccess::Read && regs::is_value(inst.isa, code) =>
        {
            None
        }
        (Kind::Sdst | Kind::Aligned(_) | Kind::Saddr, Operand::Scalar { code, .. })
            if code >= regs::ZERO =>
        {
            Some(Rule::NoConstant)
        }
        (Kind::Sdst, Operand::Scalar { code, .. }) => {
            let is_forbidden = matches!(code, regs::M0 | regs::EXEC_LO | regs::EXEC_HI);
            (slot.field == Field::Sdata && is_forbidden).then_some(Rule::ScalarData)
        }
        (Kind::Saddr, Operand::Scalar { code, .. }) => {
            (code == regs::EXEC_HI).then_some(Rule::ExecHiAddress)
        }
        (Kind::Ssrc, Operand::Scalar { code, .. }) => {
            (code == regs::LDS_DIRECT).then_some(Rule::LdsDirect)
        }
        (Kind::Src | Kind::Vgpr, Operand::Scalar { code, .. }) if code == regs::LDS_DIRECT => {
            let is_first = slot.field == Field::Src0 && !inst.layout().has(Field::Src0Sel);
            let is_reversed = inst.row().lacks.has(Lacks::LDS_DIRECT);
            (!is_first || is_reversed).then_some(Rule::LdsPlace)
        }
        (Kind::GprIndex, Operand::Imm(value)) => {
            (value >> GPR_INDEXES.len() != 0).then_some(Rule::GprIndex)
        }
        (Kind::Ssrc, Operand::Literal(_)) if inst.does() == Does::Fork => Some(Rule::ForkLiteral),
        (_, Operand::Literal(value)) => {
            (literal(slot.ty, value.into()) != Ok(value)).then_some(Rule::Literal)
        }
        (Kind::ScalarOffset { signed }, Operand::ScalarOffset { imm, reg, literal }) => {
            let (low, high) = inst.scalar_offset_range(signed);
            let is_store = matches!(inst.does(), Does::Store(_));
            match (imm, reg) {
                (Some(imm), _) if !literal && !(low..=high).contains(&imm.into()) => {
                    Some(Rule::OffsetRange)
                }
                (_, Some(regs::ZERO..)) => Some(Rule::NoConstant),
                (_, Some(code)) if is_store && on::VI_ONLY.has(inst.isa) && code != regs::M0 => {
                    Some(Rule::StoreOffset)
                }
                _ => None,
            }
        }
        (
            Kind::Vgpr
            | Kind::GlobalAddress
            | Kind::ScratchAddress
            | Kind::BufferAddress
            | Kind::ImageData { .. }
            | Kind::ImageAddress { .. }
            | Kind::ExportTarget
            | Kind::ExportSource(_)
            | Kind::Attribute
            | Kind::VertexParameter
            | Kind::Saddr
            | Kind::Src
            | Kind::Ssrc
            | Kind::Sdst
            | Kind::Aligned(_)
            | Kind::ScalarOffset { .. }
            | Kind::Unsigned
            | Kind::Signed
            | Kind::Simm16
            | Kind::Branch
            | Kind::Waitcnt
            | Kind::Hwreg
            | Kind::SendMsg
            | Kind::GprIndex
            | Kind::Literal,
            _,
        ) => None,
    }
}

/// Index of the slot at which a vector instruction exceeds the constant bus limit, if it does.
///
/// # Examples
/// ```
/// use gcn_isa::{Isa, decode, rules::constant_bus};
/// let (two, same) = ([0xd101_0001, 0x0602], [0xd101_0001, 0x0402]);
/// assert_eq!(constant_bus(&decode(Isa::Gfx9, &two)?), Some(2), "v_add_f32_e64 v1, s2, s3");
/// assert_eq!(constant_bus(&decode(Isa::Gfx9, &same)?), None, "v_add_f32_e64 v1, s2, s2");
/// # Ok::<(), gcn_isa::DecodeError>(())
/// ```
pub fn constant_bus(inst: &Inst) -> Option<usize> {
    bus_reads(inst, true)
}

/// Like [`constant_bus`], with or without literals, which CLRX does not count.
pub(crate) fn bus_reads(inst: &Inst, counts_literals: bool) -> Option<usize> {
    if !inst.encoding.is_vector_alu() {
        return None;
    }
    let mut read = [(0, 0); MOST_READS];
    let mut count = 0;
    // Two reads are the same if the first register and the number of registers are.
    let mut note = |register: (u8, u8)| {
        if read.iter().take(count).all(|&other| other != register)
            && let Some(place) = read.get_mut(count)
        {
            *place = register;
            count += 1;
        }
    };
    if matches!(inst.does(), Does::Alu(_)) {
        let implicit = inst.row().implicit();
        if implicit.has(Implicit::READS_VCC) {
            note((regs::VCC_LO, 2));
        }
        if implicit.has(Implicit::READS_M0) {
            note((regs::M0, 1));
        }
    }
    let mut last = None;
    // The lane number may come from M0 in addition to any other register.
    let mut lane_from_m0 = false;
    for (index, slot) in inst.row().slots().enumerate() {
        if slot.access == OperandAccess::Write {
            continue;
        }
        match inst.operand(slot) {
            Operand::Scalar { code, count }
                if code != regs::LDS_DIRECT && regs::inline(inst.isa, code).is_none() =>
            {
                // An aperture or status bit counts as one register, regardless of the operand size.
                note((code, if code < regs::SHARED_BASE { count } else { 1 }));
                let is_lane = slot.kind == Kind::Ssrc && slot.field == Field::Src1;
                lane_from_m0 |= is_lane && code == regs::M0;
            }
            Operand::Literal(_) if counts_literals => note((u8::MAX, 1)),
            Operand::Scalar { .. }
            | Operand::Literal(_)
            | Operand::Vgprs { .. }
            | Operand::Off
            | Operand::Imm(_)
            | Operand::ScalarOffset { .. } => continue,
        }
        last = Some(index);
    }
    let allowed = CONSTANT_BUS_READS + usize::from(lane_from_m0);
    last.filter(|_| count > allowed)
}

/// Literal for a number of type `ty`. 64-bit operands also have 32-bit literals.
///
/// # Errors
/// [`FieldError::Range`], if `value` is out of range.
///
/// # Examples
/// ```
/// use gcn_isa::{FieldError, Ty, rules::literal};
/// assert_eq!(literal(Ty::U32, -1), Ok(0xffff_ffff));
/// assert_eq!(literal(Ty::I16, -2), Ok(0xfffe));
/// let error = FieldError::Range { value: 0x1_0000, low: -0x8000, high: 0xffff };
/// assert_eq!(literal(Ty::I16, 0x1_0000), Err(error));
/// ```
pub fn literal(ty: Ty, value: i64) -> Result<u32, FieldError> {
    let width = ty.constant_bits().min(u32::BITS);
    let unsigned = 1i64 << width;
    let (low, high) = (-(unsigned / 2), unsigned - 1);
    if value < low || value > high {
        return Err(FieldError::Range { value, low, high });
    }
    Ok((value & high) as u32)
}

/// Encodes an integer as the inline constant with the same bits if there is one, otherwise as a literal.
///
/// # Errors
/// [`FieldError::Range`], if `value` is out of range.
///
/// # Examples
/// ```
/// use gcn_isa::{Isa, Operand, Ty, rules::constant};
/// assert_eq!(constant(Isa::Vi, Ty::I32, -1), Ok(Operand::Scalar { code: 193, count: 1 }));
/// assert_eq!(constant(Isa::Vi, Ty::I32, 1000), Ok(Operand::Literal(1000)));
/// assert!(constant(Isa::Vi, Ty::I32, 1 << 32).is_err());
/// ```
pub fn constant(isa: Isa, ty: Ty, value: i64) -> Result<Operand, FieldError> {
    let bits = if ty.constant_bits() == u64::BITS {
        value.cast_unsigned()
    } else {
        let bits = literal(ty, value)?.into();
        if ty.is_short_integer() {
            value.cast_unsigned()
        } else {
            bits
        }
    };
    inline_or_literal(isa, ty, bits, literal(ty, value))
}

/// Inline constant with the bits `bits`, or the one for `literal` ([`regs::inline_of_literal`]); `literal` if there is none.
///
/// # Errors
/// The error in `literal`, if there is no inline constant.
///
/// # Examples
/// ```
/// use gcn_isa::{Isa, Operand, Ty, rules::inline_or_literal};
/// // The literal of a 64-bit float is its upper half, so the lower half must be zero.
/// let operand = |value: f64| {
///     let bits = value.to_bits();
///     let literal = if bits as u32 == 0 { Ok((bits >> 32) as u32) } else { Err("too precise") };
///     inline_or_literal(Isa::Vi, Ty::F64, bits, literal)
/// };
/// assert_eq!(operand(1.0), Ok(Operand::Scalar { code: 242, count: 2 }));
/// assert_eq!(operand(1.5), Ok(Operand::Literal(0x3ff8_0000)));
/// assert_eq!(operand(0.1), Err("too precise"));
/// ```
pub fn inline_or_literal<E>(
    isa: Isa,
    ty: Ty,
    bits: u64,
    literal: Result<u32, E>,
) -> Result<Operand, E> {
    let inline = regs::inline_of_bits(isa, ty, bits);
    let of_literal = |&literal: &u32| regs::inline_of_literal(isa, ty, literal);
    match inline.or_else(|| literal.as_ref().ok().and_then(of_literal)) {
        Some(code) => Ok(Operand::Scalar {
            code,
            count: ty.dwords(),
        }),
        None => literal.map(Operand::Literal),
    }
}
