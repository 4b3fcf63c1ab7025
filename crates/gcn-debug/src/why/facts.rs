//! Dataflow properties of an instruction: its uses and definitions of registers, dword by dword.
//!
//! Derived from [`Uses`](gcn_isa::uses::Uses), the operands and the memory plan.

use gcn_emu::observe::{Context, Instruction};
use gcn_emu::step::{Arg, CrossLane, Executor, Step};
use gcn_isa::dpp::Permutation;
use gcn_isa::effect::{AluOp, Bitwise, Control, LaneMove, Shift};
use gcn_isa::uses::{RegisterUse, Registers, Unit, UnnumberedState, UseOrigin, UsedLanes};
use gcn_isa::{Does, Field, Isa, Kind, Slot, Ty, regs};

use crate::reasons::is_call;

/// Register number: vector registers come first, then scalar registers, then other state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Register(u16);

const SCALARS: u16 = 256;
const STATE: u16 = SCALARS + 128;

impl Register {
    /// Scalar condition code.
    pub(crate) const SCC: Register = Register(STATE);
    /// Low dword of EXEC.
    pub(crate) const EXEC: Register = Register(SCALARS + regs::EXEC_LO as u16);

    pub(crate) fn vector(number: u8) -> Register {
        Register(number.into())
    }

    pub(crate) fn scalar(number: u8) -> Register {
        Register(SCALARS + u16::from(number))
    }

    pub(crate) fn next(self) -> Register {
        Register(self.0 + 1)
    }

    pub(crate) fn is_exec(self) -> bool {
        self == Register::EXEC || self == Register::EXEC.next()
    }

    /// True for EXEC, MODE and other special registers, whose initial values are not data.
    pub(crate) fn is_state(self, isa: Isa) -> bool {
        match self.as_scalar() {
            Some(number) => number >= isa.sgprs(),
            None => self.as_vector().is_none(),
        }
    }

    /// Returns the number of a vector register.
    pub(crate) fn as_vector(self) -> Option<u8> {
        u8::try_from(self.0).ok()
    }

    /// Returns the number of a scalar register.
    pub(crate) fn as_scalar(self) -> Option<u8> {
        let number = self.0.checked_sub(SCALARS)?;
        (number < 128).then_some(number as u8)
    }

    /// Returns the number that `s_getreg` uses for a hardware register.
    pub(crate) fn as_hardware(self) -> Option<u8> {
        u8::try_from(self.0.checked_sub(STATE + 1)?).ok()
    }

    /// Returns the first register of an operand in which this register is dword `dword`.
    pub(crate) fn first(self, dword: u8) -> Register {
        Register(self.0.saturating_sub(dword.into()))
    }

    /// Returns the assembly name of the register range up to `last`.
    pub(crate) fn name_to(self, last: Register, isa: Isa) -> String {
        match (
            self.as_vector(),
            last.as_vector(),
            self.as_scalar(),
            last.as_scalar(),
        ) {
            _ if self == last => self.name(isa),
            (Some(first), Some(last), ..) => format!("v[{first}:{last}]"),
            (.., Some(first), Some(last)) => {
                let name = regs::scalar_name(isa, first, last - first + 1);
                name.unwrap_or_else(|| format!("s[{first}:{last}]"))
            }
            _ => self.name(isa),
        }
    }

    /// Returns the assembly name.
    pub(crate) fn name(self, isa: Isa) -> String {
        match (self.as_vector(), self.as_scalar(), self.as_hardware()) {
            (Some(number), ..) => format!("v{number}"),
            (_, Some(number), _) => {
                let name = regs::scalar_name(isa, number, 1);
                name.unwrap_or_else(|| format!("s{number}"))
            }
            (.., Some(number)) => UnnumberedState::Hardware(number).to_string(),
            (None, None, None) => "scc".to_owned(),
        }
    }

