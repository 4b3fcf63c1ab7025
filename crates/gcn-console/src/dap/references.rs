//! IDs by which a client refers to waves, frames and groups of values.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use gcn_debug::{Session, WaveId};

use super::protocol::Refusal;

/// Number of lanes per wave.
pub const LANES: u8 = 64;

/// Maximum number of groups kept while the run is stopped.
const MAX_GROUPS: usize = 1 << 16;

/// Group of values that a client can expand.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Group {
    /// Source variables in scope at a wave.
    Locals(WaveId),
    /// Fields or elements of a source object, given by its expression.
    Object(WaveId, String),
    /// EXEC, VCC, SCC, M0, MODE and the program counter.
    Special(WaveId),
    /// Scalar registers.
    Scalars(WaveId),
    /// Vector registers.
    Vectors(WaveId),
    /// Lanes of a wave.
    Lanes(WaveId),
    /// Vector registers in one lane.
    Lane(WaveId, u8),
    /// Vector register or register pair in all lanes, given by its expression.
    Register(WaveId, String),
    /// Buffers of the launches.
    Buffers,
    /// Elements of a buffer, given by its index.
    Buffer(usize),
    /// LDS of the wave's workgroup.
    Lds(WaveId),
}

/// IDs assigned since the last stop.
#[derive(Default)]
pub struct References {
    groups: Vec<Group>,
    numbers: HashMap<Group, i64>,
    frames: Vec<WaveId>,
}

impl References {
    /// Returns the reference number of a group, starting at 1, or 0 if there are too many groups.
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

    /// Looks up a group by number.
    ///
    /// # Errors
    /// Fails if no group has the number.
    pub fn find_group(&self, number: i64) -> Result<Group, Refusal> {
        let place = usize::try_from(number.wrapping_sub(1)).ok();
        let found = place.and_then(|place| self.groups.get(place)).cloned();
        found.ok_or_else(|| format!("there are no variables {number} since the run continued"))
    }

    /// Returns the ID of a wave's innermost frame. The IDs of its outer frames follow consecutively.
    pub fn frame(&mut self, wave: WaveId) -> i64 {
        let place = self.frames.iter().position(|it| *it == wave);
        let place = place.unwrap_or_else(|| {
            self.frames.push(wave);
            self.frames.len() - 1
        });
        (place as i64 + 1) * FRAMES_OF_WAVE
    }

    /// Looks up the wave of a frame by number.
    ///
    /// # Errors
    /// Fails if no frame has the number.
    pub fn find_frame(&self, number: i64) -> Result<WaveId, Refusal> {
        let place = usize::try_from(number / FRAMES_OF_WAVE - 1).ok();
        let found = place.and_then(|place| self.frames.get(place)).copied();
        found.ok_or_else(|| format!("there is no frame {number} since the run continued"))
    }
}

/// Number of frame IDs reserved for each wave.
pub const FRAMES_OF_WAVE: i64 = 1 << 12;

/// Largest integer that JavaScript numbers represent exactly.
const MAX_INTEGER: u64 = (1 << 53) - 1;

/// Returns the thread ID of a wave. The ID is the same in every run of the launch.
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

/// Looks up a wave by thread ID.
///
/// # Errors
/// Fails if no wave that has started and not ended has that ID.
pub fn find_thread(session: &Session<'_, '_>, number: i64) -> Result<WaveId, Refusal> {
    let mut ids = session.waves().map(|wave| wave.id);
    let found = ids.find(|id| thread_id(session, *id) == number);
    found.ok_or_else(|| {
        format!("there is no thread {number}: the wave has ended or has not started")
    })
}

/// Names of sources whose text is available only in debug information, by reference number. The numbers stay valid when
/// the program loads other code.
#[derive(Default)]
pub struct SourceNames(RefCell<Vec<Arc<str>>>);

impl SourceNames {
    /// Returns the reference number of a source.
    pub fn reference(&self, name: &Arc<str>) -> i64 {
        let mut names = self.0.borrow_mut();
        let known = names.iter().position(|it| it == name);
        let index = known.unwrap_or_else(|| {
            names.push(name.clone());
            names.len() - 1
        });
        index as i64 + 1
    }

    /// Looks up a source by reference number.
    ///
    /// # Errors
    /// Fails if no source has the number.
    pub fn find(&self, reference: i64) -> Result<Arc<str>, Refusal> {
        let index = usize::try_from(reference - 1).ok();
        let found = index.and_then(|index| self.0.borrow().get(index).cloned());
        found.ok_or_else(|| format!("there is no source {reference}"))
    }
}
