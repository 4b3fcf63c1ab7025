//! Launch parameters of a finding, from which reports derive work-items and arguments.

use std::fmt;

use gcn_emu::observe::Dispatched;
use gcn_emu::run::GridShape;

/// Maximum number of argument bytes stored.
const MAX_ARGUMENT_BYTES: u64 = 4096;

/// Sizes and arguments of a finding's dispatch.
///
/// # Examples
/// ```
/// use gcn_emu::run::GridShape;
/// use gcn_observe::finding::FindingLaunch;
/// let shape = GridShape { grid: [256, 1, 1], group: [64, 1, 1] };
/// let launch = FindingLaunch { shape, arguments: 0x1000u64.to_le_bytes().to_vec() };
/// assert_eq!((launch.pointer(0), launch.pointer(8)), (Some(0x1000), None));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct FindingLaunch {
    /// Sizes of the grid and the workgroups.
    pub shape: GridShape,
    /// Argument segment including hidden arguments. May be truncated; empty if unknown.
    pub arguments: Vec<u8>,
}

impl FindingLaunch {
    /// Captures the sizes and arguments of a running dispatch.
    pub(crate) fn of(dispatched: &Dispatched<'_>) -> FindingLaunch {
        let dispatch = dispatched.dispatch;
        let read = || {
            let kernarg = dispatch.kernarg.clone()?;
            let bytes = kernarg.end.saturating_sub(kernarg.start);
            let mut arguments = vec![0; bytes.min(MAX_ARGUMENT_BYTES) as usize];
            let memory = &dispatched.device.memory;
            memory
                .read(kernarg.start, &mut arguments)
                .then_some(arguments)
        };
        FindingLaunch {
            shape: dispatch.shape(),
            arguments: read().unwrap_or_default(),
        }
    }

    /// Returns the 64-bit value at an offset in the arguments; `None` if it extends beyond their end.
    pub fn pointer(&self, offset: u64) -> Option<u64> {
        let offset = usize::try_from(offset).ok()?;
        let bytes = self.arguments.get(offset..)?.first_chunk()?;
        Some(u64::from_le_bytes(*bytes))
    }
}

impl fmt::Debug for FindingLaunch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("FindingLaunch");
        debug.field("shape", &self.shape).finish_non_exhaustive()
    }
}
