//! Numbers by which a client refers to waves, frames and groups of values.

use std::collections::HashMap;

use gcn_debug::{Session, WaveId};

use super::protocol::Refusal;

/// Lanes of a wave.
pub const LANES: u8 = 64;

/// Groups of values that are kept until the run goes on at most.
const MAX_GROUPS: usize = 1 << 16;

/// A group of values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Group {
    /// EXEC, VCC, SCC, M0, MODE and the program counter.
    Special(WaveId),
    /// Scalar registers.
    Scalars(WaveId),
    /// Vector registers.
    Vectors(WaveId),
    /// Lanes of a wave.
    Lanes(WaveId),
    /// Vector registers of a lane.
    Lane(WaveId, u8),
    /// Vector registers, one or a pair, in all lanes, by the expression.
    Register(WaveId, String),
    /// Buffers of the launches.
    Buffers,
    /// Elements of a buffer.
    Buffer(usize),
    /// LDS of the wave's workgroup.
    Lds(WaveId),
}

/// Numbers that were given to a client since the last stop.
#[derive(Default)]
pub struct References {
    groups: Vec<Group>,
    numbers: HashMap<Group, i64>,
    frames: Vec<WaveId>,
}

impl References {
    /// Number of a group of values, from 1; 0 if there are too many.
    pub fn group(&mut self, group: Group) -> i64 {
        if let Some(number) = self.numbers.get(&group) {
            return *number;
        }
        if self.groups.len() >= MAX_GROUPS {
            return 0;
        }
        self.groups.push(group.clone());
        let number = self.groups.len() as i64;
        self.numbers.insert(group, number);
        number
    }

    /// Group of values with a number.
    ///
    /// # Errors
    /// There is none.
    pub fn find_group(&self, number: i64) -> Result<Group, Refusal> {
        let place = usize::try_from(number.wrapping_sub(1)).ok();
        let found = place.and_then(|place| self.groups.get(place)).cloned();
        found.ok_or_else(|| format!("there are no variables {number} since the run went on"))
    }

    /// Number of a frame of a wave. Inlined frames share their wave's values.
    pub fn frame(&mut self, wave: WaveId) -> i64 {
        let place = self.frames.iter().position(|it| *it == wave);
        let place = place.unwrap_or_else(|| {
            self.frames.push(wave);
            self.frames.len() - 1
        });
        (place as i64 + 1) * FRAMES_OF_WAVE
    }

    /// Wave of a frame.
    ///
    /// # Errors
    /// There is no such frame.
    pub fn find_frame(&self, number: i64) -> Result<WaveId, Refusal> {
        let place = usize::try_from(number / FRAMES_OF_WAVE - 1).ok();
        let found = place.and_then(|place| self.frames.get(place)).copied();
        found.ok_or_else(|| format!("there is no frame {number} since the run went on"))
    }
}

/// Distance between numbers of frames of two waves.
pub const FRAMES_OF_WAVE: i64 = 1 << 12;

/// Largest integer of JavaScript's numbers.
const MAX_INTEGER: u64 = (1 << 53) - 1;

/// Number of a wave: the same whenever the launch runs.
pub fn thread_id(session: &Session<'_, '_>, id: WaveId) -> i64 {
    let Some(paused) = session.paused() else {
        return 0;
    };
    let dispatch = paused.dispatched().dispatch;
    let groups = [0, 1].map(|d| u64::from(dispatch.grid[d].div_ceil(dispatch.group[d].max(1))));
    let items = dispatch.group.iter().map(|it| u64::from(*it));
    let waves = items.product::<u64>().div_ceil(LANES.into());
    let [x, y, z] = id.group.map(u64::from);
    let group = z
        .wrapping_mul(groups[1])
        .wrapping_add(y)
        .wrapping_mul(groups[0])
        .wrapping_add(x);
    let number = group.wrapping_mul(waves).wrapping_add(id.wave.into());
    (number % MAX_INTEGER) as i64 + 1
}

/// Wave with a number.
///
/// # Errors
/// No wave that runs has it.
pub fn find_thread(session: &Session<'_, '_>, number: i64) -> Result<WaveId, Refusal> {
    let mut ids = session.waves().map(|wave| wave.id);
    let found = ids.find(|id| thread_id(session, *id) == number);
    found.ok_or_else(|| format!("there is no thread {number}: the wave has ended, or not begun"))
}
