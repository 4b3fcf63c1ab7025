//! Accesses beyond what they are made for: outside of allocations, LDS, scratch and buffers, stores to what may only be
//! read, and loads from what may only be written.
//!
//! Where hardware, and the run, would fault, the fault comes behind the finding. Where hardware loads 0 and drops stores, the
//! run goes on.

use gcn_emu::fault::Intent;
use gcn_emu::memory::Memory;
use gcn_emu::observe::{Access, Context, LaneSpace, MemoryEvent, ShareAccess};
use gcn_emu::run::{AccessRule, Restricted};
use gcn_emu::step::{Family, Step};
use gcn_isa::{Encoding, Isa};
use std::ops::Range;

use crate::filter::lanes;
use crate::finding::{Finding, FindingKey, Findings, Kind};
use crate::nearest::nearest;

/// A byte that is out of bounds.
struct Outside {
    kind: Kind,
    lane: usize,
    message: String,
    address: Option<u64>,
    notes: Vec<String>,
}

impl Outside {
    fn new(kind: Kind, lane: usize, message: String) -> Outside {
        Outside {
            kind,
            lane,
            message,
            address: None,
            notes: Vec::new(),
        }
    }
}

fn verb(intent: Intent) -> &'static str {
    match intent {
        Intent::Load => "loads",
        Intent::Store => "stores",
        Intent::Atomic => "updates",
    }
}

/// The kind of an access that a rule forbids, and the rule in words.
fn broken(rule: AccessRule) -> (Kind, &'static str) {
    match rule {
        AccessRule::ArgumentsRead => (Kind::StoreToReadOnly, "every argument only reads"),
        AccessRule::ReadOnly => (Kind::StoreToReadOnly, "was made for kernels to read only"),
        AccessRule::WriteOnly => (
            Kind::LoadFromWriteOnly,
            "was made for kernels to write only",
        ),
    }
}

/// Bytes of a lane's access.
struct Extent {
    first: u64,
    bytes: u64,
}

impl Extent {
    fn last(&self) -> u64 {
        self.first.saturating_add(self.bytes.saturating_sub(1))
    }
}

/// Global memory, with the allocation that was found last.
struct LastAllocation<'a> {
    memory: &'a Memory,
    range: Range<u64>,
}

impl LastAllocation<'_> {
    /// True if one allocation, or one range of the host's, holds all bytes.
    fn holds(&mut self, it: &Extent) -> bool {
        if self.range.contains(&it.first) && self.range.contains(&it.last()) {
            return true;
        }
        if let Some((region, offset)) = self.memory.find(it.first, it.bytes) {
            let base = it.first - offset;
            self.range = base..base + region.len();
            return true;
        }
        let range = self.memory.nearest(it.first).filter(|it| !it.is_freed);
        let Some(range) = range.map(|it| it.base..it.base + it.len) else {
            return false;
        };
        let holds = range.contains(&it.first) && range.contains(&it.last());
        if holds {
            self.range = range;
        }
        holds
    }
}

/// Bytes of LDS that an instruction may reach: those that were asked for, and up to GCN 1.2 those below M0 (errata E035);
/// and words that say which.
fn lds_limit(context: &Context<'_>, step: &Step) -> (u64, &'static str) {
    let asked = u64::from(context.dispatched.dispatch.lds_bytes);
    let is_share = step.inst.encoding == Encoding::Ds;
    let m0 = u64::from(context.wave.m0());
    if context.wave.isa < Isa::Gfx9 && is_share && m0 < asked {
        (m0, " that M0 allows")
    } else {
        (asked, "")
    }
}

/// An access of a wave.
struct Look<'a, 'e> {
    context: &'a Context<'a>,
    event: &'a MemoryEvent<'e>,
    intent: Intent,
}

impl Look<'_, '_> {
    fn access(&self) -> &Access {
        self.event.access()
    }

    fn bytes(&self) -> u64 {
        let access = self.access();
        let plan = self.event.instruction.step.memory.as_deref();
        match plan {
            Some(plan) if plan.family.is_scalar() => {
                4 * u64::from(access.dwords_in_bounds.min(plan.ty.dwords()))
            }
            _ => access.bytes.into(),
        }
    }

    /// The first byte that is out of bounds.
    fn outside(&self) -> Option<Outside> {
        self.lds()
            .or_else(|| self.descriptor())
            .or_else(|| self.scratch())
            .or_else(|| self.global())
    }

