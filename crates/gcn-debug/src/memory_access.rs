//! Memory access and work-item IDs for front ends.

use gcn_emu::wave::LANES;

use crate::error::EvalError;
use crate::expr::Space;
use crate::scalar::{Scalar, ScalarType};
use crate::session::Session;
use crate::view::Target;

/// Work-item IDs of a lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WorkItem {
    /// ID in the workgroup.
    pub local: [u32; 3],
    /// ID in the grid.
    pub global: [u64; 3],
}

impl Session<'_, '_> {
    /// Returns the work-item IDs of a lane in the focused wave, or `None` if no wave is running.
    pub fn work_item(&self, lane: u8) -> Option<WorkItem> {
        let (wave, paused) = (self.wave()?, self.paused()?);
        let full = paused.dispatched().dispatch.group;
        let group = paused.groups().find(|it| it.0 == wave.id.group);
        let size = group.map_or(full, |it| it.2);
        let item = wave.id.wave * LANES as u32 + u32::from(lane);
        let [x, y] = [size[0].max(1), size[1].max(1)];
        let local = [item % x, item / x % y, item / x / y];
        let begin = |d: usize| u64::from(wave.id.group[d]) * u64::from(full[d]);
        let global = [0, 1, 2].map(|d| begin(d) + u64::from(local[d]));
        Some(WorkItem { local, global })
    }

    /// Reads up to `count` bytes, at most to the end of the allocation, LDS or scratch. LDS and scratch are those of
    /// the focused wave and lane.
    pub fn read_memory(&self, space: Space, address: u64, count: usize) -> Vec<u8> {
        let view = self.view();
        let end = match space {
            Space::Global => {
                let mut allocations = self.memory().allocations();
                allocations.retain(|it| !it.is_freed && it.base <= address);
                allocations
                    .last()
                    .map_or(0, |it| it.base.saturating_add(it.len))
            }
            Space::Lds => view.wave.map_or(0, |(_, lds)| lds.bytes().len() as u64),
            Space::Scratch => view
                .wave
                .map_or(0, |(wave, _)| wave.scratch.bytes_per_lane.into()),
        };
        let rest = usize::try_from(end.saturating_sub(address)).unwrap_or(usize::MAX);
        let mut bytes = vec![0; rest.min(count)];
        match view.read_bytes(space, address, &mut bytes) {
            Ok(()) => bytes,
            Err(_) => Vec::new(),
        }
    }

    /// Writes bytes to memory. LDS and scratch are those of the focused wave and lane.
    ///
    /// # Errors
    /// Fails without writing unless the whole range is accessible.
    pub fn write_memory(
        &mut self,
        space: Space,
        address: u64,
        bytes: &[u8],
    ) -> Result<(), EvalError> {
        let mut old = vec![0; bytes.len()];
        self.view().read_bytes(space, address, &mut old)?;
        let mut address = address;
        let mut rest = bytes;
        while !rest.is_empty() {
            let size = [8, 4, 2, 1].into_iter().find(|size| *size <= rest.len());
            let (part, behind) = rest.split_at(size.unwrap_or(1));
            let ty = ScalarType::unsigned(part.len() as u64).unwrap_or(ScalarType::U8);
            let mut bits = [0; 8];
            bits[..part.len()].copy_from_slice(part);
            let target = Target::Memory { space, ty, address };
            self.change(target, Scalar::new(ty, u64::from_le_bytes(bits)))?;
            address += part.len() as u64;
            rest = behind;
        }
        Ok(())
    }
}
