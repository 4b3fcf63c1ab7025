//! What a reading of a kernel's code rules out before it runs.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use gcn_emu::observe::Dispatched;
use gcn_isa::Inst;
use gcn_isa::uses::{RegisterUse, Registers, State};

use super::flow::Flow;
use super::program::{Flat, Next, Program, Step};
use super::report::{Report, RuledOut};

/// Instructions of a kernel that are read at most.
const MOST: usize = 1 << 16;

/// Bits of MODE by which instructions use other registers than they name, or are skipped: GPR_IDX_EN and VSKIP.
const CHANGES_EXECUTION: u32 = 1 << 27 | 1 << 28;

/// Readings of the kernels that have been dispatched.
#[derive(Debug, Default)]
pub(crate) struct Ahead {
    /// By entry, and whether the dispatch had LDS.
    read: Mutex<HashMap<(u64, bool), Reading>>,
}

/// A reading of a kernel.
#[derive(Debug)]
struct Reading {
    ruled_out: RuledOut,
    /// The instructions on which that rests.
    instructions: Vec<(u64, Inst)>,
}

impl Ahead {
    /// The checks that would find nothing in a dispatch: on no path of its code is a register used before it may be, or a hazard
    /// left open. Where code indexes registers, skips instructions, or goes where its registers say, nothing is ruled out.
    pub(crate) fn ruled_out(&self, dispatched: &Dispatched<'_>) -> RuledOut {
        let has_lds = dispatched.dispatch.lds_bytes != 0;
        let key = (dispatched.dispatch.entry, has_lds);
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        match read.get(&key) {
            Some(known) if known.is_of(dispatched) => known.ruled_out,
            _ => {
                let reading = Reading::new(dispatched, has_lds);
                let ruled_out = reading.ruled_out;
                read.insert(key, reading);
                ruled_out
            }
        }
    }
}

/// The word of a dispatch's code at an address, and the one behind it.
fn words(dispatched: &Dispatched<'_>, pc: u64) -> Option<(u32, Option<u32>)> {
    let code = dispatched.code;
    let mut words = code.words().get(code.index(pc)?..)?.iter().copied();
    Some((words.next()?, words.next()))
}

impl Reading {
    fn new(dispatched: &Dispatched<'_>, has_lds: bool) -> Reading {
        let flat = if has_lds { Flat::Both } else { Flat::Vector };
        let words = Box::new(|pc| words(dispatched, pc));
        let mut flow = Flow::new(Program::new(dispatched.code.isa(), flat, true, words));
        flow.enter(dispatched.dispatch.entry);
        let is_read = flow.run(MOST);
        let mut ruled_out = RuledOut::default();
        if is_read && flow.steps().iter().all(is_followed) {
            let found = Cell::new(RuledOut {
                waits: true,
                hazards: true,
            });
            flow.report(&Report::RuledOut(&found));
            if flow.unknown() == 0 {
                ruled_out = found.get();
            }
        }
        let of = |step: &Step| (step.pc, step.inst);
        Reading {
            ruled_out,
            instructions: flow.steps().iter().map(of).collect(),
        }
    }

    /// True if the dispatch has the code that was read.
    fn is_of(&self, dispatched: &Dispatched<'_>) -> bool {
        self.instructions.iter().all(|(pc, inst)| {
            let [first, second] = inst.words();
            let is_long = inst.dwords() > 1;
            words(dispatched, *pc)
                .is_some_and(|now| now.0 == first && (!is_long || now.1 == Some(second)))
        })
    }
}

/// True if an instruction does what it does with the registers that it names, and goes on where its words say.
fn is_followed(step: &Step) -> bool {
    let is_plain = |uses: &RegisterUse| {
        let is_mode = uses.registers == Registers::State(State::MODE);
        !uses.indexed && !(is_mode && uses.written & CHANGES_EXECUTION != 0)
    };
    !matches!(step.next, Next::Jump { .. }) && step.uses.iter().all(|(uses, _)| is_plain(uses))
}
