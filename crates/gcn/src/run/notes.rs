//! Notes about a run: unusual addresses, unrequested registers, missing arguments and out-of-range accesses.

use gcn_report::{CodeMap, plural, site};
use gcn_runtime::fault::{Fault, FaultKind};
use gcn_runtime::hsa::LaunchNote;
use gcn_runtime::memory::FIRST_ADDRESS;
use gcn_runtime::{Completion, Device, PreparedLaunch};

/// Returns the command-line remedy to append to a note; may be empty.
pub fn remedy(note: &LaunchNote) -> &'static str {
    match note {
        LaunchNote::DynamicStack { .. } => "; --stack changes that",
        LaunchNote::MutePrintf => {
            "; compile the source with `-nogpulib -emit-llvm -c` first, then compile the result with the libraries"
        }
        LaunchNote::Partial { .. } | LaunchNote::Format(_) => "",
    }
}

/// Note that device memory is not at its usual address.
pub fn unusual_addresses(device: &Device) -> Option<String> {
    (!device.has_usual_addresses()).then(|| {
        format!(
            "device memory is not at its usual address {FIRST_ADDRESS:#x}, which is not free in this process; addresses can \
             differ from run to run"
        )
    })
}

/// Note about instructions that read registers not requested by the kernel.
pub fn unrequested_registers(prepared: &PreparedLaunch, map: &CodeMap<'_>) -> Option<String> {
    let unowned = prepared.unowned_sources()?;
    let place = map.place(unowned.pc, Some(unowned.instruction.clone()));
    let source = place.source_line("  ");
    Some(format!("{unowned}; the first, {place}{source}"))
}

/// Note about loads of arguments that were not given.
pub fn missing_arguments(prepared: &PreparedLaunch, map: &CodeMap<'_>) -> Option<String> {
    let beyond = prepared.reads_beyond_arguments()?;
    let place = map.place(beyond.pc, Some(beyond.instruction.clone()));
    let source = place.source_line("  ");
    Some(format!("{beyond}; the first such load, {place}{source}"))
}

/// Note about out-of-range accesses that did not fault.
pub fn out_of_range_accesses(ran: &Completion, map: &CodeMap<'_>) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_device_of_a_process_has_the_usual_addresses() {
        // The devices exist at the same time, so their addresses differ.
        let devices = [(); 2].map(|()| Device::new("gfx900").expect("a device"));
        let notes: Vec<String> = devices.iter().filter_map(unusual_addresses).collect();
        assert!(!notes.is_empty());
        for note in notes {
            assert!(note.contains("usual address 0x100000000"), "{note}");
        }
    }
}
