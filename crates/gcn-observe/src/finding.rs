//! Findings reported by checkers, independent of their presentation.
//!
//! Checkers report to [`Findings`], which keeps one [`Finding`] per [`FindingKey`] and counts its occurrences. The kept
//! finding is that of the first wave in launch order and, among races of that wave, the one with the first other wave. The
//! result therefore does not depend on the number of threads.

mod kinds;
mod help;
mod launch;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use gcn_emu::observe::{Access, Context, Dispatched, Instruction};
use gcn_emu::wave::WaveId;
use gcn_isa::Inst;
use gcn_isa::uses::Space;

pub use help::Help;
pub use kinds::{Check, Kind, Severity};
pub use launch::FindingLaunch;

/// An instruction involved in a finding.
///
/// # Examples
/// ```
/// use gcn_asm::{Options, Source, assemble};
/// use gcn_observe::finding::FindingPlace;
/// let target = gcn_isa::Target::named("gfx900").expect("a target");
/// let program = assemble(&Source { name: "a.s", text: "s_endpgm" }, &Options::new(target)).program;
/// let listing = program.listing().next().expect("an instruction");
/// let place = FindingPlace::new(0x1000, &listing.inst, None).lane(3);
/// assert_eq!((place.pc, place.text.as_str(), place.lane), (0x1000, "s_endpgm", Some(3)));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FindingPlace {
    /// Byte address of the instruction.
    pub pc: u64,
    /// Text of the instruction.
    pub text: String,
    /// Wave that executed the instruction; `None` for static analysis.
    pub wave: Option<WaveId>,
    /// Lane, if known.
    pub lane: Option<u8>,
}

impl FindingPlace {
    /// Creates the location of an event's instruction.
    pub fn of(context: &Context<'_>, instruction: &Instruction<'_>) -> FindingPlace {
        FindingPlace::new(context.pc, &instruction.step.inst, Some(context.id()))
    }

    /// Creates the location of an instruction, given its address and the wave that executed it.
    pub fn new(pc: u64, inst: &Inst, wave: Option<WaveId>) -> FindingPlace {
        FindingPlace {
            pc,
            text: inst.text(),
            wave,
            lane: None,
        }
    }

    /// Sets the lane.
    #[must_use]
    pub fn lane(mut self, lane: usize) -> FindingPlace {
        self.lane = u8::try_from(lane).ok();
        self
    }

    /// Sets the lane, unless the wave as a whole makes the access.
    #[must_use]
    pub(crate) fn lane_of(self, access: &Access, lane: usize) -> FindingPlace {
        if access.scalar { self } else { self.lane(lane) }
    }
}

/// Another instruction or agent involved in a finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Side {
    /// Role of the instruction or agent, such as `the load that writes v2`.
    pub label: String,
    /// Location of the instruction; `None` for the host or the start of the kernel.
    pub place: Option<FindingPlace>,
}

/// First byte of the memory that a finding is about.
///
/// # Examples
/// ```
/// use gcn_isa::uses::Space;
/// use gcn_observe::finding::FindingAddress;
/// assert_eq!(FindingAddress::global(0x1000).space, Space::Global);
/// assert_eq!(FindingAddress::lds(0x10), FindingAddress { space: Space::Lds, at: 0x10 });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FindingAddress {
    /// Address space. Scratch counts as [`Space::Global`], with its address in device memory.
    pub space: Space,
    /// Address in device memory, or offset in the workgroup's LDS or in GDS.
    pub at: u64,
}

impl FindingAddress {
    /// Creates an address in device memory.
    pub const fn global(at: u64) -> FindingAddress {
        FindingAddress {
            space: Space::Global,
            at,
        }
    }

    /// Creates an offset in the workgroup's LDS.
    pub const fn lds(at: u64) -> FindingAddress {
        FindingAddress {
            space: Space::Lds,
            at,
        }
    }
}

