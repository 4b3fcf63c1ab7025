//! Pairs of instructions with fewer wait states between them than hardware needs.
//!
//! The emulator has no pipeline, so that a missing wait state changes no result. This checker counts the wait states
//! between the instructions that a wave executes, those at both ends of a taken branch included.

use std::sync::Arc;

use gcn_emu::observe::{Context, Events, Instruction, Observer, WaveEnd, WaveObserver};
use gcn_emu::step::Step;
use gcn_isa::Inst;

use crate::finding::{Finding, Findings, Key, Kind, Place};
use crate::wait_states::{Hazards as Set, MOST, Part, TooFew};
use crate::waves::Waves;

/// The checker. See the module.
pub(super) struct Hazards {
    findings: Arc<Findings>,
}

impl Hazards {
    pub(super) fn new(findings: Arc<Findings>) -> Hazards {
        Hazards { findings }
    }
}

impl Observer for Hazards {
    fn wants(&self) -> Events {
        Events::ISSUE | Events::WAVE
    }

    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        Some(Box::new(Watch {
            findings: self.findings.clone(),
            facts: Vec::new(),
            waves: Waves::default(),
        }))
    }
}

/// Bits of a set of hazards.
const SET_BITS: u32 = u16::BITS;

/// Facts of an instruction.
struct Facts {
    inst: Inst,
    part: Part,
    /// Hazards that it begins, as [`WaveState::blocked`] has them.
    begins: u128,
}

impl Facts {
    fn of(inst: &Inst) -> Facts {
        let part = Part::of(inst);
        let after = |states| u128::from(part.begins.longer_than(inst.isa, states).0);
        Facts {
            inst: *inst,
            part,
            begins: (0..MOST).fold(0, |all, states| {
                all | after(states) << (SET_BITS * u32::from(states))
            }),
        }
    }
}

/// An instruction that a wave has executed.
#[derive(Clone, Copy, Default)]
struct Executed {
    /// Its number.
    index: usize,
    pc: u64,
    /// Wait states that have passed when it had been issued.
    clock: u64,
}

/// The last instructions of a wave.
#[derive(Clone, Default)]
struct WaveState {
    /// Hazards that are open: those for the next instruction in the lowest bits, then those that will still be after a wait
    /// state, and so on.
    blocked: u128,
    /// Wait states that have passed.
    clock: u64,
    /// The last instructions, each in place of the one before as many.
    last: [Executed; MOST as usize],
    next: usize,
}

impl WaveState {
    /// An instruction has been issued.
    #[inline]
    fn issue(&mut self, index: usize, pc: u64, facts: &Facts) {
        let states = u32::from(facts.part.states);
        self.clock += u64::from(facts.part.states);
        self.blocked = self
            .blocked
            .checked_shr(SET_BITS * states)
            .unwrap_or_default()
            | facts.begins;
        self.last[self.next] = Executed {
            index,
            pc,
            clock: self.clock,
        };
        self.next = (self.next + 1) % self.last.len();
    }
}

/// The checker of one thread's waves.
struct Watch {
    findings: Arc<Findings>,
    /// Facts of instructions by their number.
    facts: Vec<Option<Box<Facts>>>,
    waves: Waves<WaveState>,
}

/// The facts of an instruction, worked out once.
#[inline]
fn facts_of<'f>(all: &'f mut Vec<Option<Box<Facts>>>, step: &Step) -> &'f Facts {
    if all.len() <= step.index {
        all.resize_with(step.index + 1, || None);
    }
    all[step.index].get_or_insert_with(|| Box::new(Facts::of(&step.inst)))
}

impl Watch {
    /// Reports the hazards that an instruction ends.
    fn report(&mut self, context: &Context<'_>, instruction: &Instruction<'_>, open: Set) {
        let id = context.id();
        let state = self.waves.get(id);
        let inst = &instruction.step.inst;
        for executed in &state.last {
            let between = state.clock - executed.clock;
            let before = self.facts.get(executed.index).and_then(Option::as_ref);
            let (Some(before), Ok(between)) = (before, u8::try_from(between)) else {
                continue;
            };
            if executed.clock == 0 || between >= MOST {
                continue;
            }
            let set = open.and(before.part.begins);
            for found in TooFew::all(set, &before.inst, inst, between) {
                let key = Key {
                    kind: Kind::MissingWaitStates,
                    pc: context.pc,
                    other: executed.pc,
                    detail: found.hazard as u64,
                };
                self.findings.report(key, Some(id), || Finding {
                    kernel: context.dispatched.dispatch.kernel.clone(),
                    dispatch: context.dispatched.id,
                    ..found.finding(
                        Place::of(context, instruction),
                        Place::new(executed.pc, &before.inst, Some(id)),
                    )
                });
            }
        }
    }
}

impl WaveObserver for Watch {
    fn wave_begins(&mut self, context: &Context<'_>) {
        *self.waves.get(context.id()) = WaveState::default();
    }

    fn wave_ends(&mut self, context: &Context<'_>, _: WaveEnd<'_>) {
        self.waves.remove(context.id());
    }

    #[inline]
    fn issues(&mut self, context: &Context<'_>, instruction: &Instruction<'_>) {
        let ends = facts_of(&mut self.facts, instruction.step).part.ends;
        let open = ends.and(Set(self.waves.get(context.id()).blocked as u16));
        if !open.is_empty() {
            self.report(context, instruction, open);
        }
        let facts = facts_of(&mut self.facts, instruction.step);
        self.waves
            .get(context.id())
            .issue(instruction.step.index, context.pc, facts);
    }
}
