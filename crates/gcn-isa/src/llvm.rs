//! LLVM 19's assembler: alternative names, and documented instructions that it rejects, which listings in LLVM's syntax
//! can show as data. Rows mark instructions as `lacking`; this module handles operands and modifiers.

use crate::dpp::Permutation;
use crate::effect::{Does, ImageOp};
use crate::field::{Encoding, Field};
use crate::form::Form;
use crate::inst::{Inst, Operand};
use crate::op::Op;
use crate::operand::{Kind, Presence, SEL_DWORD, Slot, Ty};
use crate::regs::{self, may_lack_xnack_mask};
use crate::row::Lacks;
use crate::simm::GPR_INDEXES;
use crate::target::{Isa, on};

/// Names that LLVM accepts for VOP3 forms before GCN 1.2, each with the instruction's own name on those generations.
const LONG_NAMES: &[(&str, &str)] = &[
    ("v_add_co_u32", "v_add_i32"),
    ("v_sub_co_u32", "v_sub_i32"),
    ("v_subrev_co_u32", "v_subrev_i32"),
];

/// LLVM's alternative names for instructions on GCN 1.2 and later, each with the instruction's own name.
const LATER_NAMES: &[(&str, &str)] = &[("v_mul_lo_i32", "v_mul_lo_u32")];

/// Instruction for one of the LLVM assembler's alternative names, given in lower case.
///
/// # Examples
/// ```
/// use gcn_isa::{Isa, llvm};
/// let mul = llvm::named(Isa::Gfx9, "v_mul_lo_i32").expect("an alternative name");
/// assert_eq!(mul.row().name, "v_mul_lo_u32");
/// ```
pub fn named(isa: Isa, name: &str) -> Option<Op> {
    let (_, own) = LATER_NAMES.iter().find(|(theirs, _)| *theirs == name)?;
    isa.tables().named(own).filter(|_| isa >= Isa::Vi)
}

/// VOP3 form that LLVM's assembler selects before GCN 1.2 for an alternative name, given in lower case without `_e64`.
///
/// # Examples
/// ```
/// use gcn_isa::{Encoding, Isa, llvm};
/// let form = llvm::long_form(Isa::Si, "v_add_co_u32").expect("LLVM's name of a later generation");
/// assert_eq!((form.name, form.encoding), ("v_add_i32", Encoding::Vop3b));
/// assert_eq!(llvm::long_form(Isa::Gfx9, "v_add_co_u32"), None, "the row's own name");
/// ```
pub fn long_form(isa: Isa, name: &str) -> Option<&'static Form> {
    let (_, own) = LONG_NAMES.iter().find(|(theirs, _)| *theirs == name)?;
    let tables = isa.tables();
    let op = tables.named(own).filter(|_| isa < Isa::Vi)?;
    tables.forms(op).iter().find(|form| form.encoding.is_vop3())
}

/// Bits for a quick check: LLVM accepts an instruction if these bits are zero, no operand [`is_doubtful`], and no operand
/// appears only because its field is nonzero. All bits are set if these conditions are not sufficient.
pub(crate) fn doubtful_bits(form: &Form) -> u64 {
    let row = form.row;
    let is_old = form.isa < Isa::Vi;
    let is_unusual = |slot: &Slot| takes_vgprs_only(slot) || is_old && is_half(slot);
    let of_bits = Lacks::LDS_DIRECT.and(Lacks::GDS).and(Lacks::DST_SEL);
    let beyond_bits = of_bits.complement();
    let is_part = row.lacks.has(Lacks::DST_SEL) && form.layout.has(Field::DstSel);
    if row.lacks.has(beyond_bits) || is_part || row.slots().any(is_unusual) {
        return u64::MAX;
    }
    let mut fields = vec![Field::Nv, Field::Tfe, Field::Lds, Field::Addr64];
    if row.lacks.has(Lacks::GDS) {
        fields.push(Field::Gds);
    }
    if is_old {
        fields.push(Field::Clamp);
    }
    let hidden = row
        .slots()
        .filter(|slot| slot.when == Presence::Optional && slot.kind == Kind::Vgpr);
    fields.extend(hidden.map(|slot| slot.field));
    fields
        .iter()
        .fold(0, |bits, &field| bits | form.layout.bits(field).mask())
}

/// True for a source of four registers, which LLVM accepts only as VGPRs.
fn takes_vgprs_only(slot: &Slot) -> bool {
    slot.kind == Kind::Src && slot.ty == Ty::B128
}

/// True for 16-bit vector sources. In VOP3, LLVM accepts constants for them only on GCN 1.2 and later.
fn is_half(slot: &Slot) -> bool {
    const BITS: u32 = 16;
    slot.kind == Kind::Src && slot.ty.constant_bits() == BITS
}

/// True if LLVM might reject this operand.
pub(crate) fn is_doubtful(inst: &Inst, slot: &Slot, operand: Operand) -> bool {
    match operand {
        Operand::Scalar { code, .. } => {
            // SDWA supports 1/(2π) for 16-bit integers. LLVM's disassembler prints it, but LLVM's assembler rejects it.
            let is_short = slot.ty.is_short_integer() && inst.layout().has(Field::Src0Sel);
            code == regs::LDS_DIRECT
                || may_lack_xnack_mask(inst.isa, code)
                || code == regs::INV_2PI && is_short
        }
        Operand::Literal(value) => is_inline(inst.isa, slot, value),
        Operand::Imm(value) => slot.kind == Kind::GprIndex && value >> GPR_INDEXES.len() != 0,
        Operand::Vgprs { .. } | Operand::Off | Operand::ScalarOffset { .. } => false,
    }
}