    /// Returns the first register and the number of registers of a use, or `None` for state that slices ignore.
    fn of(registers: Registers) -> Option<(Register, u8)> {
        match registers {
            Registers::Vector { first, count } => Some((Register::vector(first), count)),
            Registers::Scalar { first, count } => Some((Register::scalar(first), count)),
            Registers::State(UnnumberedState::Scc) => Some((Register::SCC, 1)),
            // Sticky exception bits do not explain a value.
            Registers::State(UnnumberedState::TRAPSTS) => None,
            Registers::State(UnnumberedState::Hardware(number)) => {
                Some((Register(STATE + 1 + u16::from(number)), 1))
            }
            Registers::State(UnnumberedState::Pc | UnnumberedState::Apertures) => None,
        }
    }
}

/// Kind of dependence.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Edge {
    /// Data dependence on a register or memory.
    Data,
    /// Data dependence of a memory address on a register.
    Address,
    /// Control dependence of a lane on EXEC.
    Exec,
    /// Control dependence on a branch.
    Branch,
}

/// Source lanes (or bits of a scalar register) on which lane `n` of a result depends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reads {
    /// Lane `n`.
    Own,
    /// Bit `n` of a 64-bit mask.
    Bit,
    /// Lane recorded with the execution.
    Noted,
    /// All lanes.
    AllLanes,
    /// Source lane of the instruction's permutation.
    Permuted,
    /// For each lane, the source lane recorded with the execution.
    Exchanged,
    /// Whole scalar register.
    Scalar,
    /// Corresponding bits of the same dword, for a scalar bitwise operation.
    SameBits,
}

/// Dword that an instruction reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Read {
    pub(crate) register: Register,
    /// Index of the dword in the operand.
    pub(crate) dword: u8,
    pub(crate) bits: u32,
    pub(crate) reads: Reads,
    pub(crate) edge: Edge,
    /// For data of a memory access, the element that the dword belongs to.
    pub(crate) element: Option<u8>,
    /// For a source of a selection, the condition value that selects it.
    pub(crate) chosen_if: Option<bool>,
    /// For a source of a packed operation, the bits used for the low and for the high half of the result.
    pub(crate) halves: Option<[u32; 2]>,
}

impl Read {
    /// Returns the source bits on which the result bits `bits` depend. Only packed operations restrict them.
    pub(crate) fn packed(&self, bits: u32) -> u32 {
        self.halves.map_or(u32::MAX, |[low, high]| {
            let of = |half: u32, source: u32| if bits & half != 0 { source } else { 0 };
            of(LOW, low) | of(!LOW, high)
        })
    }
}

/// Low half of a dword.
const LOW: u32 = 0xffff;

/// Condition of a selection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Selector {
    /// SCC, for all lanes.
    Scc,
    /// Lane mask in this scalar register and the next.
    Mask(u8),
}

/// Dword that an instruction writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Write {
    pub(crate) register: Register,
    pub(crate) dword: u8,
    pub(crate) bits: u32,
    /// True for an F32 value.
    pub(crate) is_f32: bool,
    /// True for a lane mask, in which bit `n` depends on lane `n` of the sources.
    pub(crate) is_mask: bool,
}

/// Mapping from bits of a 32-bit result to the bits of a vector source on which they depend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SourceBits {
    /// All bits.
    All,
    /// Bits at the same positions, limited to this mask.
    Same(u32),
    /// The result is the source shifted left by this distance.
    ShiftedLeft(u32),
    /// The result is the source shifted right by this distance; true if it is sign-extended.
    ShiftedRight(u32, bool),
}

