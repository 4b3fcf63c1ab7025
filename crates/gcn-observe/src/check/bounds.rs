//! Accesses beyond the bounds of allocations, LDS, scratch and buffers, and accesses that the rules of a buffer forbid, such
//! as stores to read-only memory.
//!
//! The checker reports an access before the emulator faults. The run continues if hardware returns 0 for such loads and
//! drops such stores.

use gcn_emu::fault::Intent;
use gcn_emu::memory::Memory;
use gcn_emu::observe::{Access, Context, MemoryEvent, ShareAccess};
use gcn_emu::run::{AccessRule, Restricted};
use gcn_emu::step::{Family, Step};
use gcn_emu::wave::LANES;
use gcn_isa::{Encoding, Isa};
use std::ops::Range;

use crate::filter::lanes;
use crate::finding::{Finding, FindingAddress, FindingKey, Findings, Help, Kind};
use crate::nearest::nearest;
use crate::quantity::quantity;

const DWORD: u64 = 4;

const BEYOND_DESCRIPTOR: &str = "goes beyond the descriptor's end";

/// An access by a lane that is out of bounds or violates an [`AccessRule`].
struct OutOfBounds {
    kind: Kind,
    lane: usize,
    message: String,
    label: String,
    address: Option<FindingAddress>,
    notes: Vec<String>,
    help: Option<&'static str>,
}

impl OutOfBounds {
    fn new(kind: Kind, lane: usize, message: String) -> OutOfBounds {
        OutOfBounds {
            kind,
            lane,
            message,
            label: "accesses memory beyond its end".to_owned(),
            address: None,
            notes: Vec::new(),
            help: None,
        }
    }

    fn labelled(self, label: &str) -> OutOfBounds {
        OutOfBounds {
            label: label.to_owned(),
            ..self
        }
    }

    /// Sets the address in device memory, and the label.
    fn at(self, address: u64) -> OutOfBounds {
        OutOfBounds {
            label: format!("accesses {address:#x}"),
            address: Some(FindingAddress::global(address)),
            ..self
        }
    }
}

/// Problems of an access. Keeps the first lane for each kind, so that no kind hides another.
#[derive(Default)]
struct FirstOfEachKind(Vec<OutOfBounds>);

