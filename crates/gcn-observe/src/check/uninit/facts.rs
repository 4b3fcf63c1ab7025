//! Facts that the checker of undefined values asks of every instruction, worked out once for each.

use gcn_emu::step::Step;
use gcn_isa::effect::{Condition, Implicit};
use gcn_isa::operand::OperandAccess;
use gcn_isa::uses::{M0, RegisterUse, Registers, Unit, UnnumberedState, UseOrigin, UsedLanes};
use gcn_isa::{Does, Encoding, Field, Kind, regs};

use super::part::{Bitwise, Shift};
use super::registers::SCC;

/// The way of undefined bits from an instruction's sources to its result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum UndefinedFlow {
    /// All bits of the result are undefined where any bit of a source is.
    Generic,
    /// A sum or product: from the lowest undefined bit up.
    Sum,
    /// A difference of two sources, likewise; equal ones cancel.
    Difference,
    /// A product of the low 24 bits, and a sum: likewise.
    Sum24,
    /// The first source shifted to the left by the second, and the third added.
    ShiftAdd,
    /// The first two added, and shifted to the left by the third.
    AddShift,
    /// The first source shifted to the left by this, and the second added.
    ShiftByAdd(u32),
    /// The first source.
    Copy,
    /// The first source, inverted.
    Not,
    /// The first source, the other way round.
    Reverse,
    Bitwise(Bitwise),
    /// A bitwise operation of the first two, and another with the third.
    Bitwise3(Bitwise, Bitwise),
    /// The first source shifted to the left by the second, or the third.
    ShiftOr,
    /// The first source shifted by the second.
    Shift(Shift),
    /// The second source shifted by the first.
    ShiftReversed(Shift),
    /// A field of the first source, from the second's on, as many bits as the third says.
    Extract(bool),
    /// The same, where the second source has both numbers.
    ExtractPacked(bool),
    /// The low bits of the first source, this many, by their sign.
    SignExtend(u32),
    /// Bits of the second or the third source, as the first says.
    Choose,
    /// The first two sources side by side, to the right by the third, in units of this many bits.
    Align(u32),
    /// Bytes of the first two as the third says.
    Permute,
    /// One byte of the first source.
    Byte(u32),
    /// Two halves, each from its source.
    Pair,
    /// Halves of both, as OP_SEL says.
    Packed,
    /// The first source or the second as the mask's lane says.
    Select,
    /// Halves of two scalar sources; true where it is the high one.
    Pack(bool, bool),
    /// The first scalar source or the second, as SCC says.
    SelectScalar,
    /// The first scalar source or what is there, as SCC says.
    MoveScalar,
    /// A bit of the first scalar source, to SCC.
    TestBit,
    /// A bit of the destination set to a constant.
    SetBit,
    /// EXEC by the source and EXEC; the destination has the old one, or the new one.
    Exec(Bitwise, bool),
    /// Equality, to SCC.
    Equal,
    /// A lane of the source, to a scalar register.
    ReadLane,
    /// A scalar source, to a lane.
    WriteLane,
    /// Two registers exchanged.
    Swap,
    /// Lanes exchange values through the hardware of LDS.
    Move,
    /// Bits of M0 for VGPR indexing.
    SetIndex,
    /// A load, a store or an update of memory.
    Memory,
}

impl UndefinedFlow {
    /// True if two equal sources give one result, whatever they hold.
    pub(super) fn cancels(self) -> bool {
        use Bitwise::{AndNot, NotAnd, NotOr, OrNot, Xnor, Xor};
        matches!(
            self,
            UndefinedFlow::Difference
                | UndefinedFlow::Equal
                | UndefinedFlow::Bitwise(Xor | Xnor | AndNot | OrNot | NotAnd | NotOr)
        )
    }
}

/// Things that an instruction decides by the values it reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Decides {
    Nothing,
    /// The branch is taken by SCC.
    Scc,
    /// The branch is taken if VCC is 0, or is not.
    Vcc,
    /// The branch goes to the address in its source.
    Target,
}