impl SourceBits {
    /// Derives the mapping from an operation, its constants, and its first two sources (`None` unless constant).
    fn of(does: Does, constants: &[u32], [first, second]: [Option<u32>; 2]) -> SourceBits {
        let Does::Alu(op) = does else {
            return SourceBits::All;
        };
        let (op, is_reversed) = op.in_order();
        let distance = if is_reversed { first } else { second };
        match (op, constants, distance) {
            (AluOp::Bitwise(Bitwise::And), &[mask], _) => SourceBits::Same(mask),
            (AluOp::Move | AluOp::Not | AluOp::Bitwise(_), ..) => SourceBits::Same(u32::MAX),
            (AluOp::Shift(shift), _, Some(by)) => match (shift, by % 32) {
                (Shift::Left, by) => SourceBits::ShiftedLeft(by),
                (Shift::Right, by) => SourceBits::ShiftedRight(by, false),
                (Shift::Arithmetic, by) => SourceBits::ShiftedRight(by, true),
            },
            _ => SourceBits::All,
        }
    }

    /// Returns the source bits on which the result bits `bits` depend.
    pub(crate) fn for_result(self, bits: u32) -> u32 {
        match self {
            SourceBits::All => u32::MAX,
            SourceBits::Same(mask) => bits & mask,
            SourceBits::ShiftedLeft(by) => bits >> by,
            SourceBits::ShiftedRight(by, extends) => {
                let has_sign = extends && bits & !(u32::MAX >> by) != 0;
                bits << by | u32::from(has_sign) << 31
            }
        }
    }
}

/// Indirect jump, to an address in registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Jump {
    /// Call that returns to this address.
    Call(u64),
    /// Return or other jump.
    Other,
}

/// Instruction class for slicing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// Reads and writes registers only.
    Alu,
    /// Accesses memory; the trace contains each access.
    Memory,
    /// Branch to a constant target, conditional or not.
    Branch,
}

/// Dataflow properties of an instruction.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) pc: u64,
    pub(crate) text: String,
    pub(crate) does: Does,
    /// Low dwords of the constant operands.
    pub(crate) constants: Vec<u32>,
    /// Address of the branch target.
    pub(crate) target: Option<u64>,
    pub(crate) class: Class,
    pub(crate) reads: Vec<Read>,
    pub(crate) writes: Vec<Write>,
    /// True if the instruction writes only the recorded lane rather than the lanes in EXEC.
    pub(crate) writes_noted_lane: bool,
    /// Scalar register or constant that selects the recorded lane; `None` for the first active lane.
    pub(crate) lane_select: Option<Arg>,
    pub(crate) permutation: Option<Permutation>,
    /// Lane mapping and write masks of a DPP instruction.
    pub(crate) cross_lane: Option<CrossLane>,
    /// Condition that chooses between two sources.
    pub(crate) selector: Option<Selector>,
    /// True if the destination receives the old EXEC, and EXEC the result.
    pub(crate) saves_exec: bool,
    /// Bits of the vector sources on which bits of the result depend.
    pub(crate) source_bits: SourceBits,
    pub(crate) jump: Option<Jump>,
    /// True for accesses that convert elements, such as typed buffer and image accesses. Every result dword depends on
    /// the whole element.
    pub(crate) is_converted: bool,
}

/// True if bit `n` of the result depends only on bit `n` of the sources and, for a selection, on the condition.
fn is_bitwise(does: Does) -> bool {
    match does {
        Does::Alu(op) => matches!(
            op,
            AluOp::Move
                | AluOp::Not
                | AluOp::Bitwise(_)
                | AluOp::SaveExec(_)
                | AluOp::WriteExec(_)
                | AluOp::Select
                | AluOp::MoveIf
        ),
        _ => false,
    }
}

