//! Workgroups, and the ends of their waves in a pass.

use std::collections::{HashMap, HashSet};

use gcn_emu::observe::{Context, WaveEnd};

/// Workgroup of a run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Group {
    /// Index of the run, from 0.
    pub(crate) run: u32,
    pub(crate) group: [u32; 3],
}

/// Record of how the waves of a pass ended.
#[derive(Default)]
pub(crate) struct Ends {
    /// Address of an `s_endpgm` instruction.
    pub(crate) endpgm: Option<u64>,
    /// Maximum number of instructions that a wave of each run executed.
    longest: HashMap<u32, u64>,
    /// Number of waves of each traced workgroup that ended with `s_endpgm`.
    ended: HashMap<Group, u32>,
    /// Traced workgroups whose waves have all ended with `s_endpgm`.
    complete: HashSet<Group>,
    /// Workgroup with a wave that faulted or reached the instruction limit.
    faulty: Option<Group>,
    /// Other workgroups that were still running when the run stopped.
    stopped: HashSet<Group>,
}

impl Ends {
    /// Records the end of a wave. Returns true if that completes a traced workgroup.
    pub(crate) fn add(
        &mut self,
        context: &Context<'_>,
        group: Group,
        end: WaveEnd<'_>,
        is_traced: bool,
    ) -> bool {
        let longest = self.longest.entry(group.run).or_default();
        *longest = context.wave.executed.max(*longest);
        match end {
            WaveEnd::Program => {
                self.endpgm.get_or_insert(context.pc);
                if !is_traced {
                    return false;
                }
                let ended = self.ended.entry(group).or_default();
                *ended += 1;
                *ended == context.wave.group.waves && self.complete.insert(group)
            }
            WaveEnd::Fault(..) | WaveEnd::Limit => {
                self.faulty = Some(group);
                false
            }
            // Waves that stop because of a faulting wave are reported after that wave.
            WaveEnd::Interrupt | WaveEnd::Stopped => {
                if self.faulty != Some(group) {
                    self.stopped.insert(group);
                }
                false
            }
        }
    }

    /// True if a workgroup was stopped by the end of the run.
    pub(crate) fn is_stopped(&self, group: Group) -> bool {
        self.stopped.contains(&group)
    }

    /// Returns the maximum number of instructions that a wave of a run executed.
    pub(crate) fn longest(&self, run: u32) -> u64 {
        self.longest.get(&run).copied().unwrap_or_default()
    }

    /// True if a traced workgroup has ended, either with `s_endpgm` or with a fault as in the first pass.
    pub(crate) fn is_ended(&self, group: Group, first: &Ends) -> bool {
        let is_faulty = self.faulty == Some(group) && first.faulty == Some(group);
        is_faulty || self.complete.contains(&group)
    }
}
