//! Random instructions, and states in which most of their addresses are valid.

use gcn_isa::{Encoding, Field, Form, Inst};

use crate::formats;
use crate::noise::{Noise, Values, near};
use crate::rig::{BUFFER_BYTES, GDS_BYTES, LDS_BYTES, Rig, SCRATCH};
use crate::state::*;

/// Limit of first registers, so that every operand fits into the wave's registers.
const LAST_VGPR: u64 = VGPRS as u64 - 5;
/// One-bit and small fields that a sample sets with a probability of 1 in `n`.
const FLAGS: [(Field, u64); 8] = [
    (Field::Gds, 6),
    (Field::Glc, 2),
    (Field::Slc, 4),
    (Field::Nv, 4),
    (Field::Lds, 4),
    (Field::Tfe, 4),
    (Field::Offen, 2),
    (Field::Idxen, 2),
];

/// Random instruction of this form that satisfies the encoding's rules.
pub fn instruction(form: &'static Form, noise: &mut Noise) -> Inst {
    loop {
        let inst = attempt(form, noise);
        let is_whole = inst.broken_rule().is_none();
        if is_whole && !is_undefined(&inst) {
            return inst;
        }
    }
}

fn attempt(form: &'static Form, noise: &mut Noise) -> Inst {
    let mut inst = Inst::with_defaults(form);
    // Fields that the encoding lacks are skipped.
    let mut put = |field: Field, value: u64| {
        let _ = inst.set(field, value as i64);
    };
    for field in [Field::Vaddr, Field::Vdata, Field::Vdata1, Field::Vdst] {
        if form.row.slots().any(|slot| slot.field == field) {
            put(field, noise.below(LAST_VGPR));
        }
    }
    let has = |field: Field| {
        form.modifiers
            .iter()
            .any(|placed| placed.modifier.field == field)
    };
    for (field, one_in) in FLAGS {
        if has(field) && noise.one_in(one_in) {
            put(field, 1);
        }
    }
    match form.encoding {
        Encoding::Ds if form.name.starts_with("ds_swizzle") => {
            put(Field::Offset, noise.below(1 << 16));
        }
        // Addition or exchange by a wave that keeps its turn.
        Encoding::Ds if form.name == "ds_ordered_count" => {
            put(Field::Gds, 1);
            put(Field::Offset, noise.below(2) << 12 | noise.below(64) << 2);
        }
        Encoding::Ds if has(Field::Offset0) => {
            let limit = noise.pick(&[2, 8, 256]);
            put(Field::Offset0, noise.below(limit));
            put(Field::Offset1, noise.below(limit));
        }
        Encoding::Ds => {
            let limit = noise.pick(&[1, 64, 64, 512, 1 << 16]);
            put(Field::Offset, noise.below(limit));
        }
        Encoding::Mubuf | Encoding::Mtbuf => {
            if noise.one_in(4) {
                put(Field::Addr64, 1);
            }
            put(Field::Srsrc, noise.below(20));
            let soffset = match noise.below(4) {
                0 => 128 + noise.below(65),
                1 => 193 + noise.below(16),
                _ => noise.below(100),
            };
            put(Field::Soffset, soffset);
            let limit = noise.pick(&[1, 16, 64, 300]);
            put(Field::Offset, noise.below(limit));
            put(Field::Dfmt, noise.below(16));
            put(Field::Nfmt, noise.below(8));
        }
        Encoding::Flat => put(Field::Offset12, noise.below(64)),
        Encoding::Global | Encoding::Scratch => {
            let offset = noise.below(64) as i64 - 24;
            let _ = inst.set_signed(Field::Offset, offset);
            let register = noise.below(50) * 2;
            let saddr = if noise.one_in(2) { 0x7f } else { register };
            let _ = inst.set(Field::Saddr, saddr as i64);
        }
        _ => scalar(&mut inst, noise),
    }
    inst
}

