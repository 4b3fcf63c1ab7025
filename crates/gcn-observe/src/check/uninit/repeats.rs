//! Cache of LDS accesses that read or wrote only defined bytes.
//!
//! Tiled loops access the same LDS bytes in each iteration, with the same addresses. Defined bytes remain defined until
//! undefined bits are stored, so comparing the address register and the version of the shadow suffices.

use gcn_emu::observe::Context;
use gcn_emu::step::{Family, MemoryPlan, Step};
use gcn_emu::wave::Lanes;
use gcn_isa::Does;

/// A cached access.
#[derive(Debug)]
struct Repeat {
    step: usize,
    key: RepeatKey,
    addresses: Lanes,
    /// [`bases_number`] of the last hit, if known.
    ///
    /// [`bases_number`]: gcn_emu::observe::ShareAccess::bases_number
    bases_number: Option<u64>,
    /// Saturating counter, incremented by misses and decremented by hits.
    misses: u8,
}

/// Other state on which the accessed bytes depend, and the version of the LDS shadow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct RepeatKey {
    exec: u64,
    m0: u32,
    version: u64,
}

/// Cached accesses of a wave.
#[derive(Debug, Default)]
pub(super) struct Repeats {
    list: Vec<Repeat>,
    /// Index of the entry found last. The next lookup tries the following entry first, since loops repeat the order.
    at: usize,
}

/// Maximum number of cached accesses.
const MOST: usize = 64;
/// Value of [`Repeat::misses`] above which an entry is no longer updated.
const TOO_MANY: u8 = 8;

/// Returns the address register of an access, if the access can be cached.
fn addresses(plan: &MemoryPlan) -> Option<u8> {
    let accesses_memory = matches!(
        plan.does,
        Does::Load(_) | Does::LoadTwo(..) | Does::Store(_) | Does::StoreTwo(..) | Does::Atomic(..)
    );
    (plan.family == Family::Share && accesses_memory && !plan.gds)
        .then_some(plan.vaddr)
        .flatten()
}

impl Repeats {
    pub(super) fn begin(&mut self) {
        self.list.clear();
    }

    fn find(&mut self, step: usize) -> Option<usize> {
        let next = self.at + 1;
        let is_it = |place: usize| self.list.get(place).is_some_and(|it| it.step == step);
        let place = if is_it(next) {
            next
        } else {
            self.list.iter().position(|it| it.step == step)?
        };
        self.at = place;
        Some(place)
    }

    fn key(context: &Context<'_>, exec: u64, version: u64) -> RepeatKey {
        RepeatKey {
            exec,
            m0: context.wave.m0(),
            version,
        }
    }

    /// True if the access is cached. `version` is that of the LDS shadow; `bases_number` is `None` if unknown.
    pub(super) fn has(
        &mut self,
        context: &Context<'_>,
        step: &Step,
        exec: u64,
        version: u64,
        bases_number: Option<u64>,
    ) -> bool {
        let register = step.memory.as_deref().and_then(addresses);
        let (Some(register), Some(place)) = (register, self.find(step.index)) else {
            return false;
        };
        let it = &mut self.list[place];
        let has_number = bases_number.is_some() && it.bases_number == bases_number;
        let is_same = it.key == Self::key(context, exec, version)
            && (has_number || it.addresses == *context.wave.vgpr(register));
        if is_same {
            it.bases_number = bases_number;
        }
        it.misses = match is_same {
            true => it.misses.saturating_sub(1),
            false => it.misses.saturating_add(1),
        };
        is_same
    }

    /// Caches an access after which all accessed bytes are defined.
    pub(super) fn note(&mut self, context: &Context<'_>, step: &Step, exec: u64, version: u64) {
        let Some(register) = step.memory.as_deref().and_then(addresses) else {
            return;
        };
        let key = Self::key(context, exec, version);
        let addresses = *context.wave.vgpr(register);
        match self.find(step.index) {
            Some(place) if self.list[place].misses > TOO_MANY => {}
            Some(place) => {
                let it = &mut self.list[place];
                it.key = key;
                it.addresses = addresses;
                it.bases_number = None;
            }
            None if self.list.len() < MOST => {
                self.at = self.list.len();
                self.list.push(Repeat {
                    step: step.index,
                    key,
                    addresses,
                    bases_number: None,
                    misses: 0,
                });
            }
            None => {}
        }
    }
}