    fn lds(&self) -> Option<Outside> {
        let access = self.access();
        if access.lds == 0 && access.to_lds.is_none() {
            return None;
        }
        let (limit, which) = lds_limit(self.context, self.event.instruction.step);
        let bytes = self.bytes();
        if let Some((_, last)) = access.range(access.lds)
            && access.to_lds.is_none()
            && last.saturating_add(bytes) <= limit
        {
            return None;
        }
        let at = |lane: usize, place: u64, bytes: u64| {
            (place.saturating_add(bytes) > limit).then(|| {
                let verb = verb(self.intent);
                let message =
                    format!("{verb} {bytes} bytes at {place:#x} of {limit} bytes of LDS{which}");
                Outside::new(Kind::LdsOutOfBounds, lane, message)
            })
        };
        let copied = lanes(access.lanes()).filter(|_| access.to_lds.is_some());
        let mut copied = copied.map(|lane| (lane, access.place_in_lds(lane), 4));
        let elements = lanes(access.lds).flat_map(|lane| {
            let second = (access.elements > 1).then(|| access.second[lane]);
            let places = std::iter::once(access.address[lane]).chain(second);
            places.map(move |place| (lane, place, bytes))
        });
        let mut elements = elements;
        elements
            .find_map(|(lane, place, bytes)| at(lane, place, bytes))
            .or_else(|| copied.find_map(|(lane, place, bytes)| at(lane, place, bytes)))
    }

    /// Descriptors, of scalar memory too.
    fn descriptor(&self) -> Option<Outside> {
        let access = self.access();
        let plan = self.event.instruction.step.memory.as_deref()?;
        let verb = verb(self.intent);
        if plan.family == Family::ScalarBuffer && access.dwords_in_bounds < plan.ty.dwords() {
            let message = format!(
                "{verb} {} dwords, of which the descriptor has {}",
                plan.ty.dwords(),
                access.dwords_in_bounds
            );
            return Some(Outside::new(Kind::BufferOutOfBounds, 0, message));
        }
        let bytes = self.bytes();
        let is_out = |lane: &usize| {
            access.place(*lane, 0).is_none()
                || access.place(*lane, bytes.saturating_sub(1)).is_none()
        };
        let lane = lanes(access.buffer).find(is_out)?;
        let (index, offset) = (access.second[lane], access.address[lane]);
        let message = format!(
            "{verb} {bytes} bytes at offset {offset:#x} of record {index}, which the descriptor does not have"
        );
        let scratch = &self.context.wave.scratch;
        let is_scratch = scratch.bytes_per_lane != 0 && access.descriptor.base == scratch.region;
        let kind = if is_scratch {
            Kind::ScratchOutOfBounds
        } else {
            Kind::BufferOutOfBounds
        };
        let mut outside = Outside::new(kind, lane, message);
        outside.address = Some(access.descriptor.base);
        outside.notes.push(format!(
            "the descriptor has stride {} and {} records or bytes",
            access.descriptor.stride, access.descriptor.num_records
        ));
        Some(outside)
    }

    fn scratch(&self) -> Option<Outside> {
        let access = self.access();
        let limit = u64::from(access.scratch_bytes).next_multiple_of(4);
        let bytes = self.bytes();
        let is_out = |lane: &usize| access.address[*lane].saturating_add(bytes) > limit;
        let lane = lanes(access.scratch).find(is_out)?;
        let (verb, offset) = (verb(self.intent), access.address[lane]);
        let message = format!("{verb} {bytes} bytes at {offset:#x} of {limit} bytes of scratch");
        Some(Outside::new(Kind::ScratchOutOfBounds, lane, message))
    }

    /// Global memory, and descriptors that lead there.
    fn global(&self) -> Option<Outside> {
        let access = self.access();
        let memory = &self.context.dispatched.device.memory;
        let bytes = self.bytes();
        if bytes == 0 {
            return None;
        }
        let mut known = LastAllocation {
            memory,
            range: 0..0,
        };
        if let Some((first, last)) = access.range(access.global)
            && access.buffer == 0
            && known.holds(&Extent {
                first,
                bytes: (last - first).saturating_add(bytes),
            })
            && !self.may_be_restricted(first, last)
        {
            return None;
        }
        for lane in lanes(access.global | access.buffer) {
            let Some(first) = access.place(lane, 0) else {
                continue;
            };
            let extent = Extent { first, bytes };
            if let Some(outside) = self.foreign_scratch(lane, first) {
                return Some(outside);
            }
            if !known.holds(&extent) {
                return Some(self.unmapped(lane, &extent, memory));
            }
            if let Some(restricted) = self.restricted(&extent) {
                let (kind, reason) = broken(restricted.rule);
                let verb = verb(self.intent);
                let message = format!("{verb} {bytes} bytes of a buffer that {reason}");
                let mut outside = Outside::new(kind, lane, message);
                outside.address = Some(first);
                outside.notes.push(format!(
                    "the address is {:#x} bytes behind the buffer's begin",
                    first - restricted.range.start
                ));
                return Some(outside);
            }
        }
        None
    }

