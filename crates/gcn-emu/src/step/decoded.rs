//! An instruction as data: its operation, its operands and what its encoding does to them, apart from any way to run it.

use std::sync::Arc;

use gcn_isa::effect::{Control, ImageOp, Implicit};
use gcn_isa::uses::{Counters, Order, RegisterUse, Registers};
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

/// An instruction, decoded for a kernel with a given number of registers.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// The instruction.
    pub inst: Inst,
    /// The number of its first dword.
    pub index: usize,
    /// Operands, in the order of its row. Constants have the changes that the encoding asks for.
    pub args: [Arg; MAX_ARGS],
    /// Changes of its sources and its result, but for those of signs and the kept half.
    pub(super) modifiers: Option<Arc<Modifiers>>,
    /// Plan of a memory instruction.
    pub memory: Option<Box<MemoryPlan>>,
    /// Sign modifiers of its sources.
    pub signs: Signs,
    /// The operands that VGPR indexing moves.
    pub indexed: Indexed,
    /// The operands that MOVREL moves, if it is one.
    pub relative: Option<Relative>,
    /// Length in bytes.
    pub bytes: u8,
    /// True if its destination is outside the wave's registers: it is not executed, but counters complete (checklist 1.6, 1.7).
    pub is_cancelled: bool,
    /// True if it reads registers which the kernel does not ask for.
    pub reads_outside: bool,
    /// True if its mask goes to EXEC as well (V_CMPX).
    pub writes_exec: bool,
    /// True if its result, which has 16 bits, leaves the high half of its register as it was.
    pub keeps_high: bool,
}

/// A source of a vector instruction: the operand, then its changes in their order.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Operand.
    pub arg: Arg,
    /// The lanes that it is read from, if not the lane itself.
    pub cross_lane: Option<&'a CrossLane>,
    /// Part of the source that is read.
    pub change: SourceChange,
    /// Sign modifier.
    pub sign: Sign,
    /// True if it has two dwords.
    pub is_wide: bool,
}

/// Registers of a kernel, by which operands are resolved.
#[derive(Clone, Copy, Debug)]
pub struct RegisterCounts {
    /// Vector registers.
    pub vgprs: usize,
    /// Scalar registers.
    pub sgprs: u8,
}

/// Codes of scalar operands below this are registers.
const SCALAR_REGISTERS: u8 = 128;

impl Decoded {
    /// The instruction at dword number `index` of a kernel with these registers.
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
            // A register that is named but not used may be any.
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

    /// The operation, which knows nothing of the changes of its sources and its result; of an ALU instruction `inst.op` says which
    /// one.
    pub fn operation(&self) -> Does {
        effect(&self.inst)
    }

    /// The sources of a vector instruction's operation with their places among the operands.
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

    /// The lanes that a source is read from, if not the lane itself: they decide which lanes are written.
    pub fn cross_lane(&self) -> Option<&CrossLane> {
        self.modifiers.as_deref()?.cross_lane()
    }

    /// The changes of its result, if there are any.
    pub fn result(&self) -> Option<ResultChange> {
        self.modifiers.as_deref()?.result()
    }

    /// Copy with other registers and without modifiers.
    #[inline(always)]
    pub(super) fn with_registers(&self, args: [Arg; MAX_ARGS]) -> Decoded {
        Decoded {
            args,
            modifiers: None,
            memory: None,
            ..*self
        }
    }

    /// The number of the dword behind it.
    #[inline(always)]
    pub fn following(&self) -> usize {
        self.index.wrapping_add(usize::from(self.bytes) / DWORD)
    }

    /// The counters that it adds to.
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

    /// True if it accesses several texels of an image a lane.
    pub fn accesses_texels(&self) -> bool {
        let does = self.memory.as_deref().map(|plan| plan.does);
        matches!(
            does,
            Some(Does::Image(ImageOp::Sample(_) | ImageOp::Gather(_)))
        )
    }

    /// True if it sends a message.
    pub fn is_message(&self) -> bool {
        matches!(self.inst.does(), Does::Control(Control::SendMsg { .. }))
    }

    /// The operands, with the registers that MOVREL names if it is one.
    pub(crate) fn relative_operands(&self, wave: &Wave) -> [Arg; MAX_ARGS] {
        match self.relative {
            Some(relative) => relative.operands(wave, self.args),
            None => self.args,
        }
    }

    /// The instruction's number (SIMM16 and the like), 0 if it has none.
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
    /// True if the registers that an operand uses, if it uses any, are all among those that the kernel asks for.
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

/// An operand; a register outside of the kernel's is the first one.
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

/// A 32-bit literal as an operand: sign-extended for 64-bit signed integers, the high half of a double,
/// zero-extended otherwise.
fn extend_literal(value: u32, ty: Ty) -> u64 {
    match ty {
        Ty::F64 => u64::from(value) << 32,
        Ty::I64 => i64::from(value as i32) as u64,
        _ => u64::from(value),
    }
}