/// Sets operands of a scalar access: SGPRs, VCC, trap registers or FLAT_SCRATCH as data, and any register as an offset.
fn scalar(inst: &mut Inst, noise: &mut Noise) {
    let name = inst.name();
    let is_buffer = name.contains("_buffer_");
    let sbase = match noise.below(8) {
        // A descriptor in trap registers.
        0 => 112 / 2,
        _ if is_buffer => noise.below(20) * 2,
        _ => noise.below(40),
    };
    let _ = inst.set(Field::Sbase, sbase as i64);
    let doubled = if name.contains("cmpswap") { 2 } else { 1 };
    let registers: u64 = match name.split_once("dwordx") {
        Some((_, count)) => count.parse().expect("a number"),
        None if name.ends_with("_x2") => 2 * doubled,
        None => doubled,
    };
    let unit = registers.min(4);
    let sdata = match noise.below(6) {
        0 if registers <= 2 => 106,
        1 if registers <= 8 => 112,
        2 if registers <= 2 && inst.isa >= gcn_isa::Isa::Vi => 102,
        _ => noise.below(80 / unit) * unit,
    };
    let _ = inst.set(Field::Sdata, sdata as i64);
    let immediate = match noise.below(4) {
        0 => 0,
        1 => noise.below(1 << 8),
        _ => noise.below(40),
    };
    let register = match noise.below(8) {
        0 => M0 as u64,
        1 => 106,
        _ => noise.below(96),
    };
    let has_immediate = noise.one_in(2);
    let _ = inst.set(Field::Imm, has_immediate.into());
    let is_signed = inst.encoding == Encoding::Smem && inst.isa >= gcn_isa::Isa::Gfx9 && !is_buffer;
    let offset = if has_immediate { immediate } else { register } as i64;
    if has_immediate && is_signed && noise.one_in(3) {
        let _ = inst.set_signed(Field::Offset, -offset);
    } else {
        let _ = inst.set(Field::Offset, offset);
    }
    if noise.one_in(3) && inst.set(Field::Soe, 1).is_ok() {
        let _ = inst.set(Field::Soffset, register as i64);
    }
    let is_literal = inst.isa == gcn_isa::Isa::Ci && !has_immediate && noise.one_in(4);
    if is_literal && inst.encoding == Encoding::Smrd {
        let _ = inst.set(Field::Offset, 255);
        inst.set_literal(noise.below(64) as u32)
            .expect("it takes one");
    }
}

/// True for combinations that no source defines: MTBUF formats missing from the manuals, TFE with LDS, and ADDR64 with
/// OFFEN or IDXEN.
fn is_undefined(inst: &Inst) -> bool {
    let name = inst.name();
    let is_stored = name.contains("store_format");
    let (data_format, number_format) = (inst.get(Field::Dfmt), inst.get(Field::Nfmt));
    inst.encoding == Encoding::Mtbuf
        && !formats::is_defined(data_format as u32, number_format as u32, is_stored)
        || inst.flag(Field::Lds) && inst.flag(Field::Tfe)
        || inst.flag(Field::Addr64) && (inst.flag(Field::Offen) || inst.flag(Field::Idxen))
}

/// Random state in which most of the instruction's addresses are valid.
pub fn state(rig: &Rig, inst: &Inst, noise: &mut Noise) -> State {
    let values = Values::new(noise);
    let mut state = rig.blank();
    for register in &mut state.vgprs {
        register.fill_with(|| values.dword(noise));
    }
    state.scalars.fill_with(|| values.dword(noise));
    values.fill(&mut state.lds, noise);
    values.fill(&mut state.gds, noise);
    for region in &mut state.global.0 {
        values.fill(&mut region.bytes, noise);
    }
    // Random denormal modes; no skipping and no indexing.
    state.mode = noise.next() as u32 & 0x3ff;
    let exec = match noise.below(8) {
        0 => 0,
        1 => 1 << noise.below(64),
        2 => noise.next() & noise.next(),
        3 => noise.next(),
        _ => u64::MAX,
    };
    set64(&mut state, EXEC, exec);
    if let Some((register, value)) = rig.flat_scratch() {
        // The base of the first wave's scratch, or a smaller size.
        let value = match noise.below(8) {
            0 if inst.isa < gcn_isa::Isa::Gfx9 => value & 0xffff_ffff,
            1 if inst.isa < gcn_isa::Isa::Gfx9 => value & !0xffff_ffff | 40,
            2 if inst.isa >= gcn_isa::Isa::Gfx9 => value - 256,
            _ => value,
        };
        set64(&mut state, register, value);
    }
    let unit = noise.pick(&[1, 2, 4, 4, 8, 16]);
    match inst.encoding {
        Encoding::Ds => share(inst, &mut state, unit, noise),
        Encoding::Flat => flat(rig, inst, &mut state, unit, noise),
        Encoding::Global => global(rig, inst, &mut state, unit, noise),
        Encoding::Scratch => scratch(inst, &mut state, unit, noise),
        Encoding::Mubuf | Encoding::Mtbuf => buffer(rig, inst, &mut state, unit, noise),
        _ => scalar_addresses(rig, inst, &mut state, unit, noise),
    }
    state
}

