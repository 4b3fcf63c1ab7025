//! Static analysis of kernels before they run, which rules out findings of the checkers.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use gcn_emu::observe::Dispatched;
use gcn_isa::Inst;
use gcn_isa::simm::MODE_VSKIP;
use gcn_isa::uses::{RegisterUse, Registers, UnnumberedState};

use super::flow::Flow;
use super::program::{Flat, LintProgram, LintStep, Next};
use super::report::{FindingSink, RuledOut};
use super::swap_loads::SwapLoads;

/// Maximum number of instructions analyzed per kernel.
const MOST: usize = 1 << 16;

/// MODE bits that redirect VGPR operands (GPR_IDX_EN) or skip vector instructions (VSKIP).
const CHANGES_EXECUTION: u32 = 1 << 27 | MODE_VSKIP;

/// Properties of a dispatch on which the analysis of its code depends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct ReadingKey {
    entry: u64,
    has_lds: bool,
    has_scratch: bool,
}

/// Cache of the analyses of dispatched kernels.
#[derive(Debug, Default)]
pub(crate) struct Ahead {
    read: Mutex<HashMap<ReadingKey, Reading>>,
}

/// A reachable instruction of a kernel.
#[derive(Debug)]
pub(crate) struct Reached {
    pub(crate) pc: u64,
    pub(crate) inst: Inst,
    /// Target of a branch. Calls have none.
    pub(crate) branch: Option<u64>,
}

/// Analysis of a kernel.
#[derive(Debug)]
struct Reading {
    ruled_out: RuledOut,
    /// Instructions that the analysis has reached.
    instructions: Vec<Reached>,
    /// True if the kernel cannot reach other instructions.
    is_complete: bool,
    swap_loads: Arc<SwapLoads>,
}

impl Ahead {
    /// Returns the checks that cannot find anything in a dispatch, because no path through its code uses a register too
    /// early or violates a hazard. Nothing is ruled out for code that indexes registers, skips instructions, or jumps
    /// through registers.
    pub(crate) fn ruled_out(&self, dispatched: &Dispatched<'_>) -> RuledOut {
        self.reading(dispatched, |reading| reading.ruled_out)
    }

    /// Calls `ask` with the instructions that a dispatch may execute. Returns `None` if it may execute others.
    pub(crate) fn instructions<R>(
        &self,
        dispatched: &Dispatched<'_>,
        ask: impl Fn(&[Reached]) -> R,
    ) -> Option<R> {
        self.reading(dispatched, |reading| {
            reading.is_complete.then(|| ask(&reading.instructions))
        })
    }

    /// Returns the plain loads in a dispatch's code that only feed compare-and-swaps.
    pub(crate) fn swap_loads(&self, dispatched: &Dispatched<'_>) -> Arc<SwapLoads> {
        self.reading(dispatched, |reading| reading.swap_loads.clone())
    }

    /// Calls `ask` with the analysis of a dispatch's code.
    fn reading<R>(&self, dispatched: &Dispatched<'_>, ask: impl Fn(&Reading) -> R) -> R {
        let key = ReadingKey {
            entry: dispatched.dispatch.entry,
            has_lds: dispatched.dispatch.lds_bytes != 0,
            has_scratch: dispatched.dispatch.scratch_bytes_per_lane != 0,
        };
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        match read.get(&key) {
            Some(known) if known.is_of(dispatched) => ask(known),
            _ => {
                let reading = Reading::new(dispatched, key);
                let answer = ask(&reading);
                read.insert(key, reading);
                answer
            }
        }
    }
}

/// Returns the word at an address in a dispatch's code, and the next word.
fn words(dispatched: &Dispatched<'_>, pc: u64) -> Option<(u32, Option<u32>)> {
    let code = dispatched.code;
    let mut words = code.words().get(code.index(pc)?..)?.iter().copied();
    Some((words.next()?, words.next()))
}