/// Facts of an instruction.
#[derive(Clone, Debug)]
pub(super) struct UninitFacts {
    pub(super) class: UndefinedFlow,
    pub(super) decides: Decides,
    /// Vector registers that are read.
    pub(super) vector_read: Box<[u8]>,
    /// Lanes other than active ones may be read.
    pub(super) crosses: bool,
    /// Scalar registers that are read, a bit each.
    pub(super) scalar_read: u128,
    /// Vector registers that are written.
    pub(super) vector_written: Box<[u8]>,
    /// All bits of those are written in all active lanes.
    pub(super) writes_whole: bool,
    /// Scalar registers that are written, a bit each.
    pub(super) scalar_written: u128,
    /// Uses with an address, a descriptor or an index.
    pub(super) addresses: Box<[RegisterUse]>,
    /// All uses of registers but EXEC as lane mask.
    pub(super) uses: Box<[RegisterUse]>,
    /// A source is a value of LDS that M0 addresses.
    pub(super) reads_lds_direct: bool,
    /// The unit that executes it.
    pub(super) unit: Unit,
    /// SCC is 0 where the result is.
    pub(super) tests_result: bool,
    /// The place of the destination, and of the sources.
    pub(super) destination: Option<usize>,
    pub(super) sources: [Option<usize>; 3],
}

/// Registers as bits of a word, SCC with a number of its own.
fn scalars(registers: Registers) -> u128 {
    match registers {
        Registers::Scalar { first, count } => {
            let bits = if count >= 128 {
                u128::MAX
            } else {
                (1 << count) - 1
            };
            bits << first.min(127)
        }
        Registers::State(UnnumberedState::Scc) => 1 << SCC,
        Registers::Vector { .. } | Registers::State(_) => 0,
    }
}

/// The vector registers of uses.
fn vectors<'u>(uses: impl Iterator<Item = &'u RegisterUse>) -> Box<[u8]> {
    let mut all = Vec::new();
    for it in uses {
        if let Registers::Vector { first, count } = it.registers {
            all.extend((0..count).map(|n| first.wrapping_add(n)));
        }
    }
    all.sort_unstable();
    all.dedup();
    all.into()
}

impl UninitFacts {
    pub(super) fn of(step: &Step) -> UninitFacts {
        UninitFacts::with(step, step.inst.uses().registers(), None)
    }

    /// The facts of an instruction whose registers are these, found by an index if there is one.
    pub(super) fn with(
        step: &Step,
        uses: impl Iterator<Item = RegisterUse>,
        index: Option<RegisterUse>,
    ) -> UninitFacts {
        let inst = &step.inst;
        let uses_view = inst.uses();
        let is_exec = |it: &RegisterUse| it.source == UseOrigin::LaneMask;
        let uses: Box<[RegisterUse]> = uses.filter(|it| !is_exec(it)).collect();
        let read = || uses.iter().filter(|it| it.read != 0);
        let written = || uses.iter().filter(|it| it.written != 0);
        let unit = uses_view.unit();
        let class = class(step, unit);
        let row = inst.row();
        let place = |field: Field| {
            row.slots()
                .position(|slot| slot.field == field && slot.access != OperandAccess::Write)
        };
        let either = |a, b| place(a).or_else(|| place(b));
        let destination = row.slots().position(|slot| {
            matches!(slot.field, Field::Vdst | Field::Sdst) && slot.access != OperandAccess::Read
        });
        let whole = |it: &RegisterUse| match it.registers {
            Registers::Vector { .. } => it.written == u32::MAX && it.lanes == UsedLanes::Active,
            Registers::Scalar { .. } => it.written == u32::MAX,
            Registers::State(_) => true,
        };
        let has_dpp = inst.layout().has(Field::DppCtrl);
        UninitFacts {
            class,
            decides: decides(inst.does()),
            vector_read: vectors(read()),
            crosses: read().any(|it| {
                matches!(
                    it.lanes,
                    UsedLanes::Crossing | UsedLanes::Selected | UsedLanes::First
                )
            }),
            scalar_read: read().fold(0, |all, it| all | scalars(it.registers)),
            vector_written: vectors(written()),
            writes_whole: written().all(whole) && !has_dpp,
            scalar_written: written().fold(0, |all, it| all | scalars(it.registers)),
            addresses: addresses(step, &uses).chain(index).collect(),
            uses,
            reads_lds_direct: uses_view.reads_lds_direct(),
            unit,
            tests_result: inst.does().implicit().has(Implicit::WRITES_SCC)
                && !matches!(
                    class,
                    UndefinedFlow::Generic
                        | UndefinedFlow::Sum
                        | UndefinedFlow::Difference
                        | UndefinedFlow::ShiftByAdd(_)
                ),
            destination,
            sources: [
                either(Field::Src0, Field::Ssrc0),
                either(Field::Src1, Field::Ssrc1),
                place(Field::Src2),
            ],
        }
    }
}

