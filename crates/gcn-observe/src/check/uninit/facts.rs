//! Per-instruction facts for the checker of undefined values.

use std::sync::Arc;

use gcn_emu::observe::{Context, Instruction};
use gcn_emu::step::{Arg, MAX_ARGS, Step};
use gcn_isa::effect::{AluOp, Bitwise, Condition, Control, Implicit, Test};
use gcn_isa::operand::OperandAccess;
use gcn_isa::uses::{M0, RegisterUse, Registers, Unit, UnnumberedState, UseOrigin, UsedLanes};
use gcn_isa::{Does, Encoding, Field, Kind, Ty, regs};
use hashbrown::HashMap;

use super::apply::follows;
use super::registers::SCC;
use crate::registers::used;

/// Rule by which undefined bits propagate through an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum UndefinedFlow {
    /// According to the operation, bit by bit where possible.
    Alu(AluOp),
    /// Scalar comparison for equality or inequality, with the result in SCC.
    Equal,
    /// Any undefined source bit makes the whole result undefined.
    Any,
    /// DS_SWIZZLE, DS_PERMUTE or DS_BPERMUTE: lanes exchange values.
    Lanes,
    /// Load, store or atomic.
    Memory,
}

/// Value on which a branch or jump depends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Decides {
    Nothing,
    /// SCC, for a branch.
    Scc,
    /// VCC, for a branch if it is zero or nonzero.
    Vcc,
    /// Source registers, for a jump to their value.
    Target,
}

/// Facts about an instruction.
#[derive(Clone, Debug)]
pub(super) struct UninitFacts {
    pub(super) class: UndefinedFlow,
    pub(super) decides: Decides,
    pub(super) vector_read: Box<[u8]>,
    /// True if the instruction may read lanes that are inactive.
    pub(super) crosses: bool,
    /// Bitmap of the scalar registers that are read, with SCC as bit [`SCC`].
    pub(super) scalar_read: u128,
    pub(super) vector_written: Box<[u8]>,
    /// True if the instruction writes all bits of its destinations, in all active lanes.
    pub(super) writes_whole: bool,
    /// Bitmap of the scalar registers that are written, with SCC as bit [`SCC`].
    pub(super) scalar_written: u128,
    /// Uses of registers as an address, a descriptor or an index.
    pub(super) addresses: Box<[RegisterUse]>,
    /// All register uses except that of EXEC as the lane mask.
    pub(super) uses: Box<[RegisterUse]>,
    /// True if a source is LDS_DIRECT, whose address is in M0.
    pub(super) reads_lds_direct: bool,
    pub(super) unit: Unit,
    /// True if the instruction sets SCC to (result != 0).
    pub(super) tests_result: bool,
    /// True if an operand is a signed integer.
    pub(super) is_signed: bool,
    /// Operand indices of the destination and the sources.
    pub(super) destination: Option<usize>,
    pub(super) sources: [Option<usize>; 3],
}

/// Cache of facts about instructions whose register operands VGPR indexing or MOVREL replaces.
#[derive(Default)]
pub(super) struct MovedFacts(HashMap<MovedKey, Arc<UninitFacts>>);

/// Instruction number, operands after replacement, and true if VGPR indexing applies.
type MovedKey = (usize, [Arg; MAX_ARGS], bool);

/// Maximum number of entries in [`MovedFacts`].
const MOST_MOVED: usize = 1 << 12;

impl MovedFacts {
    /// Returns the facts about an instruction with its current operands.
    pub(super) fn of(
        &mut self,
        context: &Context<'_>,
        instruction: &Instruction<'_>,
    ) -> Arc<UninitFacts> {
        let (step, index) = (instruction.step, context.index(instruction.step));
        let key = (step.index, *instruction.operands, index.is_some());
        if self.0.len() >= MOST_MOVED && !self.0.contains_key(&key) {
            self.0.clear();
        }
        let facts = self.0.entry(key);
        let make = || Arc::new(UninitFacts::with(step, used(instruction), index));
        facts.or_insert_with(make).clone()
    }
}

/// Returns a bitmap of scalar registers, with SCC as bit [`SCC`].
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

