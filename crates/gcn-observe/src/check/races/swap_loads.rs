//! Plain loads that feed a compare-and-swap: last address of each, per lane.
//!
//! Static analysis ([`SwapLoads`]) finds the loads that only feed a compare-and-swap. Whether both have the same
//! address is checked when the compare-and-swap executes; a load from another address counts as a plain one.

use gcn_emu::observe::{Access, LaneSpace};
use gcn_emu::wave::LANES;

use super::extent::{DWORD, ShadowedMemory};
use crate::filter::lanes;
use crate::lint::SwapLoads;

/// Last execution of a load by each lane of a wave.
#[derive(Debug)]
struct LastLoad {
    /// Address of the instruction.
    pc: u64,
    site: u16,
    bytes: u8,
    is_scalar: bool,
    /// Lanes that loaded from global memory, and from LDS.
    global: u64,
    lds: u64,
    address: Box<[u64; LANES]>,
}

/// A wave's last loads that feed compare-and-swaps.
#[derive(Debug, Default)]
pub(super) struct LastSwapLoads(Vec<LastLoad>);

/// A load that has turned out to be a plain one.
#[derive(Debug)]
pub(super) struct PlainLoad {
    pub(super) site: u16,
    pub(super) is_scalar: bool,
    pub(super) access: Access,
}

/// Memory and address of the first byte accessed by a lane.
fn place(access: &Access, lane: usize) -> Option<(ShadowedMemory, u64)> {
    match access.space(lane) {
        Some(LaneSpace::Lds) => Some((ShadowedMemory::Lds, access.address[lane])),
        _ => Some((ShadowedMemory::Global, access.place(lane, 0)?)),
    }
}

impl LastSwapLoads {
    /// Records a load.
    pub(super) fn add(&mut self, pc: u64, site: u16, access: &Access) {
        let number = self.0.iter().position(|load| load.pc == pc);
        let number = number.unwrap_or_else(|| {
            self.0.push(LastLoad {
                pc,
                site,
                bytes: access.bytes,
                is_scalar: access.scalar,
                global: 0,
                lds: 0,
                address: Box::new([0; LANES]),
            });
            self.0.len() - 1
        });
        let load = &mut self.0[number];
        if access.scalar {
            load.global = u64::MAX;
            load.bytes = access.dwords_in_bounds * DWORD as u8;
            load.address.fill(access.address[0]);
            return;
        }
        for lane in lanes(access.lanes()) {
            let bit = 1 << lane;
            load.global &= !bit;
            load.lds &= !bit;
            match place(access, lane) {
                Some((ShadowedMemory::Global, at)) => {
                    load.global |= bit;
                    load.address[lane] = at;
                }
                Some((ShadowedMemory::Lds, at)) => {
                    load.lds |= bit;
                    load.address[lane] = at;
                }
                None => {}
            }
        }
    }

    /// Loads that a compare-and-swap compares with in lanes with a different address.
    pub(super) fn elsewhere(&self, pc: u64, swap: &Access, of: &SwapLoads) -> Vec<PlainLoad> {
        let mut found = Vec::new();
        for compared in of.compared(pc) {
            let Some(load) = self.0.iter().find(|load| load.pc == compared.load) else {
                continue;
            };
            let is_elsewhere = |lane: &usize| {
                let offset = DWORD * u64::from(compared.dword);
                let from = load.address[*lane].wrapping_add(offset);
                let is_same = |(memory, at)| {
                    let lanes = match memory {
                        ShadowedMemory::Global => load.global,
                        ShadowedMemory::Lds => load.lds,
                    };
                    lanes >> lane & 1 != 0 && at == from
                };
                !place(swap, *lane).is_some_and(is_same)
            };
            let executed = swap.lanes() & (load.global | load.lds);
            let others = lanes(executed).filter(is_elsewhere);
            let others = others.fold(0, |all, lane| all | 1 << lane);
            if others != 0 {
                found.push(load.plain(others));
            }
        }
        found
    }
}

impl LastLoad {
    /// The load, restricted to some lanes.
    fn plain(&self, lanes: u64) -> PlainLoad {
        PlainLoad {
            site: self.site,
            is_scalar: self.is_scalar,
            access: Access {
                bytes: self.bytes,
                global: self.global & lanes,
                lds: self.lds & lanes,
                address: *self.address,
                ..Access::default()
            },
        }
    }
}
