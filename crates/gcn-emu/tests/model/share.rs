//! The local and the global data share: what is in range, and what an access outside of it does.

use crate::state::*;

/// The memory that a DS instruction names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Share {
    Lds,
    Gds,
}

/// Part of a share that a wave reaches.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    share: Share,
    /// The place of address 0.
    base: u64,
    /// Dwords that begin below are in range (E036).
    limit: u64,
}

impl Reach {
    /// LDS is limited by the allocation, up to GCN 1.2 by M0 too (E035); GDS by M0, whose high half is the base (E037).
    pub fn of_ds(share: Share, context: &Context, state: &State) -> Reach {
        let allocated = state.lds.len() as u64;
        let m0 = state.m0();
        let (base, limit) = match share {
            Share::Lds if context.generation < Generation::Gfx9 => (0, allocated.min(m0.into())),
            Share::Lds => (0, allocated),
            Share::Gds => ((m0 >> 16).into(), u64::from(m0 & 0xffff)),
        };
        Reach { share, base, limit }
    }

    /// The whole allocation of LDS: what FLAT reaches from GCN 1.4 on, and loads to LDS everywhere.
    pub fn of_allocation(state: &State) -> Reach {
        Reach {
            share: Share::Lds,
            base: 0,
            limit: state.lds.len() as u64,
        }
    }

    /// LDS of FLAT: M0 limits it up to GCN 1.2, unless it is 0 (E088, E230).
    pub fn of_flat(context: &Context, state: &State) -> Reach {
        match state.m0() {
            0 => Reach::of_allocation(state),
            _ => Reach::of_ds(Share::Lds, context, state),
        }
    }

    /// A byte that is in range: a dword that begins below the limit is, as a whole.
    fn byte<'a>(&self, state: &'a mut State, address: u32) -> Option<&'a mut u8> {
        if u64::from(address & !3) >= self.limit {
            return None;
        }
        let memory = match self.share {
            Share::Lds => &mut state.lds,
            Share::Gds => &mut state.gds,
        };
        memory.get_mut((self.base + u64::from(address)) as usize)
    }

    /// An element of up to 4 bytes; what is out of range is 0, and a violation (E038).
    pub fn load(&self, state: &mut State, address: Option<u32>, bytes: u64) -> u64 {
        let mut value = 0;
        for byte in 0..bytes as u32 {
            let place = address.and_then(|address| address.checked_add(byte));
            match place.and_then(|place| self.byte(state, place)) {
                Some(there) => value |= u64::from(*there) << (8 * byte),
                None => state.violated = true,
            }
        }
        value
    }

    /// Stores an element of up to 4 bytes; what is out of range is dropped (E038).
    pub fn store(&self, state: &mut State, address: Option<u32>, bytes: u64, value: u64) {
        for byte in 0..bytes as u32 {
            let place = address.and_then(|address| address.checked_add(byte));
            match place.and_then(|place| self.byte(state, place)) {
                Some(there) => *there = (value >> (8 * byte)) as u8,
                None => state.violated = true,
            }
        }
    }

    /// Changes an element of 4 or 8 bytes at once, all of it in range or nothing, and gives the value before.
    pub fn update(
        &self,
        state: &mut State,
        address: Option<u32>,
        bytes: u64,
        change: impl FnOnce(u64) -> u64,
    ) -> u64 {
        let is_in = address.is_some_and(|address| {
            let last = address.checked_add(bytes as u32 - 1);
            last.is_some_and(|last| self.byte(state, last).is_some())
        });
        if !is_in {
            state.violated = true;
            return 0;
        }
        let read = |state: &mut State, part: u32| {
            let place = address.map(|address| address + part);
            self.load(state, place, 4)
        };
        let mut old = read(state, 0);
        if bytes == 8 {
            old |= read(state, 4) << 32;
        }
        let new = change(old);
        for part in (0..bytes as u32).step_by(4) {
            let place = address.map(|address| address + part);
            self.store(state, place, 4, new >> (8 * part));
        }
        old
    }
}
