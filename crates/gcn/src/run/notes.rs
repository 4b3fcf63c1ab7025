//! Notes about a run that are no results: remedies, registers and accesses out of range.

use gcn_report::{CodeMap, site};
use gcn_runtime::fault::{Fault, FaultKind};
use gcn_runtime::hsa::LaunchNote;
use gcn_runtime::memory::FIRST_ADDRESS;
use gcn_runtime::{Completion, Device, PreparedLaunch};

/// The remedy for a note, on the command line.
pub fn remedy(note: &LaunchNote) -> &'static str {
    match note {
        LaunchNote::DynamicStack { .. } => "; --stack changes that",
        LaunchNote::MutePrintf => {
            "; compile the source with `-nogpulib -emit-llvm -c` first, then what that makes, with the libraries"
        }
        LaunchNote::Partial { .. } | LaunchNote::Format(_) => "",
    }
}

/// A note about the addresses of a device whose memory is not at the usual place.
pub fn elsewhere(device: &Device) -> Option<String> {
    (!device.has_usual_addresses()).then(|| {
        format!(
            "device memory is not at its usual address {FIRST_ADDRESS:#x}, which is not free in this process; addresses can \
             differ from run to run"
        )
    })
}

/// A note about instructions that read registers which the kernel does not ask for.
pub fn unowned(prepared: &PreparedLaunch, map: &CodeMap<'_>) -> Option<String> {
    let unowned = prepared.unowned_sources()?;
    let place = map.place(unowned.pc, Some(unowned.instruction.clone()));
    let source = place.source_line("  ");
    Some(format!("{unowned}; the first, {place}{source}"))
}

/// A note about arguments that the kernel loads and nobody gives.
pub fn beyond(prepared: &PreparedLaunch, map: &CodeMap<'_>) -> Option<String> {
    let beyond = prepared.reads_beyond_arguments()?;
    let place = map.place(beyond.pc, Some(beyond.instruction.clone()));
    let source = place.source_line("  ");
    Some(format!("{beyond}; the first such load, {place}{source}"))
}

/// A note about accesses out of range that were no fault.
pub fn outside(ran: &Completion, map: &CodeMap<'_>) -> Option<String> {
    let is_counted = |fault: &Fault| {
        matches!(
            fault.kind,
            FaultKind::Unmapped { .. } | FaultKind::Misaligned { .. }
        )
    };
    let count = ran.stats.violations;
    if count == 0 || ran.fault.as_ref().is_some_and(is_counted) {
        return None;
    }
    let mut text = format!(
        "{} beyond the end of LDS, GDS or a lane's scratch: loads gave 0, stores were dropped, as on hardware",
        plural(count, "access", "es")
    );
    if let Some(first) = &ran.violation {
        text.push_str("; the first by ");
        text.push_str(&site(first, map));
    }
    Some(text)
}

/// A number of something.
pub fn plural(n: u64, what: &str, more: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { more })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_device_of_a_process_has_the_usual_addresses() {
        // Both are alive, and cannot have the same addresses.
        let devices = [(); 2].map(|()| Device::new("gfx900").expect("a device"));
        let notes: Vec<String> = devices.iter().filter_map(elsewhere).collect();
        assert!(!notes.is_empty());
        for note in notes {
            assert!(note.contains("usual address 0x100000000"), "{note}");
        }
    }
}
