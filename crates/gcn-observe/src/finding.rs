//! Findings: what checkers say of a kernel, apart from how it is shown.
//!
//! A checker reports to [`Findings`], which keeps one [`Finding`] for each [`FindingKey`] and counts how often it happened. Of several
//! that have the same key it keeps that of the first wave in the order in which waves begin, so that a run on several
//! threads reports the same.

mod kinds;
mod help;
mod launch;

use std::collections::{BTreeMap, HashSet};
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

/// An instruction, as a side of a finding.
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
    /// Address of the instruction, in bytes.
    pub pc: u64,
    /// Text.
    pub text: String,
    /// The wave that executed it; `None` where code was read and not run.
    pub wave: Option<WaveId>,
    /// The lane, where one is known.
    pub lane: Option<u8>,
}

impl FindingPlace {
    /// The instruction of an event.
    pub fn of(context: &Context<'_>, instruction: &Instruction<'_>) -> FindingPlace {
        FindingPlace::new(context.pc, &instruction.step.inst, Some(context.id()))
    }

    /// An instruction by its address, and the wave that executed it.
    pub fn new(pc: u64, inst: &Inst, wave: Option<WaveId>) -> FindingPlace {
        FindingPlace {
            pc,
            text: inst.text(),
            wave,
            lane: None,
        }
    }

    /// The same, in a lane.
    #[must_use]
    pub fn lane(mut self, lane: usize) -> FindingPlace {
        self.lane = u8::try_from(lane).ok();
        self
    }

    /// The same, in a lane of an access, unless this is one access for the wave.
    #[must_use]
    pub(crate) fn lane_of(self, access: &Access, lane: usize) -> FindingPlace {
        if access.scalar { self } else { self.lane(lane) }
    }
}

/// Another side of a finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Side {
    /// Part, as `the load that writes v2`.
    pub label: String,
    /// The instruction; `None` for the host, or the kernel's start.
    pub place: Option<FindingPlace>,
}

/// The first byte of an access that a finding is about.
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
    /// The memory; [`Space::Global`] for scratch, too, where `at` is its address in device memory.
    pub space: Space,
    /// An address in device memory, or an offset in the workgroup's LDS or in GDS, in bytes.
    pub at: u64,
}

impl FindingAddress {
    /// An address in device memory: reports name its allocation.
    pub const fn global(at: u64) -> FindingAddress {
        FindingAddress {
            space: Space::Global,
            at,
        }
    }

    /// An offset in the workgroup's LDS.
    pub const fn lds(at: u64) -> FindingAddress {
        FindingAddress {
            space: Space::Lds,
            at,
        }
    }
}

/// Something that is wrong with a kernel.
///
/// # Examples
/// ```
/// use gcn_observe::finding::{Finding, FindingPlace, Kind};
/// let place = FindingPlace { pc: 0x1008, text: "v_mov_b32_e32 v3, v2".into(), wave: None, lane: None };
/// let finding = Finding { label: "reads v2".into(), ..Finding::at(Kind::MissingWait, place, "v2 may be incomplete") };
/// assert_eq!((finding.kind.name(), finding.count), ("missing-wait", 1));
/// assert_eq!((finding.kernel, finding.dispatch), (None, 0), "it was read and not run");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Kind, which has the stable name and the severity.
    pub kind: Kind,
    /// A sentence without a full stop, which names registers or memory and no place.
    pub message: String,
    /// The instruction that is wrong.
    pub place: FindingPlace,
    /// A few words about it, as `reads v2`.
    pub label: String,
    /// The other sides of a conflict.
    pub sides: Vec<Side>,
    /// The access, where there is one.
    pub address: Option<FindingAddress>,
    /// Further facts, a sentence each.
    pub notes: Vec<String>,
    /// A way to mend it.
    pub help: Option<Help>,
    /// The kernel's symbol, where it is known.
    pub kernel: Option<String>,
    /// Number of the dispatch, as observers have it.
    pub dispatch: u64,
    /// Sizes and arguments that the waves of all sides have; `None` where they are not known, or sides differ in them.
    pub launch: Option<Arc<FindingLaunch>>,
    /// Times that it happened.
    pub count: u64,
}

impl Finding {
    /// A finding that has happened once, at an instruction of an event.
    pub fn new(
        kind: Kind,
        context: &Context<'_>,
        instruction: &Instruction<'_>,
        message: impl Into<String>,
    ) -> Finding {
        Finding::at(kind, FindingPlace::of(context, instruction), message)
            .in_dispatch(context.dispatched)
    }

    /// A finding that has happened once, of the first dispatch or of none.
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

    /// The same, of a dispatch.
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

/// Findings with equal keys are one, which is counted.
///
/// # Examples
/// ```
/// use gcn_observe::finding::{FindingKey, Kind};
/// let key = FindingKey::at(Kind::LdsRace, 0x1000);
/// assert_eq!((key.kind, key.pc, key.other, key.detail), (Kind::LdsRace, 0x1000, 0, 0));
/// assert_ne!(key, FindingKey { other: 0x1010, ..key }, "another side makes it another finding");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FindingKey {
    /// Kind of the finding.
    pub kind: Kind,
    /// Address of the instruction that is wrong.
    pub pc: u64,
    /// Address of the other side's, or 0.
    pub other: u64,
    /// Anything else that tells findings apart, such as the first register.
    pub detail: u64,
}

