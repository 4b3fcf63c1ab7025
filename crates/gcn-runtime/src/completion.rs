//! Results of completed commands.

use gcn_emu::fault::{Fault, FaultKind, Site};
use gcn_emu::run::{Stats, WavePlace};

use crate::abi::hsa::LaunchNote;

/// Result of a completed command; empty unless the command is a launch.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
/// # let (device, kernel) = example::add_one_kernel();
/// use gcn_runtime::Error;
/// let xs = device.buffer("xs", &[1u32; 100])?;
/// let launch = kernel.launch([128, 1, 1]).group([128, 1, 1]).arg(&xs);
/// let completion = match launch.run(&device.queue()) {
///     Err(Error::Fault(completion)) => completion,
///     other => panic!("the buffer is too short: {other:?}"),
/// };
/// let fault = completion.fault.as_ref().expect("the launch faulted");
/// assert_eq!((fault.wave.wave, fault.lane), (1, Some(36)), "work-item 100");
/// assert_eq!((completion.kernel.as_str(), completion.printed.as_slice()), ("add_one", &[][..]));
/// assert_eq!(completion.unfinished, 1);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Completion {
    /// Kernel name.
    pub kernel: String,
    /// Statistics of the run.
    pub stats: Stats,
    /// Text that the kernel printed.
    pub printed: Vec<u8>,
    /// Number of printed bytes that were dropped.
    pub lost: u64,
    /// Notes about the launch, such as an unknown stack size.
    pub notes: Vec<LaunchNote>,
    /// First memory violation that did not stop the kernel, in the order of the waves.
    pub violation: Option<Site>,
    /// Fault that stopped the kernel, if any.
    pub fault: Option<Fault>,
    /// Positions of the first few waves that started but did not finish.
    pub places: Vec<WavePlace>,
    /// Number of waves that started but did not finish.
    pub unfinished: u64,
}

impl Completion {
    /// Describes the fault and its location in one line. Returns an empty string if there is no fault.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// let short = device.buffer("short", &[1u32; 4])?;
    /// let error = kernel.launch([8, 1, 1]).arg(&short).run(&device.queue()).unwrap_err();
    /// let gcn_runtime::Error::Fault(completion) = error else { panic!("{error}") };
    /// let text = completion.describe();
    /// assert!(text.contains("in workgroup 0,0,0, wave 0, lane 4, at 0x"), "{text}");
    /// assert!(text.ends_with("the address is 16 bytes from the start of short (16 bytes)"), "{text}");
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
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
