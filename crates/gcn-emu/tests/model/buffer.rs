//! Model of MUBUF and MTBUF: buffers, according to AMD's manuals, CLRX's document on memory, and Mesa's descriptors.

use crate::formats::{self, Halves, Shape};
use crate::operators::{Flushing, Operator};
use crate::share::Reach;
use crate::state::*;

/// Fields of a buffer instruction.
struct Fields {
    offset: u32,
    offen: bool,
    idxen: bool,
    glc: bool,
    addr64: bool,
    lds: bool,
    tfe: bool,
    data_format: u32,
    number_format: u32,
    vaddr: usize,
    vdata: usize,
    srsrc: usize,
    soffset: u32,
}

impl Fields {
    fn of(words: [u32; 2], is_typed: bool, generation: Generation) -> Fields {
        let [low, high] = words;
        let bit = |place: u32| low >> place & 1 != 0;
        let is_old = generation <= Generation::Gfx7;
        Fields {
            offset: low & 0xfff,
            offen: bit(12),
            idxen: bit(13),
            glc: bit(14),
            addr64: is_old && bit(15),
            lds: !is_typed && bit(16),
            tfe: high >> 23 & 1 != 0,
            data_format: low >> 19 & 15,
            number_format: low >> 23 & 7,
            vaddr: (high & 0xff) as usize,
            vdata: (high >> 8 & 0xff) as usize,
            srsrc: (high >> 16 & 0x1f) as usize * 4,
            soffset: high >> 24,
        }
    }
}

/// Buffer descriptor.
struct Resource {
    base: u64,
    stride: u32,
    is_swizzled: bool,
    records: u32,
    selection: [u32; 4],
    number_format: u32,
    data_format: u32,
    element_size: u32,
    index_stride: u32,
    adds_lane: bool,
}

impl Resource {
    fn of(words: [u32; 4], is_formatted: bool, generation: Generation) -> Resource {
        let [low, high, records, last] = words;
        let adds_lane = last >> 23 & 1 != 0;
        let data_format = last >> 15 & 15;
        let mut stride = high >> 16 & 0x3fff;
        // From GCN 1.2 on, the data format bits are the high bits of the stride if the instruction has no format.
        if adds_lane && !is_formatted && generation >= Generation::Gfx8 {
            stride |= data_format << 14;
        }
        let base = u64::from(low) | u64::from(high & 0xffff) << 32;
        Resource {
            // E241
            base: ((base << 16) as i64 >> 16) as u64,
            stride,
            is_swizzled: high >> 31 != 0,
            records,
            selection: [0, 3, 6, 9].map(|place| last >> place & 7),
            number_format: last >> 12 & 7,
            data_format,
            // GCN 1.4 has no such field: Mesa assumes 4.
            element_size: match generation {
                Generation::Gfx9 => 4,
                _ => 2 << (last >> 19 & 3),
            },
            index_stride: 8 << (last >> 21 & 3),
            adds_lane,
        }
    }
}

/// State that the lanes of a buffer instruction share.
struct Buffer<'a> {
    context: &'a Context,
    fields: Fields,
    resource: Resource,
    soffset: u32,
    before: State,
}

/// Place of an element.
#[derive(Clone, Copy)]
struct Place {
    address: u64,
    in_range: bool,
    /// The element crosses an interleaving boundary, which is undefined.
    is_split: bool,
}