fn decides(does: Does) -> Decides {
    match does {
        Does::Branch(Condition::Scc0 | Condition::Scc1) => Decides::Scc,
        Does::Branch(Condition::VccZero | Condition::VccNotZero) => Decides::Vcc,
        Does::Jump => Decides::Target,
        _ => Decides::Nothing,
    }
}

/// The uses that decide where an instruction goes, in memory or among registers.
fn addresses(step: &Step, uses: &[RegisterUse]) -> impl Iterator<Item = RegisterUse> {
    let inst = &step.inst;
    let row = inst.row();
    let memory = inst.uses().memory();
    let implicit = inst.does().implicit();
    let indexes =
        implicit.has(Implicit::INDEXES_SOURCE) || implicit.has(Implicit::INDEXES_DESTINATION);
    let is_address = move |it: &RegisterUse| {
        if it.read == 0 {
            return false;
        }
        match it.operand().and_then(|place| row.slots().nth(place)) {
            Some(slot) => {
                memory.is_some()
                    && matches!(
                        slot.field,
                        Field::Vaddr
                            | Field::Saddr
                            | Field::Sbase
                            | Field::Srsrc
                            | Field::Soffset
                            | Field::Offset
                    )
            }
            None => match it.registers {
                // FLAT leaves it to the hardware (errata E230).
                Registers::Scalar {
                    first: regs::M0, ..
                } => {
                    indexes && memory.is_none()
                        || memory.is_some_and(|memory| memory.m0 != M0::Unused)
                            && inst.encoding != Encoding::Flat
                }
                _ => false,
            },
        }
    };
    uses.iter().copied().filter(is_address)
}

