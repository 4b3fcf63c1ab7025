//! Listings of the instructions around an address.

use gcn_isa::Inst;

use crate::session::Session;

/// Maximum number of bytes decoded before an address. Decoding starts at a symbol or, in a longer function, at this
/// distance, possibly in the middle of an instruction.
const MAX_BEFORE: u64 = 1 << 20;

/// Instruction or other dword in a listing.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Address of the entry.
    pub address: u64,
    /// Encoding; empty if the address is not in memory.
    pub words: Vec<u32>,
    /// Decoded instruction, or `None` for invalid encodings and outside the code.
    pub inst: Option<Inst>,
}

impl Listed {
    /// Returns the address after the entry.
    fn end(&self) -> u64 {
        self.address
            .wrapping_add(4 * self.words.len().max(1) as u64)
    }
}

impl Session<'_, '_> {
    /// Lists `count` instructions, starting `skip` instructions after the one at an address (before it if negative).
    /// Outside the code, each dword counts as an instruction.
    pub fn listing(&self, address: u64, skip: i64, count: usize) -> Vec<Listed> {
        let address = address & !3;
        let mut found = Vec::new();
        if skip < 0 {
            let before = usize::try_from(skip.unsigned_abs()).unwrap_or(usize::MAX);
            let mut known = self.listing_before(address, before);
            let missing = before.saturating_sub(known.len());
            let first = known.first().map_or(address, |it| it.address);
            for place in (1..=missing.min(count)).rev() {
                let back = 4 * (missing - missing.min(count) + place) as u64;
                found.push(self.listed(first.wrapping_sub(back)));
            }
            found.append(&mut known);
            found.truncate(count);
        }
        let mut next = address;
        for _ in 0..skip.max(0) {
            next = self.listed(next).end();
        }
        while found.len() < count {
            let listed = self.listed(next);
            next = listed.end();
            found.push(listed);
        }
        found
    }

    /// Returns the instruction or dword at an address.
    fn listed(&self, address: u64) -> Listed {
        let is_code = self.program().has_code(address);
        let inst = is_code.then(|| self.instruction(address)).flatten();
        let mut words = vec![0; inst.as_ref().map_or(1, Inst::dwords)];
        if self.memory().load_dwords(address, &mut words).is_none() {
            words.clear();
        }
        Listed {
            address,
            words,
            inst,
        }
    }

    /// Lists up to `count` instructions before an address, in ascending order.
    fn listing_before(&self, address: u64, count: usize) -> Vec<Listed> {
        let program = self.program();
        let mut end = address;
        let mut parts: Vec<Vec<Listed>> = Vec::new();
        let mut found = 0;
        while found < count
            && let Some(start) = program.function_before(end)
        {
            let mut part = Vec::new();
            let mut next = start.max(end.saturating_sub(MAX_BEFORE));
            while next < end {
                let listed = self.listed(next);
                next = listed.end();
                part.push(listed);
            }
            found += part.len();
            parts.push(part);
            end = start;
        }
        parts.reverse();
        let mut all = parts.concat();
        all.drain(..all.len().saturating_sub(count));
        all
    }
}