pub fn execute(context: &Context, mnemonic: &str, words: [u32; 2], state: &mut State) {
    let is_typed = mnemonic.starts_with("tbuffer_");
    let name = mnemonic
        .trim_start_matches('t')
        .trim_start_matches("buffer_");
    let is_formatted = name.contains("_format_");
    if name.starts_with("wbinvl1") {
        return;
    }
    let mut fields = Fields::of(words, is_typed, context.generation);
    let words = std::array::from_fn(|n| state.scalars[fields.srsrc + n]);
    let resource = Resource::of(words, is_formatted, context.generation);
    if !is_typed {
        fields.data_format = resource.data_format;
        fields.number_format = resource.number_format;
    }
    let soffset = match fields.soffset {
        register @ 0..128 => state.scalars[register as usize],
        positive @ 128..=192 => positive - 128,
        negative => (192u32).wrapping_sub(negative),
    };
    let buffer = Buffer {
        context,
        fields,
        resource,
        soffset,
        before: state.clone(),
    };
    match name {
        "store_lds_dword" => buffer.store_from_lds(state),
        _ if name.starts_with("atomic_") => buffer.update(state, mnemonic),
        _ if name.starts_with("load_format_") => buffer.load_formatted(state, name, is_typed),
        _ if name.starts_with("store_format_") => buffer.store_formatted(state, name, is_typed),
        _ if name.starts_with("load_") => buffer.load(state, name),
        _ => buffer.store(state, name),
    }
}

/// Size of an unformatted access in bytes, from its name.
fn size(name: &str) -> u64 {
    let ty = name.split('_').nth(1).expect("a type");
    match ty.trim_start_matches(['u', 's']) {
        "byte" => 1,
        "hort" | "short" => 2,
        "dword" => 4,
        "dwordx2" => 8,
        "dwordx3" => 12,
        "dwordx4" => 16,
        other => panic!("{other} is no size"),
    }
}