/// A problem found in a kernel.
///
/// # Examples
/// ```
/// use gcn_observe::finding::{Finding, FindingPlace, Kind};
/// let place = FindingPlace { pc: 0x1008, text: "v_mov_b32_e32 v3, v2".into(), wave: None, lane: None };
/// let finding = Finding { label: "reads v2".into(), ..Finding::at(Kind::MissingWait, place, "v2 may be incomplete") };
/// assert_eq!((finding.kind.name(), finding.count), ("missing-wait", 1));
/// assert_eq!((finding.kernel, finding.dispatch), (None, 0), "there was no dispatch");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Kind, which determines the name and the severity.
    pub kind: Kind,
    /// Sentence without a full stop. It names registers or memory, but no source location.
    pub message: String,
    /// Offending instruction.
    pub place: FindingPlace,
    /// Short label for the instruction, such as `reads v2`.
    pub label: String,
    /// Other sides of a conflict.
    pub sides: Vec<Side>,
    /// First byte of the memory that the finding is about, if any.
    pub address: Option<FindingAddress>,
    /// Additional facts, one sentence each.
    pub notes: Vec<String>,
    /// Suggested fix.
    pub help: Option<Help>,
    /// Symbol of the kernel, if known.
    pub kernel: Option<String>,
    /// Dispatch number, as passed to observers.
    pub dispatch: u64,
    /// Launch of the waves involved; `None` if it is unknown or differs between the sides.
    pub launch: Option<Arc<FindingLaunch>>,
    /// Number of occurrences.
    pub count: u64,
}

impl Finding {
    /// Creates a finding with one occurrence at the instruction of an event.
    pub fn new(
        kind: Kind,
        context: &Context<'_>,
        instruction: &Instruction<'_>,
        message: impl Into<String>,
    ) -> Finding {
        Finding::at(kind, FindingPlace::of(context, instruction), message)
            .in_dispatch(context.dispatched)
    }

    /// Creates a finding with one occurrence, in dispatch 0 and without a known kernel.
    pub fn at(kind: Kind, place: FindingPlace, message: impl Into<String>) -> Finding {
        Finding {
            kind,
            message: message.into(),
            place,
            label: String::new(),
            sides: Vec::new(),
            address: None,
            notes: Vec::new(),
            help: None,
            kernel: None,
            dispatch: 0,
            launch: None,
            count: 1,
        }
    }

    /// Sets the kernel, dispatch and launch.
    #[must_use]
    pub fn in_dispatch(self, dispatched: &Dispatched<'_>) -> Finding {
        Finding {
            kernel: dispatched.dispatch.kernel.clone(),
            dispatch: dispatched.id,
            launch: Some(Arc::new(FindingLaunch::of(dispatched))),
            ..self
        }
    }
}

/// Identity of a finding. Findings with equal keys are merged and counted.
///
/// # Examples
/// ```
/// use gcn_observe::finding::{FindingKey, Kind};
/// let key = FindingKey::at(Kind::LdsRace, 0x1000);
/// assert_eq!((key.kind, key.pc, key.other, key.detail), (Kind::LdsRace, 0x1000, 0, 0));
/// assert_ne!(key, FindingKey { other: 0x1010, ..key }, "a different side makes a different finding");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FindingKey {
    /// Kind of the finding.
    pub kind: Kind,
    /// Address of the offending instruction.
    pub pc: u64,
    /// Address of the instruction on the other side, or 0.
    pub other: u64,
    /// Further discriminator, such as the first register.
    pub detail: u64,
}

impl FindingKey {
    /// Creates the key of a finding identified by its kind and instruction alone.
    pub fn at(kind: Kind, pc: u64) -> FindingKey {
        FindingKey {
            kind,
            pc,
            other: 0,
            detail: 0,
        }
    }
}

/// Pairs of kinds. The second is dropped if the first is found for the same instructions.
const COVERED: &[(Kind, Kind)] = &[
    (Kind::GlobalRace, Kind::SameValueRace),
    (Kind::LdsRace, Kind::SameValueRace),
];

/// Kinds whose occurrences for one wave are reported in any order, since either wave may detect them.
const UNORDERED: &[Kind] = &[Kind::GlobalRace, Kind::SameValueRace];

/// Sort key for findings with the same wave and key: dispatch, other waves, address and lanes.
fn order(finding: &Finding) -> impl Ord + use<> {
    let places = finding.sides.iter().map(|side| side.place.as_ref());
    let waves = places.clone().map(|place| Some(place?.wave?.rank()));
    let lane = |place: Option<&FindingPlace>| place.and_then(|it| it.lane).unwrap_or(u8::MAX);
    let address = finding.address.map(|it| it.at);
    let lanes: Vec<u8> = std::iter::once(Some(&finding.place))
        .chain(places)
        .map(lane)
        .collect();
    (finding.dispatch, waves.collect::<Vec<_>>(), address, lanes)
}

/// Maximum number of findings kept. Further ones are only counted.
const MAX_FINDINGS: usize = 10_000;

