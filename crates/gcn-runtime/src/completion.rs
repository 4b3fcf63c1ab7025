//! Completions: the work of a command that has ended.

use gcn_emu::fault::{Fault, FaultKind, Site};
use gcn_emu::run::{Stats, WavePlace};

use crate::abi::hsa::LaunchNote;

/// Work of a command that has ended. Of a command that is no launch all of it is empty.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Completion {
    /// The kernel.
    pub kernel: String,
    /// Work done.
    pub stats: Stats,
    /// Text that the kernel printed.
    pub printed: Vec<u8>,
    /// Bytes that it printed beyond those that are kept.
    pub lost: u64,
    /// Decisions that were made without being asked for.
    pub notes: Vec<LaunchNote>,
    /// The first of the violations that did not stop the kernel.
    pub violation: Option<Site>,
    /// The fault that stopped it.
    pub fault: Option<Fault>,
    /// Places of the waves that had begun and not ended then; the first ones, if there are many.
    pub places: Vec<WavePlace>,
    /// Number of these waves.
    pub unfinished: u64,
}

impl Completion {
    /// The fault and its place in a line; empty without a fault.
    pub fn describe(&self) -> String {
        let Some(fault) = &self.fault else {
            return String::new();
        };
        let [x, y, z] = fault.wave.group;
        let mut text = format!(
            "{}: {}, in workgroup {x},{y},{z}, wave {}",
            self.kernel, fault.kind, fault.wave.wave
        );
        if let Some(lane) = fault.lane {
            text.push_str(&format!(", lane {lane}"));
        }
        text.push_str(&format!(", at {:#x}", fault.pc));
        if let Some(instruction) = &fault.text {
            text.push_str(&format!(": {instruction}"));
        }
        if let (Some(near), FaultKind::Unmapped { address, .. }) = (&fault.nearest, &fault.kind) {
            let offset = i128::from(*address) - i128::from(near.base);
            let freed = if near.is_freed {
                ", which has been freed"
            } else {
                ""
            };
            text.push_str(&format!(
                "; the address is {offset} bytes from the start of {} ({} bytes){freed}",
                near.name, near.len
            ));
        }
        text
    }
}