impl Buffer<'_> {
    /// True if the descriptor has no data format, which disables all accesses except typed and 64-bit ones (E249).
    fn is_null(&self) -> bool {
        let bits_are_stride =
            self.resource.adds_lane && self.context.generation >= Generation::Gfx8;
        self.resource.data_format == 0 && !self.fields.addr64 && !bits_are_stride
    }

    fn index(&self, lane: usize) -> u32 {
        let by_register = if self.fields.idxen {
            self.before.vgprs[self.fields.vaddr][lane]
        } else {
            0
        };
        let by_lane = if self.resource.adds_lane {
            lane as u32
        } else {
            0
        };
        by_register.wrapping_add(by_lane)
    }

    /// Offset without the scalar one. If it exceeds 32 bits, it is out of range up to GCN 1.2, as LLVM's developers
    /// found, and wraps on GCN 1.4.
    fn offset(&self, lane: usize) -> u64 {
        let register = self.fields.vaddr + usize::from(self.fields.idxen);
        let by_register = if self.fields.offen {
            self.before.vgprs[register][lane]
        } else {
            0
        };
        let sum = u64::from(by_register) + u64::from(self.fields.offset);
        match self.context.generation {
            Generation::Gfx9 => u64::from(sum as u32),
            _ => sum,
        }
    }

    /// Place of `bytes` bytes that begin `part` bytes into a lane's access.
    fn place(&self, lane: usize, part: u32, bytes: u64) -> Place {
        if self.fields.addr64 {
            let register = self.before.value(self.fields.vaddr, 8, lane);
            let offset = u64::from(self.fields.offset) + u64::from(part);
            let sum = self
                .resource
                .base
                .wrapping_add(register)
                .wrapping_add(offset);
            return Place {
                address: sum.wrapping_add(self.soffset.into()),
                in_range: true,
                is_split: false,
            };
        }
        let index = self.index(lane);
        let offset = self.offset(lane) + u64::from(part);
        let resource = &self.resource;
        let (i, stride) = (u64::from(index), u64::from(resource.stride));
        let sum = if resource.is_swizzled {
            let size = u64::from(resource.element_size);
            let group = u64::from(resource.index_stride);
            (i / group * stride + offset / size * size) * group + i % group * size + offset % size
        } else {
            i * stride + offset
        };
        let in_range = self.in_range(index, offset, sum, bytes);
        Place {
            address: resource
                .base
                .wrapping_add(sum)
                .wrapping_add(self.soffset.into()),
            in_range,
            // "A single fetch instruction cannot attempt to fetch a unit larger than const-element-size."
            is_split: in_range
                && resource.is_swizzled
                && offset % u64::from(resource.element_size) + bytes > resource.element_size.into(),
        }
    }

    /// Range check of each generation (E308).
    fn in_range(&self, index: u32, offset: u64, sum: u64, bytes: u64) -> bool {
        let resource = &self.resource;
        let stride = u64::from(resource.stride);
        let has_index = self.fields.idxen || resource.adds_lane;
        let size = u64::from(resource.records.saturating_sub(self.soffset));
        let is_record = index < resource.records;
        let in_record = offset + bytes <= stride;
        match self.context.generation {
            Generation::Gfx6 | Generation::Gfx7 if stride == 0 => sum + bytes <= size,
            Generation::Gfx6 | Generation::Gfx7 => is_record && (!has_index || in_record),
            Generation::Gfx8 if stride == 0 || !resource.is_swizzled => sum + bytes <= size,
            Generation::Gfx8 => is_record && in_record,
            Generation::Gfx9 if resource.adds_lane && !self.fields.idxen => true,
            Generation::Gfx9 if self.fields.idxen && stride != 0 => is_record,
            Generation::Gfx9 => offset + bytes <= size,
        }
    }

    /// Clears the low bits of an address that GCN 1.0 ignores (E104).
    fn aligned(&self, address: u64, bytes: u64) -> u64 {
        match (self.context.generation, bytes) {
            (Generation::Gfx6, 2) => address & !1,
            (Generation::Gfx6, 4..) => address & !3,
            _ => address,
        }
    }

    /// Notes that a lane's access is partly unmapped: the parts that are then accessed are undefined (E105).
    fn note_torn(&self, state: &mut State, lane: usize, size: u64) {
        let unit = size.min(4);
        let mut there = Vec::new();
        for part in (0..size).step_by(unit as usize) {
            let place = self.place(lane, part as u32, unit.min(size - part));
            if place.in_range {
                let address = self.aligned(place.address, unit);
                let is_there =
                    |byte: u64| state.global.find(address.wrapping_add(byte), 1).is_some();
                there.extend((0..unit).map(is_there));
            }
        }
        state.undefined |= there.contains(&true) && there.contains(&false);
    }

    /// Reads an element of memory: 0 if it is out of range or unmapped.
    fn read(&self, state: &mut State, place: Place, bytes: u64) -> u64 {
        state.undefined |= place.is_split;
        if !place.in_range {
            return 0;
        }
        let address = self.aligned(place.address, bytes);
        match state.global.find(address, bytes) {
            Some(there) => number(there),
            None => {
                state.violated = true;
                0
            }
        }
    }

    fn write(&self, state: &mut State, place: Place, bytes: &[u8]) {
        state.undefined |= place.is_split;
        if !place.in_range {
            return;
        }
        let address = self.aligned(place.address, bytes.len() as u64);
        match state.global.find(address, bytes.len() as u64) {
            Some(there) => there.copy_from_slice(bytes),
            None => state.violated = true,
        }
    }

    /// Writes a value to a register, or to LDS.
    fn deliver(&self, state: &mut State, lane: usize, register: usize, value: u32) {
        if self.fields.lds {
            let reach = Reach::of_allocation(state);
            reach.store(state, Some(self.place_in_lds(lane)), 4, value.into());
        } else {
            state.vgprs[register][lane] = value;
        }
    }

    /// LDS offset of a lane: M0's low half, the instruction's offset, and 4 bytes per lane.
    fn place_in_lds(&self, lane: usize) -> u32 {
        (self.before.m0() & 0xffff) + self.fields.offset + 4 * lane as u32
    }

    /// E080: the status reports that nothing is missing.
    fn status(&self, state: &mut State, register: usize) {
        if self.fields.tfe {
            for lane in self.before.lanes() {
                state.vgprs[register][lane] = 0;
            }
        }
    }

    fn load(&self, state: &mut State, name: &str) {
        let size = size(name);
        let half = match name {
            _ if name.ends_with("_d16_hi") => Some(16),
            _ if name.ends_with("_d16") => Some(0),
            _ => None,
        };
        let is_signed = name.starts_with("load_sbyte") || name.starts_with("load_sshort");
        let bytes = size.min(4);
        let dwords = size.div_ceil(4) as usize;
        for lane in self.before.lanes() {
            self.note_torn(state, lane, size);
            for dword in 0..dwords {
                let register = self.fields.vdata + dword;
                let place = self.place(lane, 4 * dword as u32, bytes);
                let value = if self.is_null() {
                    0
                } else {
                    extend(self.read(state, place, bytes), bytes, is_signed)
                };
                match half {
                    Some(low) => {
                        let old = self.context.kept_half(state.vgprs[register][lane]);
                        let new = old & !(0xffff << low) | (value & 0xffff) << low;
                        state.vgprs[register][lane] = new;
                    }
                    None => self.deliver(state, lane, register, value),
                }
            }
        }
        self.status(state, self.fields.vdata + dwords);
    }

    fn store(&self, state: &mut State, name: &str) {
        let size = size(name);
        let shift = if name.ends_with("_d16_hi") { 16 } else { 0 };
        let bytes = size.min(4);
        for lane in self.before.lanes() {
            self.note_torn(state, lane, size);
            for dword in 0..size.div_ceil(4) as usize {
                let value = self.before.vgprs[self.fields.vdata + dword][lane] >> shift;
                let place = self.place(lane, 4 * dword as u32, bytes);
                if !self.is_null() {
                    self.write(state, place, &value.to_le_bytes()[..bytes as usize]);
                }
            }
        }
    }

    /// Copies LDS to memory, one dword per lane.
    fn store_from_lds(&self, state: &mut State) {
        let reach = Reach::of_allocation(state);
        for lane in self.before.lanes() {
            let value = reach.load(state, Some(self.place_in_lds(lane)), 4) as u32;
            let place = self.place(lane, 0, 4);
            if !self.is_null() {
                self.write(state, place, &value.to_le_bytes());
            }
        }
    }

    /// Atomics, which access an element as a whole, in one allocation. GLC returns the old value in VDATA.
    fn update(&self, state: &mut State, mnemonic: &str) {
        let operator = Operator::of_memory(mnemonic);
        let bytes = operator.bytes;
        for lane in self.before.lanes() {
            let place = self.place(lane, 0, bytes as u64);
            state.undefined |= place.is_split;
            let low = self.before.value(self.fields.vdata, bytes, lane);
            let old = if place.in_range && !self.is_null() {
                let address = place.address;
                let next = self.fields.vdata + bytes / 4;
                let high = match operator.name {
                    "cmpswap" => self.before.value(next, bytes, lane),
                    _ => 0,
                };
                update_global(state, address, operator, low, high)
            } else {
                0
            };
            if self.fields.glc {
                state.set_value(self.fields.vdata, bytes, lane, old);
            }
        }
    }

    /// Loads 1 to 4 components, each into a dword or half of one.
    fn load_formatted(&self, state: &mut State, name: &str, is_typed: bool) {
        let shape = Shape::of(name, self.context.isa);
        let (data_format, number_format) = (self.fields.data_format, self.fields.number_format);
        let size = formats::bytes(data_format);
        for lane in self.before.lanes() {
            let element = if size == 0 {
                None
            } else {
                self.element(state, lane, size)
            };
            let has = formats::widths(data_format).len();
            let components = match &element {
                Some(element) => formats::load(data_format, number_format, shape.bits(), element),
                None => vec![0; has],
            };
            let component = |number: usize| match components.get(number) {
                Some(value) => *value,
                // E201: a missing W is one; an invalid format has no components.
                None if number == 3 && size != 0 => formats::one(number_format, shape.bits()),
                None => 0,
            };
            let selected = |register: usize| match self.resource.selection[register] {
                _ if is_typed => component(register),
                1 if size != 0 => formats::one(number_format, shape.bits()),
                selected @ 4..8 => component(selected as usize - 4),
                _ => 0,
            };
            let values: Vec<u32> = (0..shape.components).map(selected).collect();
            self.put(state, lane, &shape, &values);
        }
        self.status(state, self.fields.vdata + shape.registers());
    }

    /// Bytes of an element; `None` if it is not in range as a whole.
    fn element(&self, state: &mut State, lane: usize, size: u64) -> Option<Vec<u8>> {
        self.note_torn(state, lane, size);
        let place = self.place(lane, 0, size);
        let unit = match size {
            1 | 2 => size,
            _ => 4,
        };
        let address = self.aligned(place.address, unit);
        state.undefined |= place.is_split;
        if !place.in_range {
            return None;
        }
        let found = state.global.find(address, size).map(|there| there.to_vec());
        state.violated |= found.is_none();
        found
    }

    fn put(&self, state: &mut State, lane: usize, shape: &Shape, values: &[u32]) {
        for (number, &value) in values.iter().enumerate() {
            match shape.halves {
                Halves::None => self.deliver(state, lane, self.fields.vdata + number, value),
                Halves::Spread => state.vgprs[self.fields.vdata + number][lane] = value,
                Halves::Packed => {
                    let register = &mut state.vgprs[self.fields.vdata + number / 2][lane];
                    if number % 2 == 0 {
                        *register = value;
                    } else {
                        *register |= value << 16;
                    }
                }
                Halves::High => {
                    let register = &mut state.vgprs[self.fields.vdata][lane];
                    let old = self.context.kept_half(*register);
                    *register = old & 0xffff | value << 16;
                }
            }
        }
    }

    fn store_formatted(&self, state: &mut State, name: &str, is_typed: bool) {
        let shape = Shape::of(name, self.context.isa);
        let (data_format, number_format) = (self.fields.data_format, self.fields.number_format);
        let size = formats::bytes(data_format);
        if size == 0 {
            return;
        }
        for lane in self.before.lanes() {
            let register = |number: usize| self.before.vgprs[self.fields.vdata + number][lane];
            let value = |number: usize| match shape.halves {
                Halves::None | Halves::Spread => register(number),
                Halves::Packed => register(number / 2) >> (16 * (number % 2)),
                Halves::High => register(0) >> 16,
            };
            let mut components = [0; 4];
            for (component, to) in components.iter_mut().enumerate() {
                let is_source = |register: &usize| match is_typed {
                    true => *register == component,
                    false => self.resource.selection[*register] as usize == 4 + component,
                };
                // E202: if two registers select a component, the first one is stored.
                if let Some(number) = (0..shape.components).find(is_source) {
                    *to = value(number);
                }
            }
            match formats::store(data_format, number_format, shape.bits(), components) {
                Some(element) => self.write_element(state, lane, &element),
                None => state.undefined = true,
            }
        }
    }

    fn write_element(&self, state: &mut State, lane: usize, element: &[u8]) {
        let size = element.len() as u64;
        self.note_torn(state, lane, size);
        let mut place = self.place(lane, 0, size);
        place.address = self.aligned(place.address, size.min(4));
        self.write(state, place, element);
    }
}

/// Changes 4 or 8 bytes of memory, which must be aligned (E104), and returns the old value.
pub fn update_global(
    state: &mut State,
    address: u64,
    operator: Operator,
    low: u64,
    high: u64,
) -> u64 {
    // Memory comparisons treat single-precision denormals as zeros (E053).
    let flushing = Flushing {
        sources: true,
        results: true,
    };
    let bytes = operator.bytes as u64;
    let found = if address.is_multiple_of(bytes) {
        state.global.find(address, bytes)
    } else {
        None
    };
    let Some(there) = found else {
        state.violated = true;
        return 0;
    };
    let old = number(there);
    // The comparison value is the upper half (E090).
    let new = match operator.name {
        "cmpswap" => operator.apply(old, high, low, flushing),
        _ => operator.apply(old, low, 0, flushing),
    };
    there.copy_from_slice(&new.to_le_bytes()[..bytes as usize]);
    old
}