impl Facts {
    /// Derives the properties of an instruction from its operands at execution. `further` is a register use of this
    /// execution that [`Uses::registers`](gcn_isa::uses::Uses::registers) omits.
    pub(crate) fn of(
        context: &Context<'_>,
        instruction: &Instruction<'_>,
        further: Option<RegisterUse>,
    ) -> Facts {
        let step = instruction.step;
        let uses = step.inst.uses();
        let does = step.inst.does();
        let unit = uses.unit();
        let is_vector_alu = matches!(unit, Unit::Vector | Unit::Interpolation);
        let slots: Vec<_> = step.inst.row().slots().collect();
        let mut reads = Vec::new();
        let mut writes = Vec::new();
        let mut writes_noted_lane = false;
        let mut selector = None;
        let chosen = chosen_field(does);
        let is_flag = |it: &Arg| matches!(it, Arg::Special(regs::VCCZ | regs::EXECZ));
        let has_flag = instruction.operands.iter().any(is_flag);
        for it in uses.registers().chain(further) {
            let it = restricted(does, unit, it);
            let Some((mut first, count)) = Register::of(it.registers) else {
                continue;
            };
            let slot = it.operand().and_then(|place| slots.get(place).copied());
            if let Some(place) = it.operand()
                && instruction.operands.get(place) != step.args.get(place)
            {
                match instruction.operands.get(place) {
                    Some(Arg::Vgpr(number)) => first = Register::vector(*number),
                    Some(Arg::Scalar(number)) => first = Register::scalar(*number),
                    _ => {}
                }
            }
            let element = slot.and_then(|slot| data_element(step, slot.field));
            for dword in 0..count {
                let register = Register(first.0 + u16::from(dword));
                if it.read != 0 {
                    let is_lanes = it.source == UseOrigin::LaneMask;
                    let is_mask_operand = is_vector_alu
                        && (it.operand().is_none()
                            && it.lanes == UsedLanes::Scalar
                            && first == Register::scalar(regs::VCC_LO)
                            || slot.is_some_and(|slot| {
                                slot.kind == Kind::Sdst && slot.field == Field::Src2
                            }));
                    let reads_as = match it.lanes {
                        _ if is_lanes => Reads::Bit,
                        // VCCZ and EXECZ depend on every bit of the mask.
                        UsedLanes::Scalar if has_flag && it.operand().is_none() => Reads::Scalar,
                        _ if is_mask_operand => Reads::Bit,
                        UsedLanes::Scalar if unit == Unit::Scalar && is_bitwise(does) => {
                            if register == Register::SCC {
                                Reads::Scalar
                            } else {
                                Reads::SameBits
                            }
                        }
                        UsedLanes::Scalar => Reads::Scalar,
                        // The lane that sends a value chooses the lane that receives it.
                        UsedLanes::Active if does == Does::Lanes(LaneMove::Push) => {
                            Reads::Exchanged
                        }
                        UsedLanes::Active => Reads::Own,
                        UsedLanes::First | UsedLanes::Selected => Reads::Noted,
                        UsedLanes::Crossing => match does {
                            Does::Lanes(_) => Reads::Exchanged,
                            Does::Alu(_) | Does::Compare(..) => Reads::Permuted,
                            _ => Reads::AllLanes,
                        },
                    };
                    let edge = if is_lanes {
                        Edge::Exec
                    } else if step.memory.is_some() && element.is_none() && !is_lane_move(does) {
                        Edge::Address
                    } else {
                        Edge::Data
                    };
                    if chosen.is_some() && register == Register::SCC {
                        selector = Some(Selector::Scc);
                    } else if chosen.is_some() && reads_as == Reads::Bit && !is_lanes && dword == 0
                    {
                        selector = register.as_scalar().map(Selector::Mask);
                    }
                    let chosen_if = match (chosen, slot.map(|slot| slot.field)) {
                        (Some(chosen), Some(Field::Src0 | Field::Ssrc0)) => {
                            Some(chosen == Field::Src0)
                        }
                        (Some(chosen), Some(Field::Src1 | Field::Ssrc1)) => {
                            Some(chosen == Field::Src1)
                        }
                        _ => None,
                    };
                    reads.push(Read {
                        chosen_if,
                        halves: slot.and_then(|slot| halves(step, slot, &slots)),
                        register,
                        dword,
                        bits: it.read,
                        reads: reads_as,
                        edge,
                        element,
                    });
                }
                if it.written != 0 {
                    writes_noted_lane |= it.lanes == UsedLanes::Selected;
                    writes.push(Write {
                        register,
                        dword,
                        bits: it.written,
                        is_f32: slot.is_some_and(|slot| slot.ty == Ty::F32),
                        is_mask: is_vector_alu
                            && !uses.reads_lane()
                            && register.as_scalar().is_some(),
                    });
                }
            }
        }
        if does == Does::Alu(AluOp::MoveIf) {
            // If SCC is 0, the destination keeps its value.
            reads.extend(writes.iter().map(|write: &Write| Read {
                register: write.register,
                dword: write.dword,
                bits: write.bits,
                reads: Reads::SameBits,
                edge: Edge::Data,
                element: None,
                chosen_if: Some(false),
                halves: None,
            }));
        }
        // Instructions with a destination outside the wave's registers are not executed.
        let mut operands = instruction.operands.iter().zip(&step.args);
        if operands.any(|(it, arg)| *it == Arg::None && *arg != Arg::None) {
            writes.clear();
        }
        let class = match step.run {
            Executor::Branch(..) => Class::Branch,
            _ if step.memory.is_some() && !is_lane_move(does)
                || matches!(step.run, Executor::VectorFromLds) =>
            {
                Class::Memory
            }
            _ => Class::Alu,
        };
        let lane_select = uses
            .selects_lane()
            .then(|| slots.iter().position(|slot| slot.field == Field::Src1))
            .flatten()
            .and_then(|place| instruction.operands.get(place).copied());
        let layout = step.inst.layout();
        let has_dpp = layout.has(Field::DppCtrl);
        let constants: Vec<u32> = instruction.operands.iter().filter_map(constant).collect();
        let constant_at = |field: Field| {
            let place = slots.iter().position(|slot| slot.field == field)?;
            instruction.operands.get(place).and_then(constant)
        };
        let is_clamped = layout.has(Field::Clamp) && step.inst.get(Field::Clamp) != 0;
        let is_plain = !layout.has(Field::DstSel)
            && !is_clamped
            && slots.iter().all(|slot| slot.ty.bytes() == 4);
        Facts {
            pc: context.pc,
            text: step.inst.text(),
            does,
            source_bits: match is_vector_alu && is_plain {
                true => SourceBits::of(
                    does,
                    &constants,
                    [Field::Src0, Field::Src1].map(constant_at),
                ),
                false => SourceBits::All,
            },
            jump: uses.calls().then(|| match is_call(step) {
                true => Jump::Call(context.dispatched.code.address(step.following())),
                false => Jump::Other,
            }),
            constants,
            target: match step.run {
                Executor::Branch(_, distance) => {
                    let next = context.dispatched.code.address(step.following());
                    Some(next.wrapping_add_signed(4 * i64::from(distance)))
                }
                _ => None,
            },
            class,
            reads,
            writes,
            writes_noted_lane,
            lane_select,
            cross_lane: CrossLane::of(&step.inst),
            permutation: has_dpp
                .then(|| Permutation::unpack(step.inst.get(Field::DppCtrl) as u16))
                .flatten(),
            selector,
            saves_exec: matches!(does, Does::Alu(AluOp::SaveExec(_))),
            is_converted: matches!(step.run, Executor::VectorFromLds)
                || matches!(
                    does,
                    Does::LoadFormat(..)
                        | Does::LoadFormatHigh
                        | Does::StoreFormat(..)
                        | Does::StoreFormatHigh
                        | Does::Image(_)
                ),
        }
    }