/// Returns the sorted numbers of the vector registers in `uses`.
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

    /// Creates the facts about an instruction from its register uses and the use of M0 as VGPR index, if any.
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
        let class = class(step);
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
            tests_result: inst.row().implicit().has(Implicit::WRITES_SCC) && tests_result(class),
            is_signed: row
                .slots()
                .any(|slot| matches!(slot.ty, Ty::I16 | Ty::I32 | Ty::I64)),
            destination,
            sources: match inst.encoding {
                // The destination field may hold the first source. The constant is the last source.
                Encoding::Sopk => match place(Field::Sdst) {
                    Some(first) => [Some(first), place(Field::Simm16), None],
                    None => [place(Field::Simm16), None, None],
                },
                _ => [
                    either(Field::Src0, Field::Ssrc0),
                    either(Field::Src1, Field::Ssrc1),
                    place(Field::Src2),
                ],
            },
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

/// Returns the register uses that determine which memory or VGPR is accessed.
fn addresses(step: &Step, uses: &[RegisterUse]) -> impl Iterator<Item = RegisterUse> {
    let inst = &step.inst;
    let row = inst.row();
    let memory = inst.uses().memory();
    let implicit = inst.row().implicit();
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
                // Compilers do not set M0 for FLAT (errata E230).
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

fn class(step: &Step) -> UndefinedFlow {
    let inst = &step.inst;
    let is_float = || {
        let result = inst.row().slots().next();
        result.is_some_and(|slot| slot.ty.is_float())
    };
    match inst.does() {
        Does::Lanes(_) => UndefinedFlow::Lanes,
        _ if step.memory.is_some() => UndefinedFlow::Memory,
        Does::Compare(Test::Eq | Test::Lg, _) if inst.encoding.is_scalar() => UndefinedFlow::Equal,
        Does::Control(Control::GprIndexMode) => UndefinedFlow::Alu(AluOp::SetIndex),
        Does::Alu(op) => match op.in_order().0 {
            AluOp::Add
            | AluOp::Sub
            | AluOp::Mul
            | AluOp::MulAdd
            | AluOp::Min
            | AluOp::Max
            | AluOp::Min3
            | AluOp::Max3
            | AluOp::Med3
                if is_float() =>
            {
                UndefinedFlow::Any
            }
            AluOp::MoveIf
            | AluOp::Select
            | AluOp::ReadLane
            | AluOp::ReadFirstLane
            | AluOp::WriteLane
            | AluOp::Swap
            | AluOp::SetBit(_)
            | AluOp::TestBit(_)
            | AluOp::SetIndex
            | AluOp::IndexOn
            | AluOp::SaveExec(_)
            | AluOp::WriteExec(_)
            | AluOp::Packed(..) => UndefinedFlow::Alu(op),
            in_order if follows(in_order) => UndefinedFlow::Alu(op),
            _ => UndefinedFlow::Any,
        },
        _ => UndefinedFlow::Any,
    }
}

impl UndefinedFlow {
    /// True if two equal sources cancel out, as in `x ^ x`, so that their undefined bits do not matter.
    pub(super) fn cancels(self) -> bool {
        use Bitwise::{AndNot, NotAnd, NotOr, OrNot, Xnor, Xor};
        match self {
            UndefinedFlow::Alu(op) => matches!(
                op.in_order().0,
                AluOp::Sub
                    | AluOp::SubBorrow
                    | AluOp::XorAdd
                    | AluOp::Bitwise(Xor | Xnor | AndNot | OrNot | NotAnd | NotOr)
            ),
            UndefinedFlow::Equal => true,
            UndefinedFlow::Any | UndefinedFlow::Lanes | UndefinedFlow::Memory => false,
        }
    }
}

/// True if the result is tracked bit by bit, and SCC, if written, is set to (result != 0).
fn tests_result(class: UndefinedFlow) -> bool {
    matches!(
        class,
        UndefinedFlow::Alu(
            AluOp::Not
                | AluOp::Bitwise(_)
                | AluOp::Shift(_)
                | AluOp::ExtractPacked
                | AluOp::SaveExec(_)
                | AluOp::WriteExec(_)
        )
    )
}

/// True if a scalar operand of a vector instruction has one bit per lane.
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
