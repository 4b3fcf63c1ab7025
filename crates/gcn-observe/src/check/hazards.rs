//! Hazards: instructions with too few wait states between them, and reads of VCCZ while it may be wrong.
//!
//! The emulator has no pipeline, so missing wait states do not change results. This checker counts wait states in the
//! instruction stream of each wave, across branches.
//!
//! The violations in a sequence of instructions depend only on the sequence and a short history: the last instructions
//! before it and the state of VCCZ ([`HazardHistory`]). They are computed once per sequence and history, and cached.
//! Kernels for which static analysis rules out violations ([`Ahead`]) are not watched.

use std::sync::{Arc, Mutex, PoisonError};

use gcn_emu::observe::{Context, Dispatched, Events, Observer, WaveEnd, WaveObserver};
use gcn_emu::step::Step;
use gcn_isa::Inst;
use hashbrown::HashMap;

use crate::by_step::ByStep;
use crate::finding::{Finding, FindingKey, FindingPlace, Findings, Kind};
use crate::lint::Ahead;
use crate::vccz::{Vccz, WrongVccz};
use crate::wait_states::{HazardPart, HazardSet, MOST, MissingWaitStates};
use crate::waves::Waves;

/// Checker for hazards.
pub(super) struct Hazards {
    findings: Arc<Findings>,
    ahead: Arc<Ahead>,
    parts: Arc<KnownParts>,
}

impl Hazards {
    pub(super) fn new(findings: Arc<Findings>, ahead: Arc<Ahead>) -> Hazards {
        Hazards {
            findings,
            ahead,
            parts: Arc::default(),
        }
    }
}

/// Cache of the hazard roles of instructions, shared by all dispatches. Computing a role is slow.
#[derive(Default)]
struct KnownParts(Mutex<HashMap<Inst, HazardPart>>);

/// Maximum number of cached instructions.
const MAX_PARTS: usize = 1 << 16;

impl KnownParts {
    fn of(&self, inst: &Inst) -> HazardPart {
        let mut parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if parts.len() >= MAX_PARTS {
            parts.clear();
        }
        *parts.entry(*inst).or_insert_with(|| HazardPart::of(inst))
    }
}

impl Observer for Hazards {
    fn wants(&self) -> Events {
        Events::SEQUENCE | Events::WAVE
    }

    fn wants_in(&self, dispatch: &Dispatched<'_>) -> Events {
        if self.ahead.ruled_out(dispatch).hazards {
            Events::empty()
        } else {
            self.wants()
        }
    }

    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        Some(Box::new(HazardWatch {
            findings: self.findings.clone(),
            known_parts: self.parts.clone(),
            parts: ByStep::default(),
            known: KnownSequences::default(),
            recent: Vec::new(),
            waves: Waves::default(),
        }))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct PlacedInst {
    pc: u64,
    inst: Inst,
}

/// A recent instruction that began hazards.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct BegunHazards {
    at: PlacedInst,
    hazards: HazardSet,
    /// Number of wait states since then.
    states: u8,
}

/// The part of a wave's history on which later violations depend.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct HazardHistory {
    /// Instructions that began hazards fewer than [`MOST`] wait states ago.
    begun: Vec<BegunHazards>,
    vccz: Vccz<PlacedInst>,
}

/// Index in [`KnownSequences::pasts`]. 0 is the history of a wave that starts.
type PastNumber = u32;

/// A violation at an instruction.
#[derive(Clone, Debug)]
struct HazardError {
    inst: PlacedInst,
    what: HazardErrorKind,
}

#[derive(Clone, Debug)]
enum HazardErrorKind {
    /// `before` began a hazard only `states` wait states earlier.
    MissingWaitStates {
        before: PlacedInst,
        states: u8,
    },
    Vccz(WrongVccz<PlacedInst>),
}

/// Result of a sequence that follows a history.
#[derive(Clone, Debug, Default)]
struct SequenceResult {
    /// History after the sequence.
    next: PastNumber,
    wrong: Box<[HazardError]>,
}

/// Index of the first instruction of a sequence, and number of instructions.
type Sequence = (usize, usize);

/// Cache of histories and of the results of sequences.
#[derive(Default)]
struct KnownSequences {
    pasts: Vec<HazardHistory>,
    numbers: HashMap<HazardHistory, PastNumber>,
    outcomes: HashMap<(PastNumber, Sequence), SequenceResult>,
}

/// Maximum number of cached results.
const MAX_OUTCOMES: usize = 1 << 16;

impl KnownSequences {
    /// Interns a history, and returns its number.
    fn number(&mut self, past: HazardHistory) -> PastNumber {
        let next = self.pasts.len() as PastNumber;
        *self.numbers.entry(past).or_insert_with_key(|past| {
            self.pasts.push(past.clone());
            next
        })
    }
}

/// Checker for the waves that one host thread runs.
struct HazardWatch {
    findings: Arc<Findings>,
    known_parts: Arc<KnownParts>,
    parts: ByStep<HazardPart>,
    known: KnownSequences,
    /// Last sequence without violations from each instruction index: history before, length, history after.
    recent: Vec<Option<(PastNumber, usize, PastNumber)>>,
    /// Current history of each wave.
    waves: Waves<PastNumber>,
}