fn set64(state: &mut State, register: usize, value: u64) {
    state.scalars[register] = value as u32;
    state.scalars[register + 1] = (value >> 32) as u32;
}

fn field(inst: &Inst, field: Field) -> usize {
    inst.get(field) as usize
}

fn share(inst: &Inst, state: &mut State, unit: u64, noise: &mut Noise) {
    if inst.name() == "ds_ordered_count" {
        // Wave 0, which has the first turn.
        state.scalars[M0] = (near(noise, GDS_BYTES.into(), 4) as u32) << 16;
        return;
    }
    let is_gds = inst.flag(Field::Gds);
    let size = u64::from(if is_gds { GDS_BYTES } else { LDS_BYTES });
    state.scalars[M0] = match noise.below(8) {
        0 => 0,
        1 => noise.next() as u32,
        _ if is_gds => {
            let base = noise.below(16) as u32 * 16;
            base << 16 | near(noise, size, 4) as u32
        }
        2 | 3 => near(noise, size, 1) as u32,
        _ => u32::MAX,
    };
    let offset = inst.get(Field::Offset) as u32;
    let crowd = if noise.one_in(3) { 64 } else { size };
    let is_packed = inst.name().contains("_src2_") && offset >> 15 != 0;
    let is_negative = noise.one_in(6);
    for register in &mut state.vgprs[field(inst, Field::Vaddr)] {
        let place = near(noise, crowd, unit) as u32;
        *register = match noise.below(32) {
            0 => noise.next() as u32,
            _ if is_packed => {
                let distance = (near(noise, crowd, unit) as u32).wrapping_sub(place) / 4;
                place & 0x1_ffff | distance << 17
            }
            _ if is_negative => place.wrapping_sub(offset),
            _ => place,
        };
    }
}

fn lead(state: &mut State, register: usize, lane: usize, address: u64) {
    state.set_value(register, 8, lane, address);
}

fn flat(rig: &Rig, inst: &Inst, state: &mut State, unit: u64, noise: &mut Noise) {
    let register = field(inst, Field::Vaddr);
    let offset = inst.get(Field::Offset12);
    state.scalars[M0] = match noise.below(4) {
        0 => 0,
        1 => near(noise, LDS_BYTES.into(), 1) as u32,
        _ => u32::MAX,
    };
    let mixed = noise.below(6);
    for lane in 0..LANES {
        let window = match mixed {
            0 => noise.below(3),
            1 => 1,
            2 | 3 => 2,
            _ => 0,
        };
        let to = match window {
            0 => rig.buffer + near(noise, BUFFER_BYTES, unit),
            1 => u64::from(rig.context.shared) << 32 | near(noise, LDS_BYTES.into(), unit),
            _ => u64::from(rig.context.private) << 32 | near(noise, SCRATCH.into(), unit),
        };
        // The aperture applies to the sum with the offset.
        let to = if noise.one_in(2) {
            to.wrapping_sub(offset)
        } else {
            to
        };
        lead(state, register, lane, to);
    }
}

fn global(rig: &Rig, inst: &Inst, state: &mut State, unit: u64, noise: &mut Noise) {
    let register = field(inst, Field::Vaddr);
    state.scalars[M0] = near(noise, LDS_BYTES.into(), 4) as u32;
    let saddr = field(inst, Field::Saddr);
    let crowd = if noise.one_in(3) { 64 } else { BUFFER_BYTES };
    if saddr == 0x7f {
        for lane in 0..LANES {
            let to = match noise.below(64) {
                0 => u64::from(rig.context.shared) << 32 | noise.below(64),
                _ => rig.buffer + near(noise, crowd, unit),
            };
            lead(state, register, lane, to);
        }
        return;
    }
    // Sometimes, the base is almost 4 GiB below the buffer, and the offsets compensate for it.
    let is_high = noise.one_in(4);
    let far = if is_high { 0xffff_f000 } else { 0 };
    set64(state, saddr, rig.buffer.wrapping_sub(far));
    for value in &mut state.vgprs[register] {
        *value = near(noise, crowd, unit).wrapping_add(far) as u32;
    }
}

