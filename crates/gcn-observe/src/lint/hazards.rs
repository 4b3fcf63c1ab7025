//! Hazards that may be open on some path: those that recent instructions began, with the minimum number of wait states
//! since then, and wrong values of VCCZ.

use crate::finding::{FindingKey, FindingPlace, Kind};
use crate::vccz::Vccz;
use crate::wait_states::{MOST, MissingWaitStates};

use super::program::LintProgram;
use super::report::FindingSink;

/// An instruction that began a hazard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Begun {
    step: u32,
    /// Minimum number of wait states since then.
    states: u8,
}

/// Hazards that may be open.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct OpenHazards {
    begun: Vec<Begun>,
    vccz: Vccz<u32>,
}

impl OpenHazards {
    /// Joins the hazards of another path. Returns true if this state changed.
    pub(super) fn join(&mut self, other: &OpenHazards) -> bool {
        let mut grown = self.vccz.join(&other.vccz);
        for theirs in &other.begun {
            match self.begun.iter_mut().find(|it| it.step == theirs.step) {
                Some(ours) if ours.states <= theirs.states => {}
                Some(ours) => {
                    ours.states = theirs.states;
                    grown = true;
                }
                None => {
                    self.begun.push(*theirs);
                    grown = true;
                }
            }
        }
        grown
    }

    /// Updates the state for an instruction. If there is a sink, reports the hazards that the instruction violates.
    pub(super) fn step(
        &mut self,
        program: &LintProgram<'_>,
        number: u32,
        to: Option<&FindingSink<'_>>,
    ) {
        let step = program.step(number);
        for begun in &self.begun {
            let Some(report) = to else { break };
            let before = program.step(begun.step);
            let set = step.part.ends.and(before.part.begins);
            if set.is_empty() {
                continue;
            }
            for found in MissingWaitStates::all(set, &before.inst, &step.inst, begun.states) {
                let key = FindingKey {
                    kind: Kind::MissingWaitStates,
                    pc: step.pc,
                    other: before.pc,
                    detail: found.hazard as u64,
                };
                report.add(key, || {
                    found.finding(
                        FindingPlace::new(step.pc, &step.inst, None),
                        FindingPlace::new(before.pc, &before.inst, None),
                    )
                });
            }
        }
        if let Some(wrong) = self.vccz.step(step.part.vccz, number)
            && let Some(report) = to
        {
            let before = program.step(wrong.because);
            let key = FindingKey {
                kind: Kind::WrongVccz,
                pc: step.pc,
                other: before.pc,
                detail: 0,
            };
            report.add(key, || {
                wrong.finding(
                    FindingPlace::new(step.pc, &step.inst, None),
                    &before.inst,
                    FindingPlace::new(before.pc, &before.inst, None),
                )
            });
        }
        self.begun.retain_mut(|it| {
            it.states = it.states.saturating_add(step.part.states);
            it.states < MOST && it.step != number
        });
        if !step.part.begins.is_empty() {
            self.begun.push(Begun {
                step: number,
                states: 0,
            });
        }
    }
}