impl FirstOfEachKind {
    /// Records a lane's problem, unless an earlier lane has a problem of the same kind.
    fn add(&mut self, kind: Kind, make: impl FnOnce() -> OutOfBounds) {
        if self.0.iter().all(|it| it.kind != kind) {
            self.0.push(make());
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

/// Returns the finding kind, a description of the memory, and help for a violated access rule.
fn broken(rule: AccessRule) -> (Kind, &'static str, Option<&'static str>) {
    const UNMAP: &str =
        "call clEnqueueUnmapMemObject before the kernel, and have the kernel wait for it";
    match rule {
        AccessRule::ArgumentsRead => (
            Kind::StoreToReadOnly,
            "of a buffer that all arguments declare read-only",
            None,
        ),
        AccessRule::ReadOnly => (
            Kind::StoreToReadOnly,
            "of a buffer that was created read-only for kernels",
            None,
        ),
        AccessRule::WriteOnly => (
            Kind::LoadFromWriteOnly,
            "of a buffer that was created write-only for kernels",
            None,
        ),
        AccessRule::MappedForReading => (
            Kind::MappedBufferAccess,
            "of a buffer while the host has them mapped for reading",
            Some(UNMAP),
        ),
        AccessRule::MappedForWriting => (
            Kind::MappedBufferAccess,
            "of a buffer while the host has them mapped for writing",
            Some(UNMAP),
        ),
        AccessRule::WrittenAfterUnmap => (
            Kind::WrittenAfterUnmap,
            "of a buffer that the host has written after clEnqueueUnmapMemObject",
            Some(
                "write before clEnqueueUnmapMemObject, or map the buffer again with clEnqueueMapBuffer",
            ),
        ),
        AccessRule::OutsideSubBuffers => (
            Kind::SubBufferOverrun,
            "of a buffer outside the sub-buffer that is the kernel's argument",
            Some(
                "compare the index with the size of the sub-buffer, or pass the whole buffer to clSetKernelArg",
            ),
        ),
    }
}

/// Returns a note about the restricted range that contains an address.
fn place_of(address: u64, restricted: &Restricted) -> String {
    let Range { start, end } = restricted.range;
    let region = || format!("{} starting at {start:#x}", quantity(end - start, "byte"));
    match restricted.rule {
        AccessRule::ArgumentsRead | AccessRule::ReadOnly | AccessRule::WriteOnly => format!(
            "the address is {:#x} bytes past the start of the buffer",
            address - start
        ),
        AccessRule::MappedForReading | AccessRule::MappedForWriting => {
            format!("clEnqueueMapBuffer has mapped the {}", region())
        }
        AccessRule::WrittenAfterUnmap => format!("the host has changed the {}", region()),
        AccessRule::OutsideSubBuffers => {
            format!("no argument of the kernel covers the {}", region())
        }
    }
}

/// Bytes that a lane accesses.
struct Extent {
    first: u64,
    bytes: u64,
}

impl Extent {
    fn last(&self) -> u64 {
        self.first.saturating_add(self.bytes.saturating_sub(1))
    }
}

/// Global memory, with a cache of the allocation found last.
struct LastAllocation<'a> {
    memory: &'a Memory,
    range: Range<u64>,
}

impl LastAllocation<'_> {
    /// True if one allocation, or one host range, contains all the bytes.
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

/// Returns the number of LDS bytes that an instruction may access, and a suffix for messages about it. The number is the
/// allocated size or, for DS instructions up to GCN 1.2, M0 if it is lower (errata E035).
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

/// An access being checked.
struct BoundsCheck<'a, 'e> {
    context: &'a Context<'a>,
    event: &'a MemoryEvent<'e>,
    intent: Intent,
}

impl BoundsCheck<'_, '_> {
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

    /// Describes the access, as in `stores 8 bytes`.
    fn text(&self) -> String {
        format!("{} {}", verb(self.intent), quantity(self.bytes(), "byte"))
    }

    /// Returns all problems of the access.
    fn outside(&self) -> FirstOfEachKind {
        let mut found = FirstOfEachKind::default();
        let of_one_kind = [self.lds(), self.descriptor(), self.scratch()];
        for outside in of_one_kind.into_iter().flatten() {
            found.add(outside.kind, || outside);
        }
        self.global(&mut found);
        found
    }

    fn lds(&self) -> Option<OutOfBounds> {
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
                let (verb, limit) = (verb(self.intent), quantity(limit, "byte"));
                let what = quantity(bytes, "byte");
                let message =
                    format!("{verb} {what} at offset {place:#x} in {limit} of LDS{which}");
                let outside = OutOfBounds::new(Kind::LdsOutOfBounds, lane, message);
                OutOfBounds {
                    address: Some(FindingAddress::lds(place)),
                    ..outside.labelled(&format!("accesses LDS at {place:#x}"))
                }
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

    /// Checks buffer descriptors, including those of scalar loads and stores.
    fn descriptor(&self) -> Option<OutOfBounds> {
        let access = self.access();
        let plan = self.event.instruction.step.memory.as_deref()?;
        if plan.family == Family::ScalarBuffer && access.dwords_in_bounds < plan.ty.dwords() {
            let message = format!(
                "{} {}, but the descriptor covers only {}",
                verb(self.intent),
                quantity(plan.ty.dwords().into(), "dword"),
                access.dwords_in_bounds
            );
            let outside = OutOfBounds::new(Kind::BufferOutOfBounds, 0, message);
            return Some(outside.labelled(BEYOND_DESCRIPTOR));
        }
        let bytes = self.bytes();
        let is_out = |lane: &usize| {
            access.place(*lane, 0).is_none()
                || access.place(*lane, bytes.saturating_sub(1)).is_none()
        };
        let lane = lanes(access.buffer).find(is_out)?;
        let (index, offset) = (access.second[lane], access.address[lane]);
        let message = format!(
            "{} at offset {offset:#x} of record {index}, which the descriptor does not have",
            self.text()
        );
        let scratch = &self.context.wave.scratch;
        let is_scratch = scratch.bytes_per_lane != 0 && access.descriptor.base == scratch.region;
        let outside = if is_scratch {
            OutOfBounds::new(Kind::ScratchOutOfBounds, lane, message)
        } else {
            let base = access.descriptor.base;
            OutOfBounds::new(Kind::BufferOutOfBounds, lane, message).at(base)
        };
        let mut outside = outside.labelled(BEYOND_DESCRIPTOR);
        outside.notes.push(format!(
            "the descriptor has stride {} and {} records or bytes",
            access.descriptor.stride, access.descriptor.num_records
        ));
        let inst = &self.event.instruction.step.inst;
        if inst.isa < Isa::Vi && inst.has_offset_register() {
            let note =
                "GCN 1.0 and 1.1 may not notice, since the offset is in an SGPR (errata E256)";
            outside.notes.push(note.to_owned());
        }
        Some(outside)
    }

    fn scratch(&self) -> Option<OutOfBounds> {
        let access = self.access();
        let limit = u64::from(access.scratch_bytes).next_multiple_of(DWORD);
        let bytes = self.bytes();
        let is_out = |lane: &usize| access.address[*lane].saturating_add(bytes) > limit;
        let lane = lanes(access.scratch).find(is_out)?;
        Some(self.beyond_scratch(lane, access.address[lane], limit))
    }

    /// Checks global memory, including accesses through descriptors.
    fn global(&self, found: &mut FirstOfEachKind) {
        let access = self.access();
        let memory = &self.context.dispatched.device.memory;
        let bytes = self.bytes();
        if bytes == 0 {
            return;
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
            && self
                .restricted(first, last.saturating_add(bytes - 1))
                .next()
                .is_none()
        {
            return;
        }
        // Number of contiguous bytes: through a descriptor at most a dword, since records may be interleaved.
        let unit = match access.buffer {
            0 => bytes,
            _ if access.splits_dwords() => 1,
            _ => DWORD,
        };
        for lane in lanes(access.global | access.buffer) {
            if let Some(outside) = self.foreign_scratch(lane) {
                found.add(outside.kind, || outside);
                continue;
            }
            for byte in (0..bytes).step_by(unit as usize) {
                let Some(first) = access.place(lane, byte) else {
                    continue;
                };
                let extent = Extent {
                    first,
                    bytes: unit.min(bytes - byte),
                };
                if !known.holds(&extent) {
                    self.unmapped(lane, first, memory, found);
                }
                for restricted in self.restricted(first, extent.last()) {
                    self.forbidden(lane, first, restricted, found);
                }
            }
        }
    }

    /// Records an access that violates a rule and starts at address `first`.
    fn forbidden(
        &self,
        lane: usize,
        first: u64,
        restricted: &Restricted,
        found: &mut FirstOfEachKind,
    ) {
        let (kind, memory, help) = broken(restricted.rule);
        found.add(kind, || {
            let message = format!("{} {memory}", self.text());
            let address = first.max(restricted.range.start);
            let mut outside = OutOfBounds::new(kind, lane, message).at(address);
            outside.notes.push(place_of(address, restricted));
            outside.help = help;
            outside
        });
    }

    /// Returns an access through the scratch descriptor whose first or last byte is outside the wave's scratch.
    fn foreign_scratch(&self, lane: usize) -> Option<OutOfBounds> {
        let plan = self.event.instruction.step.memory.as_deref()?;
        let access = self.access();
        let scratch = &self.context.wave.scratch;
        let is_scratch = plan.family == Family::Buffer
            && !plan.addr64
            && scratch.bytes_per_lane != 0
            && access.descriptor.base == scratch.region
            && access.descriptor.of_lanes().is_some();
        if !is_scratch {
            return None;
        }
        let limit = u64::from(scratch.bytes_per_lane).next_multiple_of(DWORD);
        let bytes = self.bytes();
        let first = access.place(lane, 0)?.wrapping_sub(scratch.base);
        let last = access.place(lane, bytes - 1)?.wrapping_sub(scratch.base);
        if first.max(last) < limit * LANES as u64 {
            return None;
        }
        // A row has one dword for each lane (errata E087). A negative offset is shown as an unsigned 32-bit number.
        let row = (first as i64).div_euclid(DWORD as i64 * LANES as i64) as u64;
        let offset = row.wrapping_mul(DWORD) as u32 | (first % DWORD) as u32;
        Some(self.beyond_scratch(lane, offset.into(), limit))
    }

    /// Creates the finding for an access at an offset beyond the `limit` bytes of a lane's scratch.
    fn beyond_scratch(&self, lane: usize, offset: u64, limit: u64) -> OutOfBounds {
        let limit = quantity(limit, "byte");
        let message = format!(
            "{} at offset {offset:#x} in {limit} of scratch",
            self.text()
        );
        OutOfBounds::new(Kind::ScratchOutOfBounds, lane, message)
    }

    /// Returns the restricted ranges whose rules forbid this kind of access.
    fn all_restricted(&self) -> impl Iterator<Item = &Restricted> {
        let forbids = |it: &&Restricted| match it.rule {
            AccessRule::ArgumentsRead | AccessRule::ReadOnly | AccessRule::MappedForReading => {
                self.intent != Intent::Load
            }
            AccessRule::WriteOnly | AccessRule::WrittenAfterUnmap => self.intent != Intent::Store,
            AccessRule::MappedForWriting | AccessRule::OutsideSubBuffers => true,
        };
        let all = &self.context.dispatched.dispatch.restricted;
        all.iter().filter(forbids)
    }

    /// Returns the ranges of [`BoundsCheck::all_restricted`] that overlap an inclusive address range.
    fn restricted(&self, first: u64, last: u64) -> impl Iterator<Item = &Restricted> {
        self.all_restricted()
            .filter(move |it| it.range.start <= last && first < it.range.end)
    }

    /// Records an access to unmapped bytes. It starts at address `first`, which may still be in an allocation.
    fn unmapped(&self, lane: usize, first: u64, memory: &Memory, found: &mut FirstOfEachKind) {
        let near = memory.nearest(first);
        let first = match &near {
            Some(near) if !near.is_freed && first.wrapping_sub(near.base) < near.len => {
                near.base + near.len
            }
            _ => first,
        };
        match near {
            Some(freed) if freed.is_freed => found.add(Kind::UseAfterFree, || {
                let text = self.text();
                let message = format!("{text} of {}, which has been freed", freed.name);
                OutOfBounds::new(Kind::UseAfterFree, lane, message).at(first)
            }),
            near => found.add(Kind::GlobalOutOfBounds, || {
                let text = self.text();
                let message = format!("{text} at {first:#x}, which no allocation holds");
                let outside = OutOfBounds::new(Kind::GlobalOutOfBounds, lane, message).at(first);
                OutOfBounds {
                    notes: near.iter().map(|near| nearest(near, first)).collect(),
                    ..outside
                }
            }),
        }
    }
}

/// True if an LDS access is within bounds.
pub(super) fn overlook(context: &Context<'_>, access: &ShareAccess<'_>) -> bool {
    access.range.end <= lds_limit(context, access.step).0
}

/// Reports out-of-bounds accesses.
pub(super) fn look(findings: &Findings, context: &Context<'_>, event: &MemoryEvent<'_>) {
    let Some(intent) = event.intent() else {
        return;
    };
    let look = BoundsCheck {
        context,
        event,
        intent,
    };
    for outside in look.outside().0 {
        let key = FindingKey::at(outside.kind, context.pc);
        findings.report(key, Some(context.id()), || {
            let mut finding =
                Finding::new(outside.kind, context, event.instruction, outside.message);
            finding.place = finding.place.lane_of(event.access(), outside.lane);
            finding.label = outside.label;
            finding.address = outside.address;
            finding.notes = outside.notes;
            finding.help = outside.help.map(Help::new);
            finding
        });
    }
}
