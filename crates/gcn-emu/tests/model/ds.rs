//! Model of DS: the document on DS instructions and errata E030 to E075 as code.

use crate::operators::{Flushing, Operator};
use crate::share::{Reach, Share};
use crate::state::*;

/// Fields of a DS instruction.
struct Fields {
    offset: u32,
    gds: bool,
    addr: usize,
    data0: usize,
    data1: usize,
    vdst: usize,
}

impl Fields {
    /// E030: the GDS bit differs between GCN 1.1 and 1.2.
    fn of(words: [u32; 2], generation: Generation) -> Fields {
        let gds_bit = if generation <= Generation::Gfx7 {
            17
        } else {
            16
        };
        let register = |low: u32| (words[1] >> low & 0xff) as usize;
        Fields {
            offset: words[0] & 0xffff,
            gds: words[0] >> gds_bit & 1 != 0,
            addr: register(0),
            data0: register(8),
            data1: register(16),
            vdst: register(24),
        }
    }
}

/// DS instruction with its context and state.
struct Ds<'a> {
    context: &'a Context,
    fields: Fields,
    reach: Reach,
    before: State,
}

pub fn execute(context: &Context, mnemonic: &str, words: [u32; 2], state: &mut State) {
    let fields = Fields::of(words, context.generation);
    let share = if fields.gds { Share::Gds } else { Share::Lds };
    let ds = Ds {
        context,
        reach: Reach::of_ds(share, context, state),
        fields,
        // Sources are read before anything is written.
        before: state.clone(),
    };
    let name = mnemonic.strip_prefix("ds_").expect("DS");
    match name {
        "nop" => {}
        "swizzle_b32" => ds.swizzle(state),
        "permute_b32" => ds.permute(state),
        "bpermute_b32" => ds.bpermute(state),
        "append" => ds.count(state, |old, lanes| old.wrapping_add(lanes)),
        "consume" => ds.count(state, |old, lanes| old.wrapping_sub(lanes)),
        "ordered_count" => ds.count_in_order(state),
        "read_addtid_b32" | "write_addtid_b32" => ds.by_lane(state, name.starts_with("read")),
        _ if name.starts_with("condxchg32") => ds.exchange_conditionally(state, name),
        _ if name.contains("_src2_") => ds.update_from_share(state, mnemonic),
        _ if name.contains('2') && is_pair(name) => ds.pair(state, name),
        _ if name.starts_with("read_") => ds.read(state, name),
        _ if name.starts_with("write_") => ds.write(state, name),
        _ => ds.update(state, mnemonic),
    }
}

fn is_pair(name: &str) -> bool {
    ["read2", "write2", "wrxchg2"]
        .iter()
        .any(|pair| name.starts_with(pair))
}

