//! Model of FLAT, GLOBAL and SCRATCH: the document on FLAT instructions and errata E076 to E106 as code.

use crate::buffer::update_global;
use crate::operators::{Flushing, Operator};
use crate::share::Reach;
use crate::state::*;

/// SEG of GCN 1.4; older generations have only FLAT.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Segment {
    Flat,
    Scratch,
    Global,
}

/// Value of SADDR for no register.
const OFF: usize = 0x7f;

struct Fields {
    segment: Segment,
    offset: i64,
    lds: bool,
    glc: bool,
    tfe: bool,
    vaddr: usize,
    vdata: usize,
    saddr: usize,
    vdst: usize,
}

impl Fields {
    /// E076
    fn of(words: [u32; 2], generation: Generation) -> Fields {
        let [low, high] = words;
        let is_new = generation == Generation::Gfx9;
        let segment = match low >> 14 & 3 {
            1 if is_new => Segment::Scratch,
            2 if is_new => Segment::Global,
            _ => Segment::Flat,
        };
        // E084: FLAT has an unsigned 12-bit offset, the others a signed 13-bit one.
        let offset = match segment {
            _ if !is_new => 0,
            Segment::Flat => i64::from(low & 0xfff),
            _ => i64::from((low << 19) as i32 >> 19),
        };
        Fields {
            segment,
            offset,
            lds: is_new && segment != Segment::Flat && low >> 13 & 1 != 0,
            glc: low >> 16 & 1 != 0,
            tfe: !is_new && high >> 23 & 1 != 0,
            vaddr: (high & 0xff) as usize,
            vdata: (high >> 8 & 0xff) as usize,
            saddr: if is_new {
                (high >> 16 & 0x7f) as usize
            } else {
                OFF
            },
            vdst: (high >> 24) as usize,
        }
    }
}

/// Memory to which a lane's address refers.
#[derive(Clone, Copy)]
enum Place {
    Global(u64),
    Lds(u32),
    /// Offset in the lane's scratch; negative if out of range.
    Scratch(i64),
}

struct Flat<'a> {
    context: &'a Context,
    fields: Fields,
    before: State,
}

pub fn execute(context: &Context, mnemonic: &str, words: [u32; 2], state: &mut State) {
    let flat = Flat {
        context,
        fields: Fields::of(words, context.generation),
        before: state.clone(),
    };
    let (_, name) = mnemonic.split_once('_').expect("a segment");
    let (kind, ty) = name.split_once('_').expect("a type");
    match kind {
        "load" => flat.load(state, ty),
        "store" => flat.store(state, ty),
        _ => flat.update(state, mnemonic),
    }
}

/// Size of a type in bytes.
fn size(ty: &str) -> u64 {
    let ty = ty.split('_').next().expect("a type");
    match ty {
        "ubyte" | "sbyte" | "byte" => 1,
        "ushort" | "sshort" | "short" => 2,
        "dword" => 4,
        "dwordx2" => 8,
        "dwordx3" => 12,
        "dwordx4" => 16,
        other => panic!("{other} is no size"),
    }
}

