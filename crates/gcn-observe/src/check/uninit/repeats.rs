//! Accesses of LDS that a wave repeats.
//!
//! Loops over tiles access the same bytes of LDS again and again, at addresses in the same register. What was found defined
//! stays so until something undefined is stored: then a look at the register says that there is nothing to look at.

use gcn_emu::observe::Context;
use gcn_emu::step::{Family, MemoryPlan, Step};
use gcn_emu::wave::Lanes;
use gcn_isa::Does;

/// An access that has found, or left, all its bytes defined.
#[derive(Debug)]
struct Repeat {
    step: usize,
    key: RepeatKey,
    addresses: Lanes,
    /// The number that these have as bases of a [`ShareAccess`], if it is known.
    ///
    /// [`ShareAccess`]: gcn_emu::observe::ShareAccess
    bases_number: Option<u64>,
    /// Times that the addresses were others, less those that they were the same.
    misses: u8,
}

/// All but the addresses that decides which bytes are accessed, and the state of LDS.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct RepeatKey {
    exec: u64,
    m0: u32,
    version: u64,
}

/// Accesses of a wave that has its turn.
#[derive(Debug, Default)]
pub(super) struct Repeats {
    list: Vec<Repeat>,
    /// Place of the one that was asked for last: code comes in the same order again.
    at: usize,
}

/// Accesses that are remembered at most.
const MOST: usize = 64;
/// Misses after which an access is not remembered any more.
const TOO_MANY: u8 = 8;

/// The register of addresses of an access that may be repeated.
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
    /// Forgets all.
    pub(super) fn begin(&mut self) {
        self.list.clear();
    }

    /// The place of an instruction.
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

    /// True if an access is one that was noted for this version of LDS; its bases may have a number.
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

    /// Notes an access all of whose bytes are defined now.
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