#[derive(Debug, Default)]
struct KeptFindings {
    findings: BTreeMap<FindingKey, Finding>,
    /// Keys of findings that [`Findings::fresh`] has not returned yet.
    fresh: Vec<FindingKey>,
    /// Keys of suppressed findings.
    unwanted: HashSet<FindingKey>,
    /// Keys of the findings in each group; see [`Findings::grouped`].
    groups: HashMap<u64, HashSet<FindingKey>>,
    /// Number of occurrences of findings that were not kept.
    lost: u64,
}

/// Predicate for findings to suppress.
type Unwanted = Box<dyn Fn(&Finding) -> bool + Send + Sync>;

/// Function from findings to group numbers.
type Group = Box<dyn Fn(&FindingKey, &Finding) -> u64 + Send + Sync>;

/// Findings of all checkers of a run.
///
/// # Examples
/// ```
/// use gcn_observe::finding::{Finding, FindingKey, FindingPlace, Findings, Kind};
/// let findings = Findings::default();
/// assert!(findings.is_empty());
/// let key = FindingKey::at(Kind::MissingWait, 0x1008);
/// findings.report(key, None, || {
///     let place = FindingPlace { pc: key.pc, text: "v_mov_b32_e32 v3, v2".into(), wave: None, lane: None };
///     Finding::at(key.kind, place, "v2 may be incomplete")
/// });
/// findings.report(key, None, || unreachable!("the finding has a description"));
/// assert_eq!(findings.count(&key), 2);
/// let (all, lost) = findings.all();
/// assert_eq!((all.len(), all[0].count, lost), (1, 2, 0));
/// ```
pub struct Findings {
    kept: Mutex<KeptFindings>,
    /// Number of different findings at which the run stops.
    limit: usize,
    /// Set when the limit is reached.
    stop: Arc<AtomicBool>,
    unwanted: Option<Unwanted>,
    group: Option<Group>,
}

impl fmt::Debug for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Findings { kept, limit, .. } = self;
        let mut debug = f.debug_struct("Findings");
        debug.field("kept", kept).field("limit", limit);
        debug.finish_non_exhaustive()
    }
}

impl Default for Findings {
    fn default() -> Findings {
        Findings::new(usize::MAX, Arc::default())
    }
}

impl Findings {
    /// Creates an empty set. `stop` is set when there are `limit` different findings; later ones are not kept.
    ///
    /// # Examples
    /// ```
    /// # use gcn_observe::finding::{Finding, FindingKey, FindingPlace, Findings, Kind};
    /// # fn finding(key: FindingKey) -> Finding {
    /// #     Finding::at(key.kind, FindingPlace { pc: key.pc, text: String::new(), wave: None, lane: None }, "")
    /// # }
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    /// let stop = Arc::new(AtomicBool::new(false));
    /// let findings = Findings::new(2, stop.clone());
    /// for pc in [0x1000, 0x1004, 0x1008] {
    ///     let key = FindingKey::at(Kind::MissingWait, pc);
    ///     findings.report(key, None, || finding(key));
    /// }
    /// assert!(findings.is_full() && stop.load(Relaxed));
    /// let (kept, lost) = findings.all();
    /// assert_eq!((kept.len(), lost), (2, 1));
    /// ```
    pub fn new(limit: usize, stop: Arc<AtomicBool>) -> Findings {
        Findings {
            kept: Mutex::default(),
            limit,
            stop,
            unwanted: None,
            group: None,
        }
    }

    /// Counts all findings for which `group` returns the same number as one towards the limit.
    ///
    /// # Examples
    /// ```
    /// # use gcn_observe::finding::{Finding, FindingKey, FindingPlace, Findings, Kind};
    /// # fn finding(key: FindingKey) -> Finding {
    /// #     Finding::at(key.kind, FindingPlace { pc: key.pc, text: String::new(), wave: None, lane: None }, "")
    /// # }
    /// let findings = Findings::new(2, Default::default()).grouped(|key, _| key.pc >> 8);
    /// for pc in [0x1000, 0x1004, 0x1008] {
    ///     let key = FindingKey::at(Kind::LdsRace, pc);
    ///     findings.report(key, None, || finding(key));
    /// }
    /// assert_eq!((findings.all().0.len(), findings.is_full()), (3, false), "all belong to one group");
    /// ```
    #[must_use]
    pub fn grouped(
        self,
        group: impl Fn(&FindingKey, &Finding) -> u64 + Send + Sync + 'static,
    ) -> Findings {
        Findings {
            group: Some(Box::new(group)),
            ..self
        }
    }