impl FindingKey {
    /// The key of a finding that its kind and its instruction tell apart from others.
    pub fn at(kind: Kind, pc: u64) -> FindingKey {
        FindingKey {
            kind,
            pc,
            other: 0,
            detail: 0,
        }
    }
}

/// Kinds of which the second is left out where the same instructions have the first.
const COVERED: &[(Kind, Kind)] = &[
    (Kind::GlobalRace, Kind::SameValueRace),
    (Kind::LdsRace, Kind::SameValueRace),
];

/// Most findings that are kept; what is beyond them is only counted.
const MAX_FINDINGS: usize = 10_000;

#[derive(Debug, Default)]
struct KeptFindings {
    findings: BTreeMap<FindingKey, Finding>,
    /// Keys of those that [`Findings::fresh`] has not given yet.
    fresh: Vec<FindingKey>,
    /// Keys of findings that are not wanted.
    unwanted: HashSet<FindingKey>,
    /// Number of findings that count towards the limit.
    different: usize,
    /// Groups of the findings that count, see [`Findings::grouped`].
    groups: HashSet<u64>,
    /// Findings that were not kept.
    lost: u64,
}

/// Tells if a finding is not wanted.
type Unwanted = Box<dyn Fn(&Finding) -> bool + Send + Sync>;

/// Yields a number that findings of one group share.
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
/// findings.report(key, None, || unreachable!("it is described already"));
/// assert_eq!(findings.count(&key), 2);
/// let (all, lost) = findings.all();
/// assert_eq!((all.len(), all[0].count, lost), (1, 2, 0));
/// ```
pub struct Findings {
    kept: Mutex<KeptFindings>,
    /// Number of different findings at which the run stops.
    limit: usize,
    /// Set when that many were found.
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
    /// No finding. `stop` is set when there are `limit` different ones; what is found then, until the run has stopped, is not
    /// kept.
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

    /// The same, where findings for which `group` yields the same number count as one towards the limit. It is asked once for each
    /// key.
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
    /// assert_eq!((findings.all().0.len(), findings.is_full()), (3, false), "all are of one group");
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

    /// The same without findings that `is_unwanted` says yes to: they are neither kept nor counted. It is asked once for each
    /// key.
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

    /// Counts what a checker has found in a wave, and has it described where it is the first, or the first wave's. Two instructions that
    /// store the same value in one place and different ones in another have a race, and no `same-value-race` beside it.
    pub fn report(&self, key: FindingKey, wave: Option<WaveId>, make: impl FnOnce() -> Finding) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        for &(stronger, weaker) in COVERED {
            let of = |kind| FindingKey { kind, ..key };
            if key.kind == weaker && kept.findings.contains_key(&of(stronger)) {
                return;
            }
            if key.kind == stronger {
                kept.findings.remove(&of(weaker));
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
            }
        } else if kept.unwanted.contains(&key) {
            // Nobody asks for it.
        } else if size < MAX_FINDINGS && kept.different < self.limit {
            let finding = make();
            if self.unwanted.as_ref().is_some_and(|it| it(&finding)) {
                kept.unwanted.insert(key);
                return;
            }
            let group = self.group.as_ref().map(|group| group(&key, &finding));
            if group.is_none_or(|group| kept.groups.insert(group)) {
                kept.different += 1;
            }
            kept.findings.insert(key, finding);
            kept.fresh.push(key);
            if kept.different >= self.limit {
                self.stop.store(true, Relaxed);
            }
        } else {
            kept.lost += 1;
        }
    }

    /// True if there are as many as the run may have, so that it was stopped.
    pub fn is_full(&self) -> bool {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.different >= self.limit
    }

    /// True if nothing was found.
    pub fn is_empty(&self) -> bool {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.findings.is_empty()
    }

    /// True if [`Findings::fresh`] may have findings to give.
    pub fn has_fresh(&self) -> bool {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        !kept.fresh.is_empty()
    }

    /// The findings with an instruction, or another side's, of the code that `is_of` says yes to, by its address, that no call has given
    /// before. They still count, and [`Findings::count`] has how often they happen.
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
    /// assert!(findings.fresh(|pc| pc < 0x2000).is_empty(), "it is given once");
    /// assert!(findings.has_fresh(), "the other one is still to be given");
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

    /// Times that a finding has happened.
    pub fn count(&self, key: &FindingKey) -> u64 {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.findings.get(key).map_or(0, |it| it.count)
    }

    /// The findings so far, by dispatch and address, and the number of those that were not kept.
    pub fn all(&self) -> (Vec<Finding>, u64) {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<Finding> = kept.findings.values().cloned().collect();
        all.sort_by_key(|it| (it.dispatch, it.place.pc));
        (all, kept.lost)
    }
}