/// True if an inline constant has the value of a literal, so that LLVM would encode the inline constant instead.
fn is_inline(isa: Isa, slot: &Slot, value: u32) -> bool {
    matches!(slot.kind, Kind::Src | Kind::Ssrc)
        && regs::inline_of_literal(isa, slot.ty, value).is_some()
}

impl Inst {
    /// True if LLVM 19's assembler rejects the instruction's text, or encodes it as different words, although the
    /// text represents the instruction exactly.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, decode};
    /// // ds_permute_b32 v1, v2, v3 without and with gds.
    /// assert!(!decode(Isa::Vi, &[0xd87c_0000, 0x0100_0302])?.is_refused_by_llvm());
    /// assert!(decode(Isa::Vi, &[0xd87d_0000, 0x0100_0302])?.is_refused_by_llvm());
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn is_refused_by_llvm(&self) -> bool {
        self.is_refused(false)
    }

    /// Like [`Inst::is_refused_by_llvm`]. If `names_literal` is true, the text names a symbol instead of the literal;
    /// LLVM never encodes a symbol as an inline constant.
    pub(crate) fn is_refused(&self, names_literal: bool) -> bool {
        let row = self.row();
        let lacks = row.lacks;
        let is_old = self.isa < Isa::Vi;
        let is_float = row.slots().next().is_some_and(|slot| slot.ty.is_float());
        let is_store = matches!(
            row.does,
            Does::Store(_) | Does::StoreHigh(_) | Does::StoreFormat(..) | Does::StoreFormatHigh
        );
        let (tfe, lds) = (self.flag(Field::Tfe), self.flag(Field::Lds));
        let is_atomic = matches!(row.does, Does::Atomic(..));
        // LLVM has no gather with both packed components and a status dword.
        let is_gather = matches!(
            row.does,
            Does::Image(ImageOp::Gather(_) | ImageOp::GatherRow)
        );
        let is_packed_gather = is_gather && self.flag(Field::D16) && on::PACKED.has(self.isa);
        let has_status = tfe
            && (matches!(self.encoding, Encoding::Mtbuf | Encoding::Flat)
                || self.encoding == Encoding::Mubuf && (is_store || is_atomic || lds)
                || self.encoding == Encoding::Mimg && is_packed_gather);
        let has_index = self.flag(Field::Idxen) || self.flag(Field::Offen);
        let has_selected =
            self.layout().has(Field::DstSel) && self.get(Field::DstSel) != u64::from(SEL_DWORD);
        let has_permutation = self.layout().has(Field::DppCtrl)
            && Permutation::unpack(self.get(Field::DppCtrl) as u16).is_none();
        lacks.has(Lacks::ALL)
            || lacks.has(Lacks::OLDEST) && self.isa == Isa::Si
            || lacks.has(Lacks::LANES) && is_old && self.encoding == Encoding::Vop3
            || lacks.has(Lacks::GDS) && self.flag(Field::Gds)
            || lacks.has(Lacks::DST_SEL) && has_selected
            || self.flag(Field::Nv)
            || has_status
            || self.flag(Field::Addr64) && has_index
            || is_old && self.flag(Field::Clamp) && !is_float
            || has_permutation
            || row
                .slots()
                .any(|slot| self.operand_is_refused(slot, lacks, names_literal))
    }

    fn operand_is_refused(&self, slot: &Slot, lacks: Lacks, names_literal: bool) -> bool {
        let is_shown_anyway = self.get(slot.field) != 0
            && match slot.when {
                Presence::Always => false,
                Presence::Returned => !self.flag(Field::Glc),
                Presence::NotLds => self.flag(Field::Lds),
                Presence::Optional => slot.kind == Kind::Vgpr,
            };
        let is_source = matches!(slot.kind, Kind::Src | Kind::Ssrc);
        let operand = self.operand(slot);
        let refused = match operand {
            Operand::Scalar { code, .. } if code == regs::LDS_DIRECT => {
                lacks.has(Lacks::LDS_DIRECT) || lacks.has(Lacks::LANES)
            }
            Operand::Scalar { code, .. } if regs::inline(self.isa, code).is_some() => {
                is_half(slot) && self.isa < Isa::Vi && self.encoding == Encoding::Vop3
                    || is_doubtful(self, slot, operand)
            }
            Operand::Scalar { code, .. } => {
                is_source && lacks.has(Lacks::SCALAR) && code != regs::M0
                    || is_doubtful(self, slot, operand)
            }
            Operand::Literal(_) => {
                lacks.has(Lacks::SCALAR)
                    || lacks.has(Lacks::LANES) && slot.field == Field::Src1
                    || !names_literal && is_doubtful(self, slot, operand)
            }
            Operand::Vgprs { .. }
            | Operand::Off
            | Operand::Imm(_)
            | Operand::ScalarOffset { .. } => is_doubtful(self, slot, operand),
        };
        let is_vgpr = matches!(operand, Operand::Vgprs { .. });
        is_shown_anyway || refused || takes_vgprs_only(slot) && !is_vgpr
    }
}