    /// Suppresses findings for which `is_unwanted` returns true: they are neither kept nor counted. `is_unwanted` is
    /// called at most once per key.
    ///
    /// # Examples
    /// ```
    /// # use gcn_observe::finding::{Finding, FindingKey, FindingPlace, Findings, Kind};
    /// # fn finding(key: FindingKey) -> Finding {
    /// #     Finding::at(key.kind, FindingPlace { pc: key.pc, text: String::new(), wave: None, lane: None }, "")
    /// # }
    /// let findings = Findings::default().without(|finding| finding.kind == Kind::EarlyEnd);
    /// for kind in [Kind::EarlyEnd, Kind::LdsRace] {
    ///     let key = FindingKey::at(kind, 0x1000);
    ///     findings.report(key, None, || finding(key));
    /// }
    /// let kinds: Vec<Kind> = findings.all().0.iter().map(|finding| finding.kind).collect();
    /// assert_eq!(kinds, [Kind::LdsRace]);
    /// ```
    #[must_use]
    pub fn without(
        self,
        is_unwanted: impl Fn(&Finding) -> bool + Send + Sync + 'static,
    ) -> Findings {
        Findings {
            unwanted: Some(Box::new(is_unwanted)),
            ..self
        }
    }

    /// Counts an occurrence, and calls `make` to describe it if it is the first one or may precede the one that is kept.
    /// A `global-race` or `lds-race` replaces a `same-value-race` between the same instructions.
    pub fn report(&self, key: FindingKey, wave: Option<WaveId>, make: impl FnOnce() -> Finding) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        for &(stronger, weaker) in COVERED {
            let of = |kind| FindingKey { kind, ..key };
            let stronger_key = of(stronger);
            if key.kind == weaker
                && (kept.findings.contains_key(&stronger_key)
                    || kept.unwanted.contains(&stronger_key))
            {
                return;
            }
            if key.kind == stronger && kept.findings.remove(&of(weaker)).is_some() {
                kept.groups.retain(|_, keys| {
                    keys.remove(&of(weaker));
                    !keys.is_empty()
                });
            }
        }
        let size = kept.findings.len();
        if let Some(finding) = kept.findings.get_mut(&key) {
            finding.count += 1;
            let count = finding.count;
            let is_earlier = match (wave, finding.place.wave) {
                (Some(wave), Some(other)) => wave.rank() < other.rank(),
                _ => false,
            };
            if is_earlier {
                *finding = Finding { count, ..make() };
            } else if UNORDERED.contains(&key.kind) && wave == finding.place.wave {
                let other = make();
                if order(&other) < order(finding) {
                    *finding = Finding { count, ..other };
                }
            }
        } else if kept.unwanted.contains(&key) {
            // The finding is suppressed.
        } else if size < MAX_FINDINGS && self.different(&kept) < self.limit {
            let finding = make();
            if self.unwanted.as_ref().is_some_and(|it| it(&finding)) {
                kept.unwanted.insert(key);
                return;
            }
            if let Some(group) = &self.group {
                let group = kept.groups.entry(group(&key, &finding)).or_default();
                group.insert(key);
            }
            kept.findings.insert(key, finding);
            kept.fresh.push(key);
            if self.different(&kept) >= self.limit {
                self.stop.store(true, Relaxed);
            }
        } else {
            kept.lost += 1;
        }
    }

    /// True if the limit has been reached, which stops the run.
    pub fn is_full(&self) -> bool {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        self.different(&kept) >= self.limit
    }

    /// Returns the number of findings, or of their groups, that counts towards the limit.
    fn different(&self, kept: &KeptFindings) -> usize {
        match self.group {
            Some(_) => kept.groups.len(),
            None => kept.findings.len(),
        }
    }

    /// True if there are no findings.
    pub fn is_empty(&self) -> bool {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.findings.is_empty()
    }

    /// True if [`Findings::fresh`] may return any findings.
    pub fn has_fresh(&self) -> bool {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        !kept.fresh.is_empty()
    }

    /// Returns the findings with an instruction, on either side, at an address that `is_of` accepts, except those that
    /// an earlier call has returned. Later occurrences are still counted; see [`Findings::count`].
    ///
    /// # Examples
    /// ```
    /// # use gcn_observe::finding::{Finding, FindingKey, FindingPlace, Findings, Kind};
    /// # fn finding(key: FindingKey) -> Finding {
    /// #     Finding::at(key.kind, FindingPlace { pc: key.pc, text: String::new(), wave: None, lane: None }, "")
    /// # }
    /// let findings = Findings::default();
    /// for pc in [0x1000, 0x2000] {
    ///     let key = FindingKey::at(Kind::MissingWait, pc);
    ///     findings.report(key, None, || finding(key));
    /// }
    /// let new = findings.fresh(|pc| pc < 0x2000);
    /// assert_eq!((new.len(), new[0].0.pc), (1, 0x1000));
    /// assert!(findings.fresh(|pc| pc < 0x2000).is_empty(), "each finding is returned once");
    /// assert!(findings.has_fresh(), "the other one has not been returned");
    /// ```
    pub fn fresh(&self, is_of: impl Fn(u64) -> bool) -> Vec<(FindingKey, Finding)> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let KeptFindings {
            findings, fresh, ..
        } = &mut *kept;
        let given = fresh.extract_if(.., |key| {
            is_of(key.pc) || key.other != 0 && is_of(key.other)
        });
        let mut given: Vec<_> = given
            .filter_map(|key| Some((key, findings.get(&key)?.clone())))
            .collect();
        given.sort_by_key(|(key, finding)| (finding.dispatch, key.pc, *key));
        given
    }

    /// Returns the number of occurrences of a finding.
    pub fn count(&self, key: &FindingKey) -> u64 {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.findings.get(key).map_or(0, |it| it.count)
    }

    /// Returns the findings so far, sorted by dispatch and address, and the number of occurrences of those not kept.
    pub fn all(&self) -> (Vec<Finding>, u64) {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<Finding> = kept.findings.values().cloned().collect();
        all.sort_by_key(|it| (it.dispatch, it.place.pc));
        (all, kept.lost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_waves_of_a_race_are_named_in_any_order() {
        let wave = |x| WaveId {
            group: [x, 0, 0],
            wave: 0,
        };
        let place = |x| FindingPlace {
            pc: 0x1000,
            text: String::new(),
            wave: Some(wave(x)),
            lane: None,
        };
        let key = FindingKey::at(Kind::GlobalRace, 0x1000);
        let mut races = [
            (2, 1, 0x100),
            (2, 1, 0x200),
            (2, 3, 0),
            (4, 0, 0),
            (2, 1, 0x300),
        ];
        for _ in 0..races.len() {
            races.rotate_left(1);
            let findings = Findings::default();
            for (own, other, at) in races {
                findings.report(key, Some(wave(own)), || {
                    let mut finding = Finding::at(key.kind, place(own), "");
                    finding.address = Some(FindingAddress::global(at));
                    finding.sides.push(Side {
                        label: String::new(),
                        place: Some(place(other)),
                    });
                    finding
                });
            }
            let found = findings.all().0.remove(0);
            let other = found.sides[0].place.as_ref().and_then(|it| it.wave);
            assert_eq!((found.place.wave, other), (Some(wave(2)), Some(wave(1))));
            assert_eq!(found.address, Some(FindingAddress::global(0x100)));
            assert_eq!(found.count, 5);
        }
    }

    #[test]
    fn a_suppressed_race_covers_a_weaker_one_in_any_order() {
        let findings = Findings::default().without(|finding| finding.kind == Kind::GlobalRace);
        for kind in [Kind::SameValueRace, Kind::GlobalRace, Kind::SameValueRace] {
            let place = FindingPlace {
                pc: 0x1000,
                text: String::new(),
                wave: None,
                lane: None,
            };
            findings.report(FindingKey::at(kind, place.pc), None, || {
                Finding::at(kind, place.clone(), "")
            });
        }
        assert!(findings.is_empty());
    }

    #[test]
    fn a_race_that_replaces_a_weaker_one_counts_once() {
        let place = |pc| FindingPlace {
            pc,
            text: String::new(),
            wave: None,
            lane: None,
        };
        let limited = || Findings::new(2, Arc::default());
        let group = |key: &FindingKey, _: &Finding| key.pc + key.kind as u64;
        for findings in [limited(), limited().grouped(group)] {
            let report = |kind, pc| {
                let key = FindingKey::at(kind, pc);
                findings.report(key, None, || Finding::at(kind, place(pc), ""));
            };
            report(Kind::SameValueRace, 0x1000);
            report(Kind::GlobalRace, 0x1000);
            assert!(!findings.is_full());
            report(Kind::SameValueRace, 0x1000);
            assert!(!findings.is_full());
            report(Kind::GlobalRace, 0x2000);
            assert!(findings.is_full());
            let (all, lost) = findings.all();
            let all: Vec<_> = all.iter().map(|it| (it.kind, it.place.pc)).collect();
            let expected = [(Kind::GlobalRace, 0x1000), (Kind::GlobalRace, 0x2000)];
            assert_eq!((&all[..], lost), (&expected[..], 0));
        }
    }
}
