//! Model of the local and the global data share: ranges, and accesses that are out of range.

use crate::state::*;

/// Memory of a DS instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Share {
    Lds,
    Gds,
}

/// Range of a share that a wave can access.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    share: Share,
    /// Location of address 0.
    base: u64,
    /// Dwords that begin below this address are in range (E036).
    limit: u64,
}

impl Reach {
    /// LDS is limited by the allocation, and up to GCN 1.2 also by M0 (E035). GDS is limited by M0, whose high half is
    /// the base (E037).
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

    /// The whole LDS allocation, which FLAT can access from GCN 1.4 on, and loads to LDS on every generation.
    pub fn of_allocation(state: &State) -> Reach {
        Reach {
            share: Share::Lds,
            base: 0,
            limit: state.lds.len() as u64,
        }
    }

    /// LDS through FLAT: up to GCN 1.2, M0 limits it unless it is 0 (E088, E230).
    pub fn of_flat(context: &Context, state: &State) -> Reach {
        match state.m0() {
            0 => Reach::of_allocation(state),
            _ => Reach::of_ds(Share::Lds, context, state),
        }
    }

    /// Byte that is in range. A dword that begins below the limit is in range as a whole.
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

    /// Loads an element of up to 4 bytes. Bytes out of range are 0, and a violation (E038).
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

    /// Stores an element of up to 4 bytes. Bytes out of range are dropped (E038).
    pub fn store(&self, state: &mut State, address: Option<u32>, bytes: u64, value: u64) {
        for byte in 0..bytes as u32 {
            let place = address.and_then(|address| address.checked_add(byte));
            match place.and_then(|place| self.byte(state, place)) {
                Some(there) => *there = (value >> (8 * byte)) as u8,
                None => state.violated = true,
            }
        }
    }

    /// Changes an element of 4 or 8 bytes atomically, if all of it is in range, and returns the old value.
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