    /// An access through the scratch's descriptor that leads to the scratch of another wave.
    fn foreign_scratch(&self, lane: usize, address: u64) -> Option<Outside> {
        let plan = self.event.instruction.step.memory.as_deref()?;
        let descriptor = &self.access().descriptor;
        let scratch = &self.context.wave.scratch;
        let is_scratch = plan.family == Family::Buffer
            && !plan.addr64
            && scratch.bytes_per_lane != 0
            && descriptor.base == scratch.region
            && descriptor.of_lanes().is_some();
        let bytes = u64::from(scratch.bytes_per_lane).next_multiple_of(4) * 64;
        let own = scratch.base..scratch.base + bytes;
        (is_scratch && !own.contains(&address)).then(|| {
            let verb = verb(self.intent);
            let message = format!(
                "{verb} {} bytes beyond the {} bytes of scratch that each lane has",
                self.bytes(),
                scratch.bytes_per_lane
            );
            Outside::new(Kind::ScratchOutOfBounds, lane, message)
        })
    }

    /// The memory that must not be accessed so.
    fn all_restricted(&self) -> impl Iterator<Item = &Restricted> {
        let forbids = |it: &&Restricted| match it.rule {
            AccessRule::ArgumentsRead | AccessRule::ReadOnly => self.intent != Intent::Load,
            AccessRule::WriteOnly => self.intent != Intent::Store,
        };
        let all = &self.context.dispatched.dispatch.restricted;
        all.iter().filter(forbids)
    }

    /// True if one that must not be accessed so has a byte between two addresses, or both of them.
    fn may_be_restricted(&self, first: u64, last: u64) -> bool {
        self.all_restricted()
            .any(|it| it.range.start <= last && first < it.range.end)
    }

    fn restricted(&self, extent: &Extent) -> Option<&Restricted> {
        self.all_restricted()
            .find(|it| it.range.contains(&extent.first))
    }

    fn unmapped(&self, lane: usize, it: &Extent, memory: &Memory) -> Outside {
        let verb = verb(self.intent);
        let (first, bytes) = (it.first, it.bytes);
        let near = memory.nearest(first);
        let (kind, message) = match &near {
            Some(freed) if freed.is_freed => (
                Kind::UseAfterFree,
                format!(
                    "{verb} {bytes} bytes of {}, which has been freed",
                    freed.name
                ),
            ),
            _ => (
                Kind::GlobalOutOfBounds,
                format!("{verb} {bytes} bytes at {first:#x}, which no allocation holds"),
            ),
        };
        let mut outside = Outside::new(kind, lane, message);
        outside.address = Some(first);
        if let Some(near) = near.filter(|near| !near.is_freed) {
            outside.notes.push(nearest(&near, first));
        }
        outside
    }
}

/// True if an access of LDS is within bounds.
pub(super) fn overlook(context: &Context<'_>, access: &ShareAccess<'_>) -> bool {
    access.range.end <= lds_limit(context, access.step).0
}

/// The check. See the module.
pub(super) fn look(findings: &Findings, context: &Context<'_>, event: &MemoryEvent<'_>) {
    let Some(intent) = event.intent() else {
        return;
    };
    let look = Look {
        context,
        event,
        intent,
    };
    if let Some(outside) = look.outside() {
        let key = FindingKey::at(outside.kind, context.pc);
        findings.report(key, Some(context.id()), || {
            let space = event.access().space(outside.lane);
            let mut finding =
                Finding::new(outside.kind, context, event.instruction, outside.message);
            finding.place = finding.place.lane(outside.lane);
            finding.label = match (outside.kind, space, outside.address) {
                (Kind::BufferOutOfBounds, ..) => "goes beyond the descriptor's end".to_owned(),
                (_, Some(LaneSpace::Lds), _) => {
                    format!(
                        "accesses LDS at {:#x}",
                        event.access().address[outside.lane]
                    )
                }
                (.., Some(address)) => format!("accesses {address:#x}"),
                (.., None) => "accesses memory beyond its end".to_owned(),
            };
            finding.address = outside.address;
            finding.notes = outside.notes;
            finding
        });
    }
}
