//! Instruction as data: its operation, its operands and the modifiers of its encoding, independent of any engine.

use std::sync::Arc;

use gcn_isa::effect::{Control, ImageOp, Implicit};
use gcn_isa::uses::{Counters, Order, RegisterSet, RegisterUse, Registers};
use gcn_isa::{Does, Inst, Isa, Kind, Operand, Slot, Ty, regs};

use super::arg::{Arg, DWORD, MAX_ARGS, Signs};
use super::dpp::CrossLane;
use super::indexed::Indexed;
use super::modifiers::{self, Modifiers, ResultChange, SourceChange};
use super::plan::MemoryPlan;
use super::relative::Relative;
use super::resolve::effect;
use crate::lanes::Sign;
use crate::wave::Wave;

/// Instruction decoded for a kernel with a given number of registers.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// Instruction.
    pub inst: Inst,
    /// Index of the first dword.
    pub index: usize,
    /// Operands in the order of the instruction's row. Modifiers are already applied to constants.
    pub args: [Arg; MAX_ARGS],
    /// Changes to the sources and the result, except for signs and the preserved half.
    pub(super) modifiers: Option<Arc<Modifiers>>,
    /// Plan of a memory instruction.
    pub memory: Option<Box<MemoryPlan>>,
    /// Sign modifiers of the sources.
    pub signs: Signs,
    /// Operands to which VGPR indexing can apply.
    pub indexed: Indexed,
    /// Operands whose register numbers are offset by M0, if the instruction is a MOVREL.
    pub relative: Option<Relative>,
    /// Length in bytes.
    pub bytes: u8,
    /// True if the destination is outside the wave's registers. The instruction is then not executed, but wait counters
    /// still count it (checklist 1.6, 1.7).
    pub is_cancelled: bool,
    /// True if the instruction reads registers outside the kernel's allocation.
    pub reads_outside: bool,
    /// True if the mask result also goes to EXEC (V_CMPX).
    pub writes_exec: bool,
    /// True if the instruction has a 16-bit result and preserves the high half of its register.
    pub keeps_high: bool,
}

/// Source of a vector instruction: an operand, followed by its modifiers in the order in which they apply.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Operand.
    pub arg: Arg,
    /// DPP lane mapping; `None` if each lane reads its own value.
    pub cross_lane: Option<&'a CrossLane>,
    /// Part of the source that is read.
    pub change: SourceChange,
    /// Sign modifier.
    pub sign: Sign,
    /// True if the source has two dwords.
    pub is_wide: bool,
}

/// Number of registers of a kernel, used to resolve operands.
#[derive(Clone, Copy, Debug)]
pub struct RegisterCounts {
    /// Number of vector registers.
    pub vgprs: usize,
    /// Number of scalar registers.
    pub sgprs: u8,
}

/// Exclusive upper bound of the scalar operand codes that name registers.
const SCALAR_REGISTERS: u8 = 128;

impl Decoded {
    /// Decodes an instruction at dword `index` of a kernel with these registers.
    pub fn new(inst: Inst, index: usize, counts: RegisterCounts) -> Decoded {
        let mut args = [Arg::None; MAX_ARGS];
        let (mut is_cancelled, mut reads_outside) = (false, false);
        let uses = inst.uses();
        for (place, (arg, slot)) in args.iter_mut().zip(inst.row().slots()).enumerate() {
            let operand = inst.operand(slot);
            let [read, written] = uses.of_slot(place, slot, &operand);
            let is_owned = counts.have(inst.isa, read) && counts.have(inst.isa, written);
            if written.is_some() {
                is_cancelled |= !is_owned;
            } else {
                reads_outside |= !is_owned;
            }
            // A register that is encoded but unused may have any number.
            let is_inside = is_owned && (read.is_some() || written.is_some());
            *arg = resolved(inst.isa, slot, operand, is_inside);
        }
        let memory = MemoryPlan::new(&inst, &args, index).map(Box::new);
        let is_vector =
            matches!(inst.does(), Does::Alu(_) | Does::Compare(..)) && !inst.encoding.is_scalar();
        let (signs, modifiers) = is_vector.then(|| Modifiers::of(&inst, &mut args)).unzip();
        let modifiers = modifiers.filter(|it| !it.are_none());
        Decoded {
            inst,
            index,
            args,
            keeps_high: modifiers.as_ref().is_some_and(Modifiers::keep_high),
            modifiers: modifiers.map(Arc::new),
            memory,
            signs: signs.unwrap_or_default(),
            indexed: Indexed::of(&inst, counts.vgprs),
            relative: Relative::of(&inst),
            bytes: inst.dwords() as u8 * DWORD as u8,
            is_cancelled,
            reads_outside,
            writes_exec: matches!(inst.does(), Does::Compare(_, i) if i.has(Implicit::WRITES_EXEC)),
        }
    }

    /// Returns the effect of the instruction without its modifiers. For an ALU instruction, `inst.op` identifies the
    /// operation.
    pub fn operation(&self) -> Does {
        effect(&self.inst)
    }