impl Flat<'_> {
    fn place(&self, lane: usize) -> Place {
        let fields = &self.fields;
        let pair = || self.before.value(fields.vaddr, 8, lane);
        match fields.segment {
            Segment::Flat => {
                // The offset is added before the apertures are compared (E088).
                let address = pair().wrapping_add_signed(fields.offset);
                match (address >> 32) as u32 {
                    high if high == self.context.shared => Place::Lds(address as u32),
                    high if high == self.context.private => Place::Scratch((address as u32).into()),
                    _ => Place::Global(address),
                }
            }
            // E086
            Segment::Global if fields.saddr == OFF => {
                Place::Global(pair().wrapping_add_signed(fields.offset))
            }
            Segment::Global => {
                let register = u64::from(self.before.vgprs[fields.vaddr][lane]);
                let base = self.before.scalar64(fields.saddr);
                Place::Global(
                    base.wrapping_add(register)
                        .wrapping_add_signed(fields.offset),
                )
            }
            // E087: VADDR or SADDR.
            Segment::Scratch => {
                let base = if fields.saddr == OFF {
                    self.before.vgprs[fields.vaddr][lane]
                } else {
                    self.before.scalars[fields.saddr]
                };
                Place::Scratch(i64::from(base) + fields.offset)
            }
        }
    }

    /// Address of the wave's scratch, from FLAT_SCRATCH (E088).
    fn scratch_base(&self) -> u64 {
        let register = match self.context.generation {
            Generation::Gfx7 => 104,
            _ => 102,
        };
        let value = self.before.scalar64(register);
        match self.context.generation {
            Generation::Gfx9 => value,
            _ => self.context.hidden_base + (value >> 32) * 256,
        }
    }

    /// Bytes of scratch per lane, which FLAT_SCRATCH contains before GCN 1.4.
    fn scratch_bytes(&self) -> u32 {
        match self.context.generation {
            Generation::Gfx7 => self.before.scalars[104],
            Generation::Gfx8 => self.before.scalars[102],
            _ => self.context.scratch_bytes,
        }
    }

    /// Address of a byte of a lane's scratch; `None` if it is out of range.
    fn in_scratch(&self, lane: usize, offset: i64, part: u32) -> Option<u64> {
        let offset = u32::try_from(offset).ok()?.checked_add(part)?;
        let dword = u64::from(offset / 4) * 4 * LANES as u64;
        let place = dword + 4 * lane as u64 + u64::from(offset % 4);
        (offset < self.scratch_bytes()).then(|| self.scratch_base().wrapping_add(place))
    }

    /// True if an element of global memory is not completely mapped, which is a violation: then none of it is accessed.
    fn is_missing(&self, state: &mut State, place: Place, size: u64) -> bool {
        let Place::Global(address) = place else {
            return false;
        };
        let is_missing = state.global.find(address, size).is_none();
        state.violated |= is_missing;
        is_missing
    }

    /// Reads an element of up to 4 bytes, `part` bytes after a place.
    fn read(&self, state: &mut State, place: Place, part: u32, bytes: u64, lane: usize) -> u64 {
        match place {
            Place::Global(address) => {
                let found = state.global.find(address.wrapping_add(part.into()), bytes);
                let value = found.map(|there| number(there));
                state.violated |= value.is_none();
                value.unwrap_or(0)
            }
            Place::Lds(address) => {
                let reach = Reach::of_flat(self.context, &self.before);
                reach.load(state, address.checked_add(part), bytes)
            }
            // Bytes that are out of range or unmapped are 0.
            Place::Scratch(offset) => (0..bytes as u32).fold(0, |value, byte| {
                let address = self.in_scratch(lane, offset, part + byte);
                let found = address.and_then(|address| state.global.find(address, 1));
                let byte_there = found.map(|there| u64::from(there[0]));
                state.violated |= byte_there.is_none();
                value | byte_there.unwrap_or(0) << (8 * byte)
            }),
        }
    }

    fn write(&self, state: &mut State, place: Place, part: u32, bytes: &[u8], lane: usize) {
        match place {
            Place::Global(address) => {
                let address = address.wrapping_add(part.into());
                match state.global.find(address, bytes.len() as u64) {
                    Some(there) => there.copy_from_slice(bytes),
                    None => state.violated = true,
                }
            }
            Place::Lds(address) => {
                let reach = Reach::of_flat(self.context, &self.before);
                let address = address.checked_add(part);
                reach.store(state, address, bytes.len() as u64, number(bytes));
            }
            Place::Scratch(offset) => {
                for (byte, value) in (0..).zip(bytes) {
                    let address = self.in_scratch(lane, offset, part + byte);
                    match address.and_then(|address| state.global.find(address, 1)) {
                        Some(there) => there[0] = *value,
                        None => state.violated = true,
                    }
                }
            }
        }
    }

    fn load(&self, state: &mut State, ty: &str) {
        let size = size(ty);
        let is_signed = ty.starts_with('s') && !ty.starts_with("short");
        let half = match ty {
            _ if ty.ends_with("_d16_hi") => Some(16),
            _ if ty.ends_with("_d16") => Some(0),
            _ => None,
        };
        let bytes = size.min(4);
        let dwords = size.div_ceil(4) as usize;
        for lane in self.before.lanes() {
            let place = self.place(lane);
            let is_missing = self.is_missing(state, place, size);
            for dword in 0..dwords {
                let value = match is_missing {
                    true => 0,
                    false => self.read(state, place, 4 * dword as u32, bytes, lane),
                };
                let value = extend(value, bytes, is_signed);
                if self.fields.lds {
                    // E089
                    let place = i64::from(self.before.m0() & 0xffff) + self.fields.offset;
                    let address = (place + 4 * lane as i64) as u32;
                    let reach = Reach::of_allocation(state);
                    reach.store(state, Some(address), 4, value.into());
                    continue;
                }
                let register = &mut state.vgprs[self.fields.vdst + dword][lane];
                *register = match half {
                    Some(low) => {
                        let old = self.context.kept_half(*register);
                        old & !(0xffff << low) | (value & 0xffff) << low
                    }
                    None => value,
                };
            }
        }
        self.status(state, dwords);
    }

    /// E080: the status reports that nothing is missing.
    fn status(&self, state: &mut State, dwords: usize) {
        if self.fields.tfe {
            for lane in self.before.lanes() {
                state.vgprs[self.fields.vdst + dwords][lane] = 0;
            }
        }
    }

    fn store(&self, state: &mut State, ty: &str) {
        let size = size(ty);
        let shift = if ty.ends_with("_d16_hi") { 16 } else { 0 };
        let bytes = size.min(4);
        for lane in self.before.lanes() {
            let place = self.place(lane);
            if self.is_missing(state, place, size) {
                continue;
            }
            for dword in 0..size.div_ceil(4) as usize {
                let value = self.before.vgprs[self.fields.vdata + dword][lane] >> shift;
                let value = &value.to_le_bytes()[..bytes as usize];
                self.write(state, place, 4 * dword as u32, value, lane);
            }
        }
    }

    fn update(&self, state: &mut State, mnemonic: &str) {
        let operator = Operator::of_memory(mnemonic);
        let bytes = operator.bytes;
        for lane in self.before.lanes() {
            let low = self.before.value(self.fields.vdata, bytes, lane);
            let high = match operator.name {
                "cmpswap" => self
                    .before
                    .value(self.fields.vdata + bytes / 4, bytes, lane),
                _ => 0,
            };
            let old = match self.place(lane) {
                Place::Global(address) => update_global(state, address, operator, low, high),
                Place::Lds(address) => self.update_lds(state, address, operator, low, high),
                Place::Scratch(offset) => {
                    self.update_scratch(state, lane, offset, operator, low, high)
                }
            };
            if self.fields.glc {
                state.set_value(self.fields.vdst, bytes, lane, old);
            }
        }
    }

    fn update_lds(
        &self,
        state: &mut State,
        address: u32,
        operator: Operator,
        low: u64,
        high: u64,
    ) -> u64 {
        let bytes = operator.bytes as u32;
        let reach = Reach::of_flat(self.context, &self.before);
        let address = address.is_multiple_of(bytes).then_some(address);
        reach.update(state, address, bytes.into(), |old| {
            let flushing = Flushing {
                sources: self.before.mode >> 4 & 1 == 0,
                results: self.before.mode >> 5 & 1 == 0,
            };
            apply(operator, old, low, high, flushing)
        })
    }

    /// E106: each dword separately.
    fn update_scratch(
        &self,
        state: &mut State,
        lane: usize,
        offset: i64,
        operator: Operator,
        low: u64,
        high: u64,
    ) -> u64 {
        let bytes = operator.bytes as u32;
        let is_there = offset % i64::from(bytes) == 0
            && [0, bytes - 1].iter().all(|&part| {
                let address = self.in_scratch(lane, offset, part);
                address.is_some_and(|address| state.global.find(address, 1).is_some())
            });
        if !is_there {
            state.violated = true;
            return 0;
        }
        let place = Place::Scratch(offset);
        let read = |state: &mut State, part| self.read(state, place, part, 4, lane);
        let mut old = read(state, 0);
        if bytes == 8 {
            old |= read(state, 4) << 32;
        }
        let flushing = Flushing {
            sources: true,
            results: true,
        };
        let new = apply(operator, old, low, high, flushing).to_le_bytes();
        for part in (0..bytes).step_by(4) {
            self.write(
                state,
                place,
                part,
                &new[part as usize..part as usize + 4],
                lane,
            );
        }
        old
    }
}

/// New value. The comparison value is in the upper half of the data (E090).
fn apply(operator: Operator, old: u64, low: u64, high: u64, flushing: Flushing) -> u64 {
    match operator.name {
        "cmpswap" => operator.apply(old, high, low, flushing),
        _ => operator.apply(old, low, 0, flushing),
    }
}