/// The class of an instruction, by its name: those that are not here are generic.
fn class(step: &Step, unit: Unit) -> UndefinedFlow {
    use Bitwise::{And, AndNot, Nand, Nor, NotAnd, NotOr, Or, OrNot, Xnor, Xor};
    let inst = &step.inst;
    match inst.does() {
        Does::Lanes(_) => return UndefinedFlow::Move,
        _ if step.memory.is_some() => return UndefinedFlow::Memory,
        _ => {}
    }
    let name = inst.name();
    if unit == Unit::Vector && inst.layout().has(Field::OpSelHi) && row_is_packed(step) {
        return UndefinedFlow::Packed;
    }
    #[rustfmt::skip]
    let class = match name {
        "v_mov_b32" | "v_movreld_b32" | "v_movrels_b32" | "v_movrelsd_b32"
        | "s_mov_b32" | "s_mov_b64" | "s_movk_i32" | "s_movrels_b32" | "s_movrels_b64" | "s_movreld_b32" | "s_movreld_b64" => UndefinedFlow::Copy,
        "v_not_b32" | "s_not_b32" | "s_not_b64" => UndefinedFlow::Not,
        "v_bfrev_b32" | "s_brev_b32" | "s_brev_b64" => UndefinedFlow::Reverse,
        "v_and_b32" | "s_and_b32" | "s_and_b64" => UndefinedFlow::Bitwise(And),
        "v_or_b32" | "s_or_b32" | "s_or_b64" => UndefinedFlow::Bitwise(Or),
        "v_xor_b32" | "s_xor_b32" | "s_xor_b64" => UndefinedFlow::Bitwise(Xor),
        "v_xnor_b32" | "s_xnor_b32" | "s_xnor_b64" => UndefinedFlow::Bitwise(Xnor),
        "s_andn2_b32" | "s_andn2_b64" => UndefinedFlow::Bitwise(AndNot),
        "s_orn2_b32" | "s_orn2_b64" => UndefinedFlow::Bitwise(OrNot),
        "s_nand_b32" | "s_nand_b64" => UndefinedFlow::Bitwise(Nand),
        "s_nor_b32" | "s_nor_b64" => UndefinedFlow::Bitwise(Nor),
        "v_and_or_b32" => UndefinedFlow::Bitwise3(And, Or),
        "v_or3_b32" => UndefinedFlow::Bitwise3(Or, Or),
        "v_lshl_or_b32" => UndefinedFlow::ShiftOr,
        "v_lshl_b32" | "v_lshl_b64" | "s_lshl_b32" | "s_lshl_b64" => UndefinedFlow::Shift(Shift::Left),
        "v_lshr_b32" | "v_lshr_b64" | "s_lshr_b32" | "s_lshr_b64" => UndefinedFlow::Shift(Shift::Right),
        "v_ashr_i32" | "v_ashr_i64" | "s_ashr_i32" | "s_ashr_i64" => UndefinedFlow::Shift(Shift::Arithmetic),
        "v_lshlrev_b32" | "v_lshlrev_b64" | "v_lshlrev_b16" => UndefinedFlow::ShiftReversed(Shift::Left),
        "v_lshrrev_b32" | "v_lshrrev_b64" | "v_lshrrev_b16" => UndefinedFlow::ShiftReversed(Shift::Right),
        "v_ashrrev_i32" | "v_ashrrev_i64" | "v_ashrrev_i16" => UndefinedFlow::ShiftReversed(Shift::Arithmetic),
        "v_bfe_u32" => UndefinedFlow::Extract(false),
        "v_bfe_i32" => UndefinedFlow::Extract(true),
        "s_bfe_u32" | "s_bfe_u64" => UndefinedFlow::ExtractPacked(false),
        "s_bfe_i32" | "s_bfe_i64" => UndefinedFlow::ExtractPacked(true),
        "s_sext_i32_i8" => UndefinedFlow::SignExtend(8),
        "s_sext_i32_i16" => UndefinedFlow::SignExtend(16),
        "v_bfi_b32" => UndefinedFlow::Choose,
        "v_alignbit_b32" => UndefinedFlow::Align(1),
        "v_alignbyte_b32" => UndefinedFlow::Align(8),
        "v_perm_b32" => UndefinedFlow::Permute,
        "v_cndmask_b32" => UndefinedFlow::Select,
        "v_cvt_f32_ubyte0" => UndefinedFlow::Byte(0),
        "v_cvt_f32_ubyte1" => UndefinedFlow::Byte(1),
        "v_cvt_f32_ubyte2" => UndefinedFlow::Byte(2),
        "v_cvt_f32_ubyte3" => UndefinedFlow::Byte(3),
        "v_cvt_pkrtz_f16_f32" | "v_pack_b32_f16" | "v_cvt_pknorm_i16_f32" | "v_cvt_pknorm_u16_f32" | "v_cvt_pknorm_i16_f16"
        | "v_cvt_pknorm_u16_f16" | "v_cvt_pk_u16_u32" | "v_cvt_pk_i16_i32" => UndefinedFlow::Pair,
        "v_add_u32" | "v_add_i32" | "v_add_co_u32" | "v_add3_u32" | "v_mul_lo_u32" | "v_mul_lo_i32" | "v_mul_lo_u16" | "v_add_u16" | "v_mad_u64_u32" | "v_mad_i64_i32"
        | "v_addc_co_u32" | "v_subb_co_u32" | "v_subbrev_co_u32" | "v_addc_u32" | "v_subb_u32" | "v_subbrev_u32"
        | "s_add_u32" | "s_add_i32" | "s_mul_i32" => UndefinedFlow::Sum,
        "v_sub_u32" | "v_sub_i32" | "v_subrev_u32" | "v_sub_co_u32" | "v_subrev_co_u32" | "v_sub_u16" | "v_subrev_u16"
        | "s_sub_u32" | "s_sub_i32" => UndefinedFlow::Difference,
        "v_mul_u32_u24" | "v_mul_i32_i24" | "v_mad_u32_u24" | "v_mad_i32_i24" => UndefinedFlow::Sum24,
        "v_lshl_add_u32" => UndefinedFlow::ShiftAdd,
        "v_add_lshl_u32" => UndefinedFlow::AddShift,
        "s_lshl1_add_u32" => UndefinedFlow::ShiftByAdd(1),
        "s_lshl2_add_u32" => UndefinedFlow::ShiftByAdd(2),
        "s_lshl3_add_u32" => UndefinedFlow::ShiftByAdd(3),
        "s_lshl4_add_u32" => UndefinedFlow::ShiftByAdd(4),
        "s_pack_ll_b32_b16" => UndefinedFlow::Pack(false, false),
        "s_pack_lh_b32_b16" => UndefinedFlow::Pack(false, true),
        "s_pack_hh_b32_b16" => UndefinedFlow::Pack(true, true),
        "s_cselect_b32" | "s_cselect_b64" => UndefinedFlow::SelectScalar,
        "s_cmov_b32" | "s_cmov_b64" => UndefinedFlow::MoveScalar,
        "s_bitcmp0_b32" | "s_bitcmp1_b32" | "s_bitcmp0_b64" | "s_bitcmp1_b64" => UndefinedFlow::TestBit,
        "s_bitset0_b32" | "s_bitset1_b32" | "s_bitset0_b64" | "s_bitset1_b64" => UndefinedFlow::SetBit,
        "s_cmp_eq_i32" | "s_cmp_eq_u32" | "s_cmp_lg_i32" | "s_cmp_lg_u32" | "s_cmp_eq_u64" | "s_cmp_lg_u64" => UndefinedFlow::Equal,
        "s_and_saveexec_b64" => UndefinedFlow::Exec(And, false),
        "s_or_saveexec_b64" => UndefinedFlow::Exec(Or, false),
        "s_xor_saveexec_b64" => UndefinedFlow::Exec(Xor, false),
        "s_andn2_saveexec_b64" => UndefinedFlow::Exec(AndNot, false),
        "s_orn2_saveexec_b64" => UndefinedFlow::Exec(OrNot, false),
        "s_nand_saveexec_b64" => UndefinedFlow::Exec(Nand, false),
        "s_nor_saveexec_b64" => UndefinedFlow::Exec(Nor, false),
        "s_xnor_saveexec_b64" => UndefinedFlow::Exec(Xnor, false),
        "s_andn1_saveexec_b64" => UndefinedFlow::Exec(NotAnd, false),
        "s_orn1_saveexec_b64" => UndefinedFlow::Exec(NotOr, false),
        "s_andn1_wrexec_b64" => UndefinedFlow::Exec(NotAnd, true),
        "s_andn2_wrexec_b64" => UndefinedFlow::Exec(AndNot, true),
        "v_readlane_b32" | "v_readfirstlane_b32" => UndefinedFlow::ReadLane,
        "v_writelane_b32" => UndefinedFlow::WriteLane,
        "v_swap_b32" => UndefinedFlow::Swap,
        "s_set_gpr_idx_on" | "s_set_gpr_idx_idx" | "s_set_gpr_idx_mode" => UndefinedFlow::SetIndex,
        _ => UndefinedFlow::Generic,
    };
    class
}

/// True if an instruction computes on both halves of its registers.
fn row_is_packed(step: &Step) -> bool {
    use gcn_isa::Ty;
    let is_destination = |slot: &gcn_isa::Slot| slot.field == Field::Vdst;
    let row = step.inst.row();
    row.slots()
        .any(|slot| is_destination(slot) && matches!(slot.ty, Ty::F16x2 | Ty::I16x2))
}

/// True if a scalar operand of a vector instruction has a bit for each lane.
pub(super) fn is_lane_mask(step: &Step, it: &RegisterUse) -> bool {
    let Registers::Scalar { first, count: 2 } = it.registers else {
        return false;
    };
    match it
        .operand()
        .and_then(|place| step.inst.row().slots().nth(place))
    {
        Some(slot) => slot.kind == Kind::Sdst,
        None => first == regs::VCC_LO,
    }
}