    /// Returns the write to a register, if any.
    pub(crate) fn write(&self, register: Register) -> Option<&Write> {
        self.writes.iter().find(|it| it.register == register)
    }

    /// True if EXEC selects the lanes in which the instruction executes.
    pub(crate) fn has_exec(&self) -> bool {
        self.reads.iter().any(|it| it.edge == Edge::Exec)
    }
}

/// Restricts an implicit use of M0 or MODE to the bits that matter. Instructions that set up VGPR indexing preserve the
/// other bits, and other operations do not depend on the bit that enables indexing.
fn restricted(does: Does, unit: Unit, it: RegisterUse) -> RegisterUse {
    /// Fields of M0: the index, and the mask of indexed operands.
    const INDEX: u32 = 0xff;
    const INDEXED: u32 = 0xf000;
    /// MODE bit that enables VGPR indexing.
    const GPR_IDX_EN: u32 = 1 << 27;
    let is_implicit = it.operand().is_none();
    let m0 = Registers::Scalar {
        first: regs::M0,
        count: 1,
    };
    let is_m0 = is_implicit && it.registers == m0;
    let is_mode = is_implicit && it.registers == Registers::State(UnnumberedState::MODE);
    let written = match does {
        Does::Alu(AluOp::IndexOn) if is_m0 => INDEX | INDEXED,
        Does::Alu(AluOp::SetIndex) if is_m0 => INDEX,
        Does::Control(Control::GprIndexMode) if is_m0 => INDEXED,
        Does::Alu(AluOp::IndexOn) | Does::Control(Control::GprIndexOff) if is_mode => GPR_IDX_EN,
        _ if is_mode && unit != Unit::Scalar => {
            let read = it.read & !GPR_IDX_EN;
            return RegisterUse { read, ..it };
        }
        _ => return it,
    };
    RegisterUse {
        read: 0,
        written,
        ..it
    }
}