impl HazardWatch {
    /// Computes the result of a sequence.
    fn work_out(&mut self, past: PastNumber, pc: u64, sequence: &[Step]) -> SequenceResult {
        let mut past = self.known.pasts[past as usize].clone();
        let mut wrong = Vec::new();
        for step in sequence {
            let known = &self.known_parts;
            let part = *self.parts.of(step, |step| known.of(&step.inst));
            let at = PlacedInst {
                pc: pc + (step.index - sequence[0].index) as u64 * DWORD,
                inst: step.inst,
            };
            for begun in &past.begun {
                let set = part.ends.and(begun.hazards);
                let (before, states) = (begun.at, begun.states);
                if !set.is_empty()
                    && MissingWaitStates::all(set, &before.inst, &step.inst, states)
                        .next()
                        .is_some()
                {
                    wrong.push(HazardError {
                        inst: at,
                        what: HazardErrorKind::MissingWaitStates { before, states },
                    });
                }
            }
            let vccz = past.vccz.step(part.vccz, at);
            wrong.extend(vccz.map(|it| HazardError {
                inst: at,
                what: HazardErrorKind::Vccz(it),
            }));
            past.begun.retain_mut(|begun| {
                begun.states = begun.states.saturating_add(part.states);
                begun.states < MOST
            });
            if !part.begins.is_empty() {
                past.begun.push(BegunHazards {
                    at,
                    hazards: part.begins,
                    states: 0,
                });
            }
        }
        SequenceResult {
            next: self.known.number(past),
            wrong: wrong.into(),
        }
    }

    /// Clears the caches, but keeps the current history of each wave under a new number.
    fn forget(&mut self) {
        let old = std::mem::take(&mut self.known);
        self.known.number(HazardHistory::default());
        let known = &mut self.known;
        self.waves.each(|number| {
            let past = old.pasts.get(*number as usize);
            *number = known.number(past.cloned().unwrap_or_default());
        });
        self.recent.clear();
    }

    /// Looks up or computes the result of a sequence, and reports its violations.
    #[cold]
    fn look_up(&mut self, context: &Context<'_>, sequence: &[Step]) {
        if self.known.pasts.is_empty() || self.known.outcomes.len() >= MAX_OUTCOMES {
            self.forget();
        }
        let past = *self.waves.get(context.id());
        let (first, count) = (sequence[0].index, sequence.len());
        let key = (past, (first, count));
        let outcome = match self.known.outcomes.get(&key) {
            Some(outcome) => outcome.clone(),
            None => {
                let outcome = self.work_out(past, context.pc, sequence);
                self.known.outcomes.insert(key, outcome.clone());
                outcome
            }
        };
        *self.waves.get(context.id()) = outcome.next;
        for wrong in &outcome.wrong {
            self.report(context, wrong);
        }
        if outcome.wrong.is_empty() {
            if self.recent.len() <= first {
                self.recent.resize(first + 1, None);
            }
            self.recent[first] = Some((past, count, outcome.next));
        }
    }

    fn report(&self, context: &Context<'_>, wrong: &HazardError) {
        let id = Some(context.id());
        let PlacedInst { pc, inst } = wrong.inst;
        let place = || FindingPlace::new(pc, &inst, id);
        let report = |kind, before: PlacedInst, detail, make: &dyn Fn(FindingPlace) -> Finding| {
            let key = FindingKey {
                kind,
                pc,
                other: before.pc,
                detail,
            };
            self.findings.report(key, id, || {
                let before = FindingPlace::new(before.pc, &before.inst, id);
                make(before).in_dispatch(context.dispatched)
            });
        };
        match &wrong.what {
            HazardErrorKind::MissingWaitStates { before, states } => {
                let set = HazardPart::of(&inst)
                    .ends
                    .and(HazardPart::of(&before.inst).begins);
                for found in MissingWaitStates::all(set, &before.inst, &inst, *states) {
                    let detail = found.hazard as u64;
                    report(Kind::MissingWaitStates, *before, detail, &|before| {
                        found.finding(place(), before)
                    });
                }
            }
            HazardErrorKind::Vccz(found) => {
                let because = found.because;
                report(Kind::WrongVccz, because, 0, &|before| {
                    found.finding(place(), &because.inst, before)
                });
            }
        }
    }
}

/// Size of a dword in bytes.
const DWORD: u64 = 4;

impl WaveObserver for HazardWatch {
    fn wave_begins(&mut self, context: &Context<'_>) {
        *self.waves.get(context.id()) = 0;
    }

    fn wave_ends(&mut self, context: &Context<'_>, _: WaveEnd<'_>) {
        self.waves.remove(context.id());
    }

    #[inline]
    fn executed(&mut self, context: &Context<'_>, sequence: &[Step]) {
        let past = self.waves.get(context.id());
        let recent = self.recent.get(sequence[0].index);
        match recent {
            Some(Some((known, count, next))) if known == past && *count == sequence.len() => {
                *past = *next;
            }
            _ => self.look_up(context, sequence),
        }
    }
}
