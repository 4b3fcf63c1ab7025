//! Vector registers that an instruction uses, in operand order.

use gcn_emu::step::Step;
use gcn_isa::operand::OperandAccess;
use gcn_isa::uses::Registers;
use gcn_isa::{Field, Slot};

/// Vector registers of an instruction, by kind of use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vectors {
    /// Registers that are read, except the data of stores and atomics.
    pub(crate) read: Box<[u8]>,
    pub(crate) written: Box<[u8]>,
    /// Data registers of stores and atomics, in memory order.
    pub(crate) stored: Box<[u8]>,
}

fn is_data(slot: &Slot) -> bool {
    matches!(slot.field, Field::Vdata | Field::Vdata1) && slot.access != OperandAccess::Write
}

impl Vectors {
    /// Collects the registers of an instruction. Reads of operands for which `ignores` returns true are left out.
    pub(crate) fn of(step: &Step, ignores: impl Fn(&Slot) -> bool) -> Vectors {
        let row = step.inst.row();
        let (mut read, mut written, mut stored) = (Vec::new(), Vec::new(), Vec::new());
        for it in step.inst.uses().registers() {
            let Registers::Vector { first, count } = it.registers else {
                continue;
            };
            let registers = || (0..count).map(|n| first.wrapping_add(n));
            let slot = it.operand().and_then(|place| row.slots().nth(place));
            if it.written != 0 {
                written.extend(registers());
            }
            if it.read != 0 && !slot.is_some_and(&ignores) {
                let is_stored = step.memory.is_some() && slot.is_some_and(is_data);
                let to = if is_stored { &mut stored } else { &mut read };
                to.extend(registers());
            }
        }
        Vectors {
            read: read.into(),
            written: written.into(),
            stored: stored.into(),
        }
    }
}
