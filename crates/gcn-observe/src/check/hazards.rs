//! Pairs of instructions with fewer wait states between them than hardware needs, and reads of VCCZ where it may be wrong.
//!
//! The emulator has no pipeline, so that a missing wait state changes no result. This checker counts the wait states
//! between the instructions that a wave executes, those at both ends of a taken branch included.
//!
//! The hazards that a sequence of instructions ends and begins depend on the last few instructions before it alone, and on what has
//! been done to VCCZ ([`Past`]): they are worked out once for each past and sequence, and looked up when a wave executes the sequence again. A kernel whose code
//! leaves none open on any path ([`Ahead`]) is not watched.

use std::sync::{Arc, Mutex, PoisonError};

use gcn_emu::observe::{Context, Dispatched, Events, Observer, WaveEnd, WaveObserver};
use gcn_emu::step::Step;
use gcn_isa::Inst;
use hashbrown::HashMap;

use crate::by_step::ByStep;
use crate::finding::{Finding, FindingKey, FindingPlace, Findings, Kind};
use crate::lint::Ahead;
use crate::vccz::{Vccz, WrongVccz};
use crate::wait_states::{HazardPart, HazardSet, MOST, TooFew};
use crate::waves::Waves;

/// The checker. See the module.
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

/// Hazard parts of the instructions of all dispatches: computing one costs more than executing the instruction many times.
#[derive(Default)]
struct KnownParts(Mutex<HashMap<Inst, HazardPart>>);

/// Instructions whose parts are kept at most.
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
            Events::NONE
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

/// An instruction at its address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct PlacedInst {
    pc: u64,
    inst: Inst,
}

/// An instruction that begins hazards.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct BegunHazards {
    at: PlacedInst,
    hazards: HazardSet,
    /// Wait states that have passed since.
    states: u8,
}

/// The past of a wave, as far as later instructions depend on it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Past {
    /// The last instructions that begin a hazard: all that later ones can end.
    begun: Vec<BegunHazards>,
    vccz: Vccz<PlacedInst>,
}

/// Number of a [`Past`]. That of a wave that begins is 0.
type PastNumber = u32;

/// Something that is wrong at an instruction.
#[derive(Clone, Debug)]
struct HazardError {
    inst: PlacedInst,
    what: HazardErrorKind,
}

#[derive(Clone, Debug)]
enum HazardErrorKind {
    /// Hazards that an earlier instruction has begun, with the wait states since.
    TooFew {
        before: PlacedInst,
        states: u8,
    },
    Vccz(WrongVccz<PlacedInst>),
}

/// The outcome of a sequence after a past.
#[derive(Clone, Debug, Default)]
struct SequenceResult {
    /// The past of what follows.
    next: PastNumber,
    wrong: Box<[HazardError]>,
}

/// A sequence of instructions: the number of its first one, and how many they are.
type Sequence = (usize, usize);

/// Pasts and the outcomes of sequences after them.
#[derive(Default)]
struct KnownSequences {
    pasts: Vec<Past>,
    numbers: HashMap<Past, PastNumber>,
    outcomes: HashMap<(PastNumber, Sequence), SequenceResult>,
}

/// Outcomes that are kept at most: there are more in no code but such as jumps about at random.
const MAX_OUTCOMES: usize = 1 << 16;

impl KnownSequences {
    /// The number of a past.
    fn number(&mut self, past: Past) -> PastNumber {
        let next = self.pasts.len() as PastNumber;
        *self.numbers.entry(past).or_insert_with_key(|past| {
            self.pasts.push(past.clone());
            next
        })
    }
}

/// The checker of one thread's waves.
struct HazardWatch {
    findings: Arc<Findings>,
    known_parts: Arc<KnownParts>,
    parts: ByStep<HazardPart>,
    known: KnownSequences,
    /// By first instruction of a sequence: its last outcome, if nothing was wrong in it.
    recent: Vec<Option<(PastNumber, usize, PastNumber)>>,
    /// The past of each wave.
    waves: Waves<PastNumber>,
}

impl HazardWatch {
    /// Works out the outcome of a sequence.
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
                    && TooFew::all(set, &before.inst, &step.inst, states)
                        .next()
                        .is_some()
                {
                    wrong.push(HazardError {
                        inst: at,
                        what: HazardErrorKind::TooFew { before, states },
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

    /// Forgets what is known, but for the pasts of waves.
    fn forget(&mut self) {
        let old = std::mem::take(&mut self.known);
        self.known.number(Past::default());
        let known = &mut self.known;
        self.waves.each(|number| {
            let past = old.pasts.get(*number as usize);
            *number = known.number(past.cloned().unwrap_or_default());
        });
        self.recent.clear();
    }

    /// Looks a sequence up, or works its outcome out, and reports what is wrong.
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
            HazardErrorKind::TooFew { before, states } => {
                let set = HazardPart::of(&inst)
                    .ends
                    .and(HazardPart::of(&before.inst).begins);
                for found in TooFew::all(set, &before.inst, &inst, *states) {
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

/// Bytes of a dword.
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
