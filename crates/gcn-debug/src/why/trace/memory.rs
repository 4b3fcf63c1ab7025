//! Recording of memory accesses: the bytes accessed, with their previous writers.

use gcn_emu::fault::Intent;
use gcn_emu::observe::{Access, Context, LaneSpace};
use gcn_emu::step::Step;
use gcn_isa::Does;

use super::{GDS, Group, Instance, LDS, NO_LANE, Trace, Unit};
use crate::why::shadow::WriterId;

impl Trace {
    /// Records a memory access. For untraced waves, only stores and atomics are recorded.
    pub(crate) fn access(&mut self, context: &Context<'_>, step: &Step, access: &Access) {
        let id = context.id();
        let group = Group {
            run: self.run,
            group: id.group,
        };
        let wave = if self.is_full { None } else { self.wave(id) };
        let Some(intent) = access.intent else {
            return;
        };
        if wave.is_none() && intent == Intent::Load {
            return;
        }
        let writes = intent != Intent::Load;
        let reads = intent != Intent::Store;
        let at = wave.map_or(0, |wave| self.waves[wave as usize].accessing(context));
        let by = match wave {
            Some(wave) => {
                let id = (self.instances.len() as u32) << 1 | 1;
                self.instances.push(Instance { wave, at });
                id
            }
            None => self.group_id(group),
        };
        let plan = step.memory.as_deref();
        let has_source = plan.is_some_and(|it| matches!(it.does, Does::AtomicFromLds(..)));
        let bytes = match plan {
            Some(plan) if plan.family.is_scalar() => 4 * access.dwords_in_bounds,
            _ => access.bytes,
        };
        let gds_base = u64::from(context.wave.m0() >> 16);
        let begin = self.units.len() as u32;
        for lane in gcn_emu::wave::active(access.lanes()) {
            let part_of = |element, dword, byte| Part {
                lane: if access.scalar { NO_LANE } else { lane as u8 },
                element,
                dword,
                byte,
            };
            for element in 0..access.elements {
                // An SRC2 atomic only reads its second location.
                let uses = (reads, writes && !(has_source && element == 1));
                for dword in 0..bytes.div_ceil(4) {
                    for byte in 0..(bytes - 4 * dword).min(4) {
                        let part = part_of(element, dword, byte);
                        if let Some(address) = byte_address(access, lane, part, gds_base) {
                            self.byte(address, group, uses, by, part, wave.is_some());
                        }
                    }
                }
            }
            // LDS bytes of a transfer between LDS and memory.
            if access.to_lds.is_some() {
                let is_written = intent == Intent::Load;
                for byte in 0..4 {
                    let part = part_of(0, 0, byte);
                    let uses = (!is_written, is_written);
                    let address = LDS | access.place_in_lds(lane).wrapping_add(byte.into());
                    self.byte(address, group, uses, by, part, wave.is_some());
                }
            }
        }
        if let Some(wave) = wave
            && let Some(record) = self.waves[wave as usize].records.get_mut(at as usize)
        {
            // An image instruction makes a separate access for each texel.
            if record.units.1 != begin {
                record.units.0 = begin;
            }
            record.units.1 = self.units.len() as u32;
        }
    }

    /// Records an access to a byte by a traced wave, or a write to a byte by an untraced wave.
    fn byte(
        &mut self,
        address: u64,
        group: Group,
        (is_read, is_written): (bool, bool),
        by: WriterId,
        part: Part,
        is_traced: bool,
    ) {
        let writer = if address & LDS != 0 {
            if !is_traced {
                return;
            }
            let shadow = self.lds.entry(group).or_default();
            if is_written {
                shadow.set(address, by)
            } else {
                shadow.get(address)
            }
        } else {
            if address & GDS != 0 {
                self.shares.insert(group.run);
            }
            let before = if is_written {
                self.shadow.set(address, by)
            } else {
                self.shadow.get(address)
            };
            if before != 0
                && before != by
                && is_written
                && !self.shares.contains(&group.run)
                && self
                    .group_of(before)
                    .is_some_and(|it| it.run == group.run && it != group)
            {
                self.shares.insert(group.run);
            }
            before
        };
        if !is_traced {
            return;
        }
        let next = self.units.last_mut().filter(|it| {
            it.lane == part.lane
                && it.element == part.element
                && it.dword == part.dword
                && it.writer == writer
                && it.is_written == is_written
                && it.address + u64::from(it.bytes.1) == address
                && it.bytes.0 + it.bytes.1 == part.byte
        });
        match next {
            Some(unit) => unit.bytes.1 += 1,
            None => self.units.push(Unit {
                address,
                writer,
                lane: part.lane,
                element: part.element,
                dword: part.dword,
                bytes: (part.byte, 1),
                is_read,
                is_written,
            }),
        }
    }
}

/// Byte of an access.
#[derive(Clone, Copy)]
struct Part {
    /// Lane, or [`NO_LANE`] if the whole wave makes the access.
    lane: u8,
    element: u8,
    dword: u8,
    byte: u8,
}

/// Returns the address of a byte in the access of `lane`, with the flag of its address space.
fn byte_address(access: &Access, lane: usize, part: Part, gds_base: u64) -> Option<u64> {
    let byte = u64::from(part.dword) * 4 + u64::from(part.byte);
    let base = match part.element {
        0 => access.address[lane],
        _ => access.second[lane],
    };
    match access.space(lane)? {
        LaneSpace::Lds => Some(LDS | base.wrapping_add(byte) & u64::from(u32::MAX)),
        LaneSpace::Gds => Some(GDS | (gds_base + base).wrapping_add(byte) & u64::from(u32::MAX)),
        LaneSpace::Global => Some(base.wrapping_add(byte)),
        LaneSpace::Scratch | LaneSpace::Buffer => access.place(lane, byte),
    }
}