    /// Returns the sources of a vector instruction's operation, with their operand indexes.
    pub fn sources(&self) -> impl Iterator<Item = (usize, Source<'_>)> {
        let modifiers = self.modifiers.as_deref();
        let slots = self.inst.row().slots().enumerate();
        slots.filter_map(move |(place, slot)| {
            let number = modifiers::source_number(slot.field)?;
            let source = Source {
                arg: self.args[place],
                cross_lane: modifiers.and_then(|it| it.lanes_of(number)),
                change: modifiers.map_or_else(Default::default, |it| it.source(number)),
                sign: self.signs[place],
                is_wide: slot.ty.bytes() > modifiers::DWORD,
            };
            Some((place, source))
        })
    }

    /// Returns the DPP lane mapping of a source, if there is one. The mapping also determines which lanes are written.
    pub fn cross_lane(&self) -> Option<&CrossLane> {
        self.modifiers.as_deref()?.cross_lane()
    }

    /// Returns the changes to the result, if there are any.
    pub fn result(&self) -> Option<ResultChange> {
        self.modifiers.as_deref()?.result()
    }

    /// Copies the instruction with other registers, and without modifiers and memory plan.
    #[inline(always)]
    pub(super) fn with_registers(&self, args: [Arg; MAX_ARGS]) -> Decoded {
        Decoded {
            args,
            modifiers: None,
            memory: None,
            ..*self
        }
    }

    /// Returns the index of the dword after the instruction.
    #[inline(always)]
    pub fn following(&self) -> usize {
        self.index.wrapping_add(usize::from(self.bytes) / DWORD)
    }

    /// Returns the registers that the instruction uses. Relative addressing counts as a use of all registers.
    pub(crate) fn registers(&self) -> RegisterSet {
        match self.relative {
            Some(_) => RegisterSet::ALL,
            None => self.inst.uses().register_set(),
        }
    }

    /// Returns the counters that the instruction increments.
    #[inline]
    pub fn counters(&self) -> Option<Counters> {
        match &self.memory {
            Some(plan) => plan.counters,
            None => self.is_message().then_some(Counters {
                vm: 0,
                lgkm: 1,
                exp: 0,
                order: Order::Message,
                sampled: false,
            }),
        }
    }

    /// True if the instruction accesses several texels of an image per lane.
    pub fn accesses_texels(&self) -> bool {
        let does = self.memory.as_deref().map(|plan| plan.does);
        matches!(
            does,
            Some(Does::Image(ImageOp::Sample(_) | ImageOp::Gather(_)))
        )
    }

    /// True if the instruction sends a message.
    pub fn is_message(&self) -> bool {
        matches!(self.inst.does(), Does::Control(Control::SendMsg { .. }))
    }

    /// Returns the operands, with the registers that M0 selects if the instruction is a MOVREL.
    pub(crate) fn relative_operands(&self, wave: &Wave) -> [Arg; MAX_ARGS] {
        match self.relative {
            Some(relative) => relative.operands(wave, self.args),
            None => self.args,
        }
    }

    /// Returns the immediate of the instruction (SIMM16 and similar), or 0 if it has none.
    pub fn immediate(&self) -> i64 {
        let is_immediate = |slot: &&Slot| {
            matches!(
                slot.kind,
                Kind::Branch
                    | Kind::Simm16
                    | Kind::Waitcnt
                    | Kind::Hwreg
                    | Kind::SendMsg
                    | Kind::Unsigned
                    | Kind::Signed
            )
        };
        let slots = self.inst.row().slots();
        let mut immediates = slots.zip(&self.args).filter(|(slot, _)| is_immediate(slot));
        match immediates.next() {
            Some((_, Arg::Imm(value))) => *value,
            _ => 0,
        }
    }
}

impl RegisterCounts {
    /// True if a use is within the kernel's allocation.
    fn have(self, isa: Isa, used: Option<RegisterUse>) -> bool {
        used.is_none_or(|used| match used.registers {
            Registers::Vector { first, count } => {
                usize::from(first) + usize::from(count) <= self.vgprs
            }
            Registers::Scalar { first, count } => {
                first >= isa.sgprs() || u16::from(first) + u16::from(count) <= u16::from(self.sgprs)
            }
            Registers::State(_) => true,
        })
    }
}

/// Resolves an operand. A register outside the kernel's allocation is replaced with v0 or s0.
fn resolved(isa: Isa, slot: &Slot, operand: Operand, is_inside: bool) -> Arg {
    match operand {
        Operand::Vgprs { first, .. } => Arg::Vgpr(if is_inside { first } else { 0 }),
        Operand::Scalar { code, .. } if code < SCALAR_REGISTERS => {
            Arg::Scalar(if is_inside { code } else { 0 })
        }
        Operand::Scalar { code, .. } => match regs::inline(isa, code) {
            Some(regs::Inline::Int(i)) => Arg::Const(i64::from(i) as u64),
            Some(regs::Inline::Float(_)) => {
                Arg::Const(regs::float_bits(code, slot.ty).unwrap_or(0))
            }
            None => Arg::Special(code),
        },
        Operand::Literal(value) => Arg::Const(extend_literal(value, slot.ty)),
        Operand::Imm(value) => Arg::Imm(value),
        Operand::Off | Operand::ScalarOffset { .. } => Arg::None,
    }
}

/// Extends a 32-bit literal: as the high half of a double, sign-extended for 64-bit signed integers, and zero-extended
/// otherwise.
fn extend_literal(value: u32, ty: Ty) -> u64 {
    match ty {
        Ty::F64 => u64::from(value) << 32,
        Ty::I64 => i64::from(value as i32) as u64,
        _ => u64::from(value),
    }
}