impl Ds<'_> {
    /// ADDR + OFFSET without its low bits; `None` if the register alone is out of range (E039, E040, E041).
    fn address(&self, lane: usize, offset: u32, ignored: u32) -> Option<u32> {
        let base = self.before.vgprs[self.fields.addr][lane];
        let is_negative = self.context.generation == Generation::Gfx6 && base >> 31 != 0;
        (!is_negative).then(|| base.wrapping_add(offset) & !ignored)
    }

    /// Low address bits that loads and stores of a size ignore.
    fn ignored(&self, bytes: u32) -> u32 {
        match bytes {
            _ if self.context.generation >= Generation::Gfx9 => 0,
            12 => 15,
            _ => bytes - 1,
        }
    }

    /// Denormals in LDS follow the wave's MODE (E053).
    fn flushing(&self) -> Flushing {
        Flushing {
            sources: self.before.mode >> 4 & 1 == 0,
            results: self.before.mode >> 5 & 1 == 0,
        }
    }

    fn read(&self, state: &mut State, name: &str) {
        let mut parts = name.split('_').skip(1);
        let ty = parts.next().expect("a type");
        let half = parts
            .next()
            .map(|_| if name.ends_with("hi") { 16 } else { 0 });
        let bits: u32 = ty[1..].parse().expect("a width");
        let is_signed = ty.starts_with('i');
        let bytes = bits / 8;
        for lane in self.before.lanes() {
            let address = self.address(lane, self.fields.offset, self.ignored(bytes));
            for dword in 0..bytes.div_ceil(4) {
                let size = u64::from(bytes.min(4));
                let address = address.and_then(|address| address.checked_add(4 * dword));
                let value = self.reach.load(state, address, size);
                let value = extend(value, size, is_signed);
                let register = &mut state.vgprs[self.fields.vdst + dword as usize][lane];
                *register = match half {
                    Some(low) => {
                        let old = self.context.kept_half(*register);
                        old & !(0xffff << low) | (value & 0xffff) << low
                    }
                    None => value,
                };
            }
        }
    }

    fn write(&self, state: &mut State, name: &str) {
        let mut parts = name.split('_').skip(1);
        let bits: u32 = parts.next().expect("a type")[1..].parse().expect("a width");
        let is_high = parts.next().is_some();
        let bytes = bits / 8;
        for lane in self.before.lanes() {
            let address = self.address(lane, self.fields.offset, self.ignored(bytes));
            for dword in 0..bytes.div_ceil(4) {
                let value = self.before.vgprs[self.fields.data0 + dword as usize][lane];
                let value = if is_high { value >> 16 } else { value };
                let address = address.and_then(|address| address.checked_add(4 * dword));
                let size = u64::from(bytes.min(4));
                self.reach.store(state, address, size, value.into());
            }
        }
    }

    /// READ2, WRITE2, WRXCHG2: two elements at OFFSET0 and OFFSET1, in units of their size or of 64 times their size
    /// (E032, E042, E075).
    fn pair(&self, state: &mut State, name: &str) {
        let bytes: u32 = if name.ends_with("64") { 8 } else { 4 };
        let unit = if name.contains("st64") {
            64 * bytes
        } else {
            bytes
        };
        let offsets = [self.fields.offset & 0xff, self.fields.offset >> 8];
        let dwords = bytes as usize / 4;
        let data = [self.fields.data0, self.fields.data1];
        let ignored = if name.starts_with("wrxchg") {
            bytes - 1
        } else {
            self.ignored(bytes)
        };
        let is_one = offsets[0] == offsets[1];
        for lane in self.before.lanes() {
            let addresses = offsets.map(|offset| self.address(lane, offset * unit, ignored));
            let place = |element: usize, dword: usize| {
                addresses[element].and_then(|address| address.checked_add(4 * dword as u32))
            };
            if !name.starts_with("write2") {
                for element in 0..2 {
                    for dword in 0..dwords {
                        let value = self.reach.load(state, place(element, dword), 4);
                        let register = self.fields.vdst + element * dwords + dword;
                        state.vgprs[register][lane] = value as u32;
                    }
                }
            }
            if !name.starts_with("read2") {
                // Equal offsets make one access, with DATA0.
                let written = if is_one { 1 } else { 2 };
                for (element, data) in data.into_iter().enumerate().take(written) {
                    for dword in 0..dwords {
                        let value = self.before.vgprs[data + dword][lane];
                        let address = place(element, dword);
                        self.reach.store(state, address, 4, value.into());
                    }
                }
            }
        }
    }

    /// Read-modify-write, with or without the old value in VDST. Addresses are naturally aligned on all generations
    /// (E040).
    fn update(&self, state: &mut State, mnemonic: &str) {
        let operator = Operator::of_ds(mnemonic);
        let bytes = operator.bytes;
        for lane in self.before.lanes() {
            let address = self.address(lane, self.fields.offset, bytes as u32 - 1);
            let first = self.before.value(self.fields.data0, bytes, lane);
            let takes_two = matches!(operator.name, "mskor" | "cmpst" | "wrap");
            let second = if takes_two {
                self.before.value(self.fields.data1, bytes, lane)
            } else {
                0
            };
            let old = self.reach.update(state, address, bytes as u64, |old| {
                operator.apply(old, first, second, self.flushing())
            });
            if mnemonic.contains("_rtn_") {
                state.set_value(self.fields.vdst, bytes, lane, old);
            }
        }
    }

    /// E054: changes one element of the share by another, at a signed distance in dwords.
    fn update_from_share(&self, state: &mut State, mnemonic: &str) {
        let operator = Operator::of_ds(mnemonic);
        let bytes = operator.bytes as u32;
        let offset = self.fields.offset;
        for lane in self.before.lanes() {
            let register = self.before.vgprs[self.fields.addr][lane];
            let is_packed = offset >> 15 != 0;
            let (a, distance) = if is_packed {
                let distance = register >> 17 | register >> 31 << 15;
                (register & 0x1_ffff, distance)
            } else {
                (register, offset & 0x7fff | (offset >> 14 & 1) << 15)
            };
            let a = a & !(bytes - 1);
            let distance = i32::from(distance as u16 as i16);
            let b = a.wrapping_add_signed(4 * distance) & !(bytes - 1);
            let is_negative =
                self.context.generation == Generation::Gfx6 && !is_packed && register >> 31 != 0;
            let a = (!is_negative).then_some(a);
            // The operand is read like a load, dword by dword (E311).
            let mut operand = self.reach.load(state, Some(b), 4);
            if bytes == 8 {
                operand |= self.reach.load(state, b.checked_add(4), 4) << 32;
            }
            self.reach.update(state, a, bytes.into(), |old| {
                operator.apply(old, operand, 0, self.flushing())
            });
        }
    }

    /// E052, E002: a dword is exchanged if the highest bit of the new value is set, which is not stored.
    fn exchange_conditionally(&self, state: &mut State, name: &str) {
        let dwords = if name.ends_with("128") { 4 } else { 2 };
        for lane in self.before.lanes() {
            let base = self.address(lane, self.fields.offset, 4 * dwords - 1);
            for dword in 0..dwords {
                let address = base.map(|base| (base & 0xffff) + 4 * dword);
                let data = self.before.vgprs[self.fields.data0 + dword as usize][lane];
                let old = self.reach.update(state, address, 4, |old| {
                    if data >> 31 != 0 {
                        u64::from(data & 0x7fff_ffff)
                    } else {
                        old
                    }
                });
                state.vgprs[self.fields.vdst + dword as usize][lane] = old as u32;
            }
        }
    }

    /// E069
    fn by_lane(&self, state: &mut State, reads: bool) {
        for lane in self.before.lanes() {
            let place = self.before.m0() & 0xffff;
            let address = Some(self.fields.offset + place + 4 * lane as u32);
            if reads {
                state.vgprs[self.fields.vdst][lane] = self.reach.load(state, address, 4) as u32;
            } else {
                let value = self.before.vgprs[self.fields.data0][lane];
                self.reach.store(state, address, 4, value.into());
            }
        }
    }

    /// E051: one operation for the wave. All active lanes get the old value.
    fn count(&self, state: &mut State, change: impl Fn(u32, u32) -> u32) {
        let lanes = self.before.exec().count_ones();
        if lanes == 0 {
            return;
        }
        let address = Some(self.fields.offset & !3);
        let old = self
            .reach
            .update(state, address, 4, |old| change(old as u32, lanes).into());
        for lane in self.before.lanes() {
            state.vgprs[self.fields.vdst][lane] = old as u32;
        }
    }

    /// E049 for a wave that keeps its turn: one operation whatever EXEC is, with the first active lane's value.
    fn count_in_order(&self, state: &mut State) {
        let offset = self.fields.offset;
        let first = self.before.lanes().next();
        let operand = first.map_or(0, |lane| self.before.vgprs[self.fields.addr][lane]);
        let place = (self.before.m0() >> 16) as usize + (offset & 0xfc) as usize;
        let mut old = 0;
        match state.gds.get_mut(place..place + 4) {
            Some(there) => {
                old = number(there) as u32;
                let new = match offset >> 12 & 3 {
                    0 => old.wrapping_add(operand),
                    _ => operand,
                };
                there.copy_from_slice(&new.to_le_bytes());
            }
            None => state.violated = true,
        }
        for lane in self.before.lanes() {
            state.vgprs[self.fields.vdst][lane] = old;
        }
    }

    /// Value of a lane; 0 if the lane is inactive.
    fn of_active(&self, register: usize, lane: u32) -> u32 {
        if self.before.exec() >> lane & 1 != 0 {
            self.before.vgprs[register][lane as usize]
        } else {
            0
        }
    }

    /// E056
    fn swizzle(&self, state: &mut State) {
        let offset = self.fields.offset;
        let is_new = self.context.generation >= Generation::Gfx8;
        for lane in self.before.lanes() {
            let within = lane as u32 & 31;
            let source = match offset {
                0xe000.. if is_new => {
                    let mask = offset & 31;
                    let reversed = (within << 27).reverse_bits();
                    reversed >> mask.count_ones() | within & mask
                }
                0xc000.. if is_new => {
                    let mask = offset & 31;
                    let distance = offset >> 5 & 31;
                    let moved = if offset >> 10 & 1 != 0 {
                        within.wrapping_sub(distance)
                    } else {
                        within + distance
                    };
                    within & mask | moved & !mask & 31
                }
                0x8000.. => within & !3 | offset >> (2 * (within & 3)) & 3,
                _ => (within & offset & 31 | offset >> 5 & 31) ^ offset >> 10 & 31,
            };
            let source = lane as u32 & 32 | source;
            state.vgprs[self.fields.vdst][lane] = self.of_active(self.fields.addr, source);
        }
    }

    fn other_lane(&self, lane: usize) -> u32 {
        let address = self.before.vgprs[self.fields.addr][lane];
        address.wrapping_add(self.fields.offset) >> 2 & 63
    }

    /// E057
    fn permute(&self, state: &mut State) {
        let mut pushed = [0; LANES];
        for lane in self.before.lanes() {
            let target = self.other_lane(lane) as usize;
            pushed[target] = self.before.vgprs[self.fields.data0][lane];
        }
        for lane in self.before.lanes() {
            state.vgprs[self.fields.vdst][lane] = pushed[lane];
        }
    }

    /// E058
    fn bpermute(&self, state: &mut State) {
        for lane in self.before.lanes() {
            let source = self.other_lane(lane);
            state.vgprs[self.fields.vdst][lane] = self.of_active(self.fields.data0, source);
        }
    }
}