fn scratch(inst: &Inst, state: &mut State, unit: u64, noise: &mut Noise) {
    state.scalars[M0] = near(noise, LDS_BYTES.into(), 4) as u32;
    let saddr = field(inst, Field::Saddr);
    // FLAT_SCRATCH and the offset may be the same register: then the address is arbitrary.
    if saddr < 102 {
        state.scalars[saddr] = near(noise, SCRATCH.into(), unit) as u32;
    }
    for value in &mut state.vgprs[field(inst, Field::Vaddr)] {
        *value = near(noise, SCRATCH.into(), unit) as u32;
    }
}

fn buffer(rig: &Rig, inst: &Inst, state: &mut State, unit: u64, noise: &mut Noise) {
    state.scalars[M0] = match noise.below(4) {
        0 => noise.next() as u32,
        1 => 0,
        _ => near(noise, LDS_BYTES.into(), 4) as u32 | (noise.next() as u32) << 16,
    };
    let soffset = field(inst, Field::Soffset);
    if soffset < 100 {
        state.scalars[soffset] = near(noise, 16 * unit, unit) as u32;
    }
    let vaddr = field(inst, Field::Vaddr);
    let srsrc = 4 * field(inst, Field::Srsrc);
    let mut last = noise.next() as u32 & 0x0078_7fff;
    let is_stored = inst.name().contains("store_format");
    loop {
        last = last & !0x7_f000 | noise.next() as u32 & 0x7_f000;
        if formats::is_defined(last >> 15 & 15, last >> 12 & 7, is_stored) {
            break;
        }
    }
    if noise.one_in(4) {
        last |= 1 << 23;
    }
    if noise.one_in(2) {
        last = last & !0xfff | 0o7654;
    }
    // Selections 2 and 3 are undefined.
    for place in [0, 3, 6, 9] {
        if matches!(last >> place & 7, 2 | 3) {
            last |= 4 << place;
        }
    }
    if inst.flag(Field::Addr64) {
        state.scalars[srsrc + 3] = last;
        set64(state, srsrc, rig.buffer);
        for lane in 0..LANES {
            lead(state, vaddr, lane, near(noise, BUFFER_BYTES - 512, unit));
        }
        return;
    }
    let stride = match noise.below(4) {
        0 | 1 => 0,
        _ => noise.pick(&[4, 8, 12, 16, 20, 32, 64]),
    };
    let place = noise.below(64) * unit;
    let flags = noise.below(4) << 62;
    set64(state, srsrc, (rig.buffer + place) | stride << 48 | flags);
    let records = match noise.below(8) {
        0 => near(noise, 2048, 1),
        1 => u32::MAX.into(),
        2 => 0,
        _ if stride != 0 && noise.one_in(2) => noise.below(40),
        _ => near(noise, 1024, 4),
    };
    set64(state, srsrc + 2, records | u64::from(last) << 32);
    let index_limit = if stride == 0 { 64 } else { 40 };
    let offset_limit = if stride == 0 || noise.one_in(2) {
        1024
    } else {
        stride
    };
    let is_indexed = inst.flag(Field::Idxen);
    if is_indexed {
        for value in &mut state.vgprs[vaddr] {
            *value = near(noise, index_limit, 1) as u32;
        }
    }
    if inst.flag(Field::Offen) {
        for value in &mut state.vgprs[vaddr + usize::from(is_indexed)] {
            *value = match noise.below(64) {
                0 => (noise.below(16) as u32).wrapping_neg(),
                _ => near(noise, offset_limit, unit) as u32,
            };
        }
    }
}

fn scalar_addresses(rig: &Rig, inst: &Inst, state: &mut State, unit: u64, noise: &mut Noise) {
    let is_buffer = inst.name().contains("_buffer_");
    let offsets = [Field::Offset, Field::Soffset].map(|name| field(inst, name));
    for register in offsets {
        if register < 128 && register != EXEC && register != EXEC + 1 {
            state.scalars[register] = near(noise, 256, unit) as u32;
        }
    }
    let sbase = 2 * field(inst, Field::Sbase);
    let place = near(noise, BUFFER_BYTES - 512, unit);
    if is_buffer {
        let stride = noise.pick(&[0, 0, 4, 12, 64]);
        let records = if stride == 0 {
            near(noise, 400, 4)
        } else {
            near(noise, 20, 1)
        };
        set64(state, sbase, (rig.buffer + place) | stride << 48);
        state.scalars[sbase + 2] = records as u32;
    } else {
        set64(state, sbase, rig.buffer + place + 256);
    }
}
