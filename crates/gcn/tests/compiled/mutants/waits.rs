//! Waits of a code object, their mutants, and grouping of mutants into runs.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;

use gcn_isa::Isa;
use gcn_isa::simm::Waitcnt;

use super::Reason;
use super::model::{Facts, Fate, Pair, field};

/// Wait in a code object.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    /// Address, as linked.
    pub pc: u64,
    pub until: Waitcnt,
    /// True if the wait is a function's first instruction, or precedes its return.
    pub is_at_call: bool,
}

/// Values of a wait's mutants: no wait, and each relevant field weakened by one.
fn weaker(isa: Isa, until: Waitcnt) -> impl Iterator<Item = Waitcnt> {
    let max = Waitcnt::max(isa);
    let fields = [
        Waitcnt {
            vm: max.vm.min(until.vm + 1),
            ..until
        },
        Waitcnt {
            lgkm: max.lgkm.min(until.lgkm + 1),
            ..until
        },
        Waitcnt {
            exp: max.exp.min(until.exp + 1),
            ..until
        },
    ];
    let fields = fields.into_iter().filter(move |it| *it != max);
    let all = std::iter::once(max).chain(fields);
    all.filter(move |it| *it != until)
}

/// Wait that is removed or weakened, with the model's facts about it.
pub struct Mutant {
    pub wait: Wait,
    /// Values that the mutant waits for.
    pub until: Waitcnt,
    pub reason: Reason,
    /// Uses of registers that need the wait.
    pub uses: BTreeSet<Pair>,
    /// First use of each operation.
    pub first: BTreeSet<Pair>,
    /// True if LDS writes may be outstanding at a barrier. The model does not know if another wave reads them.
    pub is_of_lds: bool,
}

impl Mutant {
    /// All mutants of a wait.
    pub fn all(isa: Isa, wait: Wait, facts: &Facts) -> impl Iterator<Item = Mutant> {
        weaker(isa, wait.until).map(move |until| Mutant::new(wait, until, facts))
    }

    fn new(wait: Wait, until: Waitcnt, facts: &Facts) -> Mutant {
        let (mut uses, mut first) = (BTreeSet::new(), BTreeSet::new());
        let mut fates: BTreeSet<Fate> = BTreeSet::new();
        for ((pc, counter, level), it) in &facts.released {
            if *pc == wait.pc && *level <= field(until, *counter) {
                uses.extend(&it.uses);
                first.extend(&it.first);
                fates.extend(&it.fates);
            }
        }
        let reason = if !facts.executed.contains(&wait.pc) {
            Reason::NotExecuted
        } else if !uses.is_empty() {
            Reason::Needed
        } else {
            let of_call = wait.is_at_call.then_some(Reason::Call);
            let fates = fates.iter().map(|it| Reason::from(*it));
            fates.chain(of_call).min().unwrap_or(Reason::Nothing)
        };
        Mutant {
            wait,
            until,
            reason,
            uses,
            first,
            is_of_lds: fates.contains(&Fate::Barrier),
        }
    }
}

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mutant {
            wait,
            until,
            reason,
            ..
        } = self;
        write!(
            f,
            "{:#x} {:?} as {until:?}, {reason:?}",
            wait.pc, wait.until
        )
    }
}

/// Mutants tested in one run.
#[derive(Default)]
struct Group {
    mutants: Vec<Mutant>,
    /// Waits of the mutants, and the waits directly before or after one of these for the same operation.
    taken: HashSet<u64>,
    uses: HashSet<Pair>,
}

impl Group {
    fn takes(&self, it: &Mutant) -> bool {
        let mut all = self.mutants.last().into_iter().chain([it]);
        all.all(|it| !it.is_of_lds)
            && !self.taken.contains(&it.wait.pc)
            && it.uses.iter().all(|pair| !self.uses.contains(pair))
    }
}

/// Groups mutants for one run, so that each reported use can be attributed to one mutant:
///
/// - If a mutant no longer waits for an operation, the next wait for that operation is unmodified.
/// - No two mutants break the same pair of instructions.
/// - Mutants that break nothing are grouped separately: late memory operations must not change results.
/// - A mutant with LDS writes outstanding at a barrier is alone, since the model does not know if another wave reads
///   them.
pub fn groups(mutants: impl Iterator<Item = Mutant>, facts: &Facts) -> Vec<Vec<Mutant>> {
    let mut near: HashMap<u64, Vec<u64>> = HashMap::new();
    for (first, second) in &facts.next {
        near.entry(*first).or_default().push(*second);
        near.entry(*second).or_default().push(*first);
    }
    let (mut needed, mut others): (Vec<Group>, Vec<Group>) = Default::default();
    for it in mutants {
        let groups = if it.reason == Reason::Needed {
            &mut needed
        } else {
            &mut others
        };
        let place = groups.iter().position(|group| group.takes(&it));
        let place = place.unwrap_or_else(|| {
            groups.push(Group::default());
            groups.len() - 1
        });
        let group = &mut groups[place];
        group.taken.insert(it.wait.pc);
        group
            .taken
            .extend(near.get(&it.wait.pc).into_iter().flatten());
        group.uses.extend(&it.uses);
        group.mutants.push(it);
    }
    needed.extend(others);
    needed.into_iter().map(|it| it.mutants).collect()
}
