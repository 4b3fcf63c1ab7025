//! Finds the memory access that a question about an address refers to.

use super::facts::Class;
use super::groups::Group;
use super::trace::{GDS, Instance, LDS, NO_LANE, Trace};
use crate::program::Program;
use crate::view::NamedBuffer;
use crate::why_request::{AccessChoice, AccessKey, AccessPlace};

/// Returns the access that `place` selects, or `None` if there is none or its workgroup is not traced.
pub(super) fn find(
    trace: &Trace,
    place: &AccessPlace,
    program: &Program,
    buffers: &[NamedBuffer],
) -> Option<Instance> {
    match place.access {
        AccessChoice::At(pc) => {
            let mut all = accesses(trace, place).rev();
            all.find(|it| trace.facts(*it).pc == pc)
        }
        AccessChoice::LastStore => {
            let mut all = accesses(trace, place).rev();
            all.find(|it| writes_buffer(trace, *it, place.lane, buffers))
        }
        AccessChoice::Like(key) => {
            let alike = |with_line: bool| {
                let is_alike = move |it: &Instance| {
                    let facts = trace.facts(*it);
                    (facts.does, !facts.has_exec()) == (key.does, key.is_scalar)
                        && (!with_line || line(trace, *it, program) == key.line)
                };
                let all: Vec<Instance> = accesses(trace, place).filter(is_alike).collect();
                all.get(key.before).or(all.last()).copied()
            };
            alike(true).or_else(|| alike(false))
        }
    }
}

/// Returns the key for finding the counterpart of an access in the other run.
pub(super) fn key(
    trace: &Trace,
    at: Instance,
    place: &AccessPlace,
    program: &Program,
) -> AccessKey {
    let identity = |it: Instance| {
        let facts = trace.facts(it);
        AccessKey {
            does: facts.does,
            is_scalar: !facts.has_exec(),
            line: line(trace, it, program),
            before: 0,
        }
    };
    let own = identity(at);
    let before = accesses(trace, place).filter(|it| *it < at && identity(*it) == own);
    AccessKey {
        before: before.count(),
        ..own
    }
}

/// Returns the accesses of a lane, or of the whole wave if `place` has no lane, in execution order.
fn accesses<'a>(
    trace: &'a Trace,
    place: &AccessPlace,
) -> impl DoubleEndedIterator<Item = Instance> + 'a {
    let lane = place.lane.unwrap_or(NO_LANE);
    let end = trace.end_of((place.run, place.wave));
    let all = end.map_or(0..0, |it| 0..it.at);
    let all = all.filter_map(move |at| end.map(|end| Instance { wave: end.wave, at }));
    all.filter(move |it| {
        let facts = trace.facts(*it);
        let is_active =
            usize::from(lane) >= 64 || !facts.has_exec() || trace.record(*it).exec >> lane & 1 != 0;
        facts.class == Class::Memory && is_active
    })
}

fn line(trace: &Trace, at: Instance, program: &Program) -> Option<u32> {
    let location = program.location(trace.facts(at).pc);
    location.line.map(|it| it.line)
}

fn writes_buffer(trace: &Trace, at: Instance, lane: Option<u8>, buffers: &[NamedBuffer]) -> bool {
    trace.units(trace.record(at)).iter().any(|unit| {
        let is_global = unit.address & (LDS | GDS) == 0;
        let is_of_lane = lane.is_none_or(|it| unit.is_of(it));
        let is_named = || {
            let mut buffers = buffers.iter();
            buffers.any(|it| unit.address.wrapping_sub(it.address) < it.bytes)
        };
        unit.is_written && is_global && is_of_lane && is_named()
    })
}

impl AccessPlace {
    pub(super) fn group(&self) -> Group {
        Group {
            run: self.run,
            group: self.wave.group,
        }
    }
}