impl Reading {
    fn new(dispatched: &Dispatched<'_>, key: ReadingKey) -> Reading {
        let flat = if key.has_lds {
            Flat::Both
        } else {
            Flat::Vector
        };
        let words = Box::new(|pc| words(dispatched, pc));
        let mut flow = Flow::new(LintProgram::new(dispatched.code.isa(), flat, true, words));
        flow.enter(dispatched.dispatch.entry);
        let is_read = flow.run(MOST);
        let mut ruled_out = RuledOut::default();
        let mut is_complete = is_read && flow.steps().iter().all(is_followed);
        if is_complete {
            let found = Cell::new(RuledOut {
                waits: true,
                hazards: true,
            });
            flow.report(&FindingSink::RuledOut(&found));
            is_complete = flow.unknown() == 0;
            if is_complete {
                ruled_out = found.get();
            }
        }
        let of = |step: &LintStep| Reached {
            pc: step.pc,
            inst: step.inst,
            branch: match step.next {
                Next::Branch { to, .. } => Some(to),
                Next::Following | Next::End | Next::Call { .. } | Next::Jump { .. } => None,
            },
        };
        Reading {
            ruled_out,
            instructions: flow.steps().iter().map(of).collect(),
            is_complete,
            swap_loads: Arc::new(SwapLoads::of(flow.steps(), key.has_scratch)),
        }
    }

    /// True if the dispatch's code is still the analyzed code.
    fn is_of(&self, dispatched: &Dispatched<'_>) -> bool {
        self.instructions.iter().all(|it| {
            let [first, second] = it.inst.words();
            let is_long = it.inst.dwords() > 1;
            words(dispatched, it.pc)
                .is_some_and(|now| now.0 == first && (!is_long || now.1 == Some(second)))
        })
    }
}

/// True if an instruction only uses the registers that it names, and its encoding determines the next instruction.
fn is_followed(step: &LintStep) -> bool {
    let is_named = |uses: &RegisterUse| {
        let is_mode = uses.registers == Registers::State(UnnumberedState::MODE);
        !(uses.indexed || is_mode && uses.written & CHANGES_EXECUTION != 0)
    };
    // The number of registers in an image address depends on the image descriptor.
    let is_whole = step.inst.uses().address_beyond().is_none();
    let goes_on = !matches!(step.next, Next::Jump { .. });
    is_whole && goes_on && step.uses.iter().all(|(uses, _)| is_named(uses))
}

#[cfg(test)]
mod tests {
    use gcn_emu::Code;
    use gcn_emu::device::{Config, Device};
    use gcn_emu::run::{Dispatch, Initial};
    use gcn_isa::Isa;

    use super::*;

    /// Returns the checks that the analysis of GCN 1.4 code rules out.
    fn ruled_out(ahead: &Ahead, words: &[u32]) -> RuledOut {
        const AT: u64 = 0x1000;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let code = Code::new(Isa::Gfx9, AT, &bytes, 8, 16);
        let device = Device::new(Config::new(Isa::Gfx9));
        let dispatch = Dispatch {
            kernel: None,
            kernarg: None,
            restricted: Vec::new(),
            acquires: true,
            entry: AT,
            grid: [1; 3],
            group: [1; 3],
            lds_bytes: 0,
            scratch_bytes_per_lane: 0,
            initial: Initial::default(),
        };
        ahead.ruled_out(&Dispatched {
            id: 0,
            device: &device,
            dispatch: &dispatch,
            code: &code,
        })
    }

    #[test]
    fn other_code_at_the_same_address_is_read_again() {
        const WAIT: u32 = 0xbf8c_007f; // s_waitcnt lgkmcnt(0)
        const NOP: u32 = 0xbf80_0000;
        const END: u32 = 0xbf81_0000;
        // s_load_dword s4, s[0:1], 0x0; s_waitcnt or s_nop; s_mov_b32 s5, s4; s_endpgm.
        let code = |between| [0xc002_0100, 0, between, 0xbe85_0004, END];
        let ahead = Ahead::default();
        let (bad, good) = (code(NOP), code(WAIT));
        for words in [&bad, &good, &good, &bad] {
            let is_good = words == &good;
            assert_eq!(ruled_out(&ahead, words).waits, is_good);
        }
        // Code after the end does not belong to this kernel.
        let mut longer = good.to_vec();
        longer.push(END);
        assert!(ruled_out(&ahead, &longer).waits);
        assert_eq!(ruled_out(&ahead, &good[..4]), RuledOut::default());
    }
}