/// Returns the low dword of a constant operand.
fn constant(operand: &Arg) -> Option<u32> {
    match *operand {
        Arg::Const(value) => Some(value as u32),
        Arg::None | Arg::Vgpr(_) | Arg::Scalar(_) | Arg::Special(_) | Arg::Imm(_) => None,
    }
}

/// Returns the source that a selection or conditional move chooses if its condition is true, or `None` for other
/// operations.
fn chosen_field(does: Does) -> Option<Field> {
    match does {
        Does::Alu(AluOp::Select | AluOp::MoveIf) => Some(Field::Src0),
        Does::Alu(AluOp::Reversed(AluOp::Select)) => Some(Field::Src1),
        _ => None,
    }
}

/// Returns the source bits that a packed operation uses for the low and for the high half of its result.
fn halves(step: &Step, slot: &Slot, slots: &[&Slot]) -> Option<[u32; 2]> {
    let inst = step.inst;
    let number = match slot.field {
        Field::Src0 => 0,
        Field::Src1 => 1,
        Field::Src2 => 2,
        _ => return None,
    };
    let is_packed = |it: &Slot| matches!(it.ty, Ty::F16x2 | Ty::I16x2);
    if !inst.layout().has(Field::OpSelHi) || !slots.iter().all(|it| is_packed(it)) {
        return None;
    }
    let high = inst.get(Field::OpSelHi) | inst.get(Field::OpSelHi2) << 2;
    let half = |selection: u64| match selection >> number & 1 {
        0 => LOW,
        _ => !LOW,
    };
    Some([half(inst.get(Field::OpSel)), half(high)])
}

fn is_lane_move(does: Does) -> bool {
    matches!(does, Does::Lanes(_))
}

/// Returns the element (0 or 1) for a data field of a memory instruction, or `None` for an address field.
fn data_element(step: &Step, field: Field) -> Option<u8> {
    step.memory.as_ref()?;
    match field {
        Field::Vdata | Field::Sdata => Some(0),
        Field::Vdata1 => Some(1),
        _ => None,
    }
}

/// Returns the lane to record for an execution: the selected lane, or the first active one.
pub(crate) fn noted_lane(facts: &Facts, context: &Context<'_>, exec: u64) -> u8 {
    let lane = match facts.lane_select {
        Some(Arg::Scalar(number)) => context.wave.resolved(number),
        Some(Arg::Special(code)) => context.wave.special(code) as u32,
        Some(Arg::Const(value)) => value as u32,
        Some(Arg::Imm(value)) => value as u32,
        Some(Arg::Vgpr(_) | Arg::None) | None => match exec {
            0 => 0,
            exec => exec.trailing_zeros(),
        },
    };
    (lane % 64) as u8
}
