//! Model of SMRD and SMEM: the document on SMEM instructions and errata E108 to E133 as code.

use crate::operators::{Flushing, Operator};
use crate::state::*;

struct Fields {
    sbase: usize,
    sdata: usize,
    glc: bool,
    /// Signed offset in bytes.
    immediate: i64,
    /// Register that is added.
    register: Option<usize>,
}

impl Fields {
    /// SMRD offsets are in dwords, SMEM offsets in bytes (E110); registers are always in bytes.
    fn of(words: [u32; 2], mnemonic: &str, generation: Generation) -> Fields {
        let [low, high] = words;
        if generation <= Generation::Gfx7 {
            let offset = low & 0xff;
            let (immediate, register) = match (low >> 8 & 1, offset) {
                (1, _) => (4 * offset, None),
                // GCN 1.1: a literal, in dwords.
                (_, 255) if generation == Generation::Gfx7 => {
                    return Fields {
                        sbase: (low >> 9 & 0x3f) as usize * 2,
                        sdata: (low >> 15 & 0x7f) as usize,
                        glc: false,
                        immediate: 4 * i64::from(high),
                        register: None,
                    };
                }
                (_, register) => (0, Some(register as usize)),
            };
            return Fields {
                sbase: (low >> 9 & 0x3f) as usize * 2,
                sdata: (low >> 15 & 0x7f) as usize,
                glc: false,
                immediate: immediate.into(),
                register,
            };
        }
        let has_immediate = low >> 17 & 1 != 0;
        let has_soffset = generation == Generation::Gfx9 && low >> 14 & 1 != 0;
        let immediate = match generation {
            Generation::Gfx8 => i64::from(high & 0xf_ffff),
            _ if mnemonic.contains("_buffer_") => i64::from(high & 0x1f_ffff),
            _ => i64::from((high << 11) as i32 >> 11),
        };
        // E111
        let register = match (has_immediate, has_soffset) {
            (_, true) => Some((high >> 25) as usize),
            (false, false) => Some((high & 0x7f) as usize),
            (true, false) => None,
        };
        Fields {
            sbase: (low & 0x3f) as usize * 2,
            sdata: (low >> 6 & 0x7f) as usize,
            glc: low >> 16 & 1 != 0,
            immediate: if has_immediate { immediate } else { 0 },
            register,
        }
    }
}

/// Address range of a scalar access.
#[derive(Clone, Copy)]
struct Range {
    address: u64,
    /// Offset from the start of a buffer and the buffer's size, both in bytes.
    in_buffer: Option<(u64, u64)>,
}

impl Range {
    /// E119: each dword is checked separately.
    fn has(&self, part: u64, bytes: u64) -> bool {
        self.in_buffer
            .is_none_or(|(offset, size)| offset + part + bytes <= size)
    }
}

pub fn execute(context: &Context, mnemonic: &str, words: [u32; 2], state: &mut State) {
    let fields = Fields::of(words, mnemonic, context.generation);
    let name = mnemonic.strip_prefix("s_").expect("scalar");
    if name.starts_with("dcache_") || name.starts_with("atc_probe") {
        return;
    }
    let range = range(&fields, name, state);
    if name.contains("atomic_") {
        return update(&fields, mnemonic, range, state);
    }
    let dwords = match name.split_once("dwordx") {
        Some((_, count)) => count.parse().expect("a number"),
        None => 1,
    };
    // The dwords within the buffer form one access.
    let count = (0..dwords as u64)
        .take_while(|dword| range.has(4 * dword, 4))
        .count();
    let mut dwords: Vec<u32> = vec![0; dwords];
    if name.contains("store_") {
        for (register, dword) in (fields.sdata..).zip(&mut dwords) {
            *dword = state.scalars[register];
        }
        match state.global.find(range.address, 4 * count as u64) {
            Some(there) => {
                for (there, dword) in there.chunks_exact_mut(4).zip(dwords) {
                    there.copy_from_slice(&dword.to_le_bytes());
                }
            }
            None => state.violated |= count != 0,
        }
        return;
    }
    match state.global.find(range.address, 4 * count as u64) {
        Some(there) => {
            for (dword, there) in dwords.iter_mut().zip(there.chunks_exact(4)) {
                *dword = number(there) as u32;
            }
        }
        None => state.violated |= count != 0,
    }
    for (register, dword) in (fields.sdata..).zip(dwords) {
        state.scalars[register] = dword;
    }
}

/// Address: base, immediate and register, each without its two lowest bits (E113). Scratch offsets are in units of 64
/// bytes (E121).
fn range(fields: &Fields, name: &str, state: &State) -> Range {
    let register = fields
        .register
        .map_or(0, |register| u64::from(state.scalars[register]));
    let register = if name.starts_with("scratch_") {
        64 * register
    } else {
        register & !3
    };
    let offset = (fields.immediate & !3) as u64;
    let offset = offset.wrapping_add(register);
    let base = state.scalar64(fields.sbase);
    if !name.contains("buffer_") {
        return Range {
            address: (base & !3).wrapping_add(offset),
            in_buffer: None,
        };
    }
    let sbase = fields.sbase & !3;
    let base = state.scalar64(sbase);
    let stride = base >> 48 & 0x3fff;
    let base = ((base << 16) as i64 >> 16) as u64;
    let records = u64::from(state.scalars[sbase + 2]);
    let size = if stride == 0 {
        records
    } else {
        stride * records
    };
    Range {
        address: (base & !3).wrapping_add(offset),
        in_buffer: Some((offset, size)),
    }
}

/// Atomic. GLC returns the old value in the first half of the data (E112).
fn update(fields: &Fields, mnemonic: &str, range: Range, state: &mut State) {
    let operator = Operator::of_memory(mnemonic);
    let bytes = operator.bytes as u64;
    let value = |state: &State, first: usize| match bytes {
        8 => state.scalar64(first),
        _ => state.scalars[first].into(),
    };
    let low = value(state, fields.sdata);
    let high = match operator.name {
        "cmpswap" => value(state, fields.sdata + operator.bytes / 4),
        _ => 0,
    };
    let flushing = Flushing {
        sources: true,
        results: true,
    };
    let mut old = 0;
    if range.has(0, bytes) {
        let is_aligned = range.address.is_multiple_of(bytes);
        match state.global.find(range.address, bytes) {
            Some(there) if is_aligned => {
                old = number(there);
                let new = match operator.name {
                    "cmpswap" => operator.apply(old, high, low, flushing),
                    _ => operator.apply(old, low, 0, flushing),
                };
                there.copy_from_slice(&new.to_le_bytes()[..bytes as usize]);
            }
            _ => state.violated = true,
        }
    }
    if fields.glc {
        state.scalars[fields.sdata] = old as u32;
        if bytes == 8 {
            state.scalars[fields.sdata + 1] = (old >> 32) as u32;
        }
    }
}
