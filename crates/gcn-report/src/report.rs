//! Reports of faults, findings and profiles. A fault report describes the location and state of the kernel, and
//! suggests possible causes.
//!
//! ```
//! # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
//! # use example::add_one;
//! use gcn_report::{CodeMap, FaultReport};
//! use gcn_runtime::{Device, Error};
//!
//! let device = Device::new("gfx900")?;
//! let kernel = device.load(&add_one())?.kernel("add_one")?;
//! let short = device.buffer("short", &[0u32; 4])?;
//! let outcome = kernel.launch([64, 1, 1]).arg(&short).submit(&device.queue())?.wait();
//! let Err(Error::Fault(completion)) = outcome else { panic!("the buffer is too short") };
//!
//! let code = CodeMap::new(kernel.module());
//! let report = FaultReport::new(&completion, &code, "cancelled", None).expect("there is a fault");
//! assert_eq!(report.name, "unmapped-access");
//! let text = report.to_string();
//! assert!(text.starts_with("kernel add_one, workgroup 0,0,0, wave 0, lane 4, at 0x"), "{text}");
//! assert!(text.contains("nearest is short: 16 bytes at"), "{text}");
//! # Ok::<(), Error>(())
//! ```

mod text;
mod sources;
mod language;
mod launch;
mod code_map;
mod place;
mod finding;
mod identity;
mod notification;
mod sarif;
mod suppressions;
mod findings;
mod profile;

use std::fmt;

use gcn_emu::fault::{Fault, FaultKind, Intent, Site, names};
use gcn_emu::memory::Allocation;
use gcn_emu::run::WavePlace;
use gcn_isa::Isa;
use gcn_observe::nearest;
use gcn_runtime::Completion;
use gcn_runtime::hsa::UnsetSgprs;
use serde::Serialize;

pub use code_map::{CodeMap, CodePlace, symbolic};
pub use finding::FindingReport;
pub use findings::write_findings;
pub(crate) use identity::FindingIdentity;
pub use notification::Notification;
pub use place::PlaceReport;
pub use profile::{ProfilePage, ProfileReport};
pub use sarif::{FileFailure, write_merged_sarif};
pub use sources::Sources;
pub use suppressions::{InvalidSuppressions, Suppressions, SuppressionsError};
pub use text::{kernel_name, plural, printable};

/// Fault with all information that helps to find its cause. [`fmt::Display`] formats it as several lines of text. The
/// field names are the keys of the JSON that `serde` writes.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
/// # let (device, kernel) = example::add_one_kernel();
/// use gcn_report::{CodeMap, FaultReport};
/// let Err(gcn_runtime::Error::Fault(end)) = kernel.launch([1, 1, 1]).arg(0u64).run(&device.queue()) else {
///     panic!("a null pointer")
/// };
/// let report = FaultReport::new(&end, &CodeMap::new(kernel.module()), "cancelled", None).expect("a fault");
/// assert_eq!(report.name, gcn_runtime::fault::names::UNMAPPED_ACCESS);
/// let json = serde_json::to_value(&report).expect("fields are text and numbers");
/// assert_eq!((&json["kernel"], &json["lane"], &json["address"]), (&"add_one".into(), &0.into(), &0.into()));
/// ```
#[derive(Clone, Debug, Serialize)]
pub struct FaultReport {
    /// Name for `gcn explain`, from [`gcn_emu::fault::names`].
    pub name: &'static str,
    /// Description of the fault.
    message: String,
    kernel: String,
    workgroup: [u32; 3],
    wave: u32,
    lane: Option<u8>,
    /// Faulting instruction.
    #[serde(flatten)]
    code: CodePlace,
    /// Previous instruction, if the wave jumped to an address without an instruction.
    from: Option<CodePlace>,
    /// Accessed address, if a memory access caused the fault.
    address: Option<u64>,
    nearest: Option<Nearest>,
    /// Likely causes and remedies.
    hints: Vec<String>,
    /// First unfinished waves, if the fault is not that of a single wave.
    unfinished: Vec<Unfinished>,
    /// Number of unfinished waves.
    unfinished_waves: u64,
}

/// Limit below which an address counts as a null pointer with an offset.
const NULL_PAGE: u64 = 1 << 16;
/// Maximum number of unfinished waves in the text. JSON may contain more.
const SHOWN: usize = 16;

/// Unfinished wave and its location.
#[derive(Clone, Debug, Serialize)]
struct Unfinished {
    workgroup: [u32; 3],
    wave: u32,
    /// Instruction that the wave executes next or is waiting at.
    #[serde(flatten)]
    code: CodePlace,
    /// Mask of active lanes.
    exec: u64,
}

impl Unfinished {
    fn new(place: &WavePlace, code: &CodeMap<'_>) -> Unfinished {
        Unfinished {
            workgroup: place.wave.group,
            wave: place.wave.wave,
            code: code.place(place.pc, place.text.clone()),
            exec: place.exec,
        }
    }
}

/// Describes a wave and the instruction that it is at.
fn wave_at([x, y, z]: [u32; 3], (wave, lane): (u32, Option<u8>), code: &CodePlace) -> String {
    let lane = lane
        .map(|lane| format!("lane {lane}, "))
        .unwrap_or_default();
    format!("workgroup {x},{y},{z}, wave {wave}, {lane}{code}")
}

/// Describes an instruction, its location, and the wave that executed it.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
/// # let (device, kernel) = example::add_one_kernel();
/// use gcn_runtime::fault::Site;
/// use gcn_report::{CodeMap, site};
/// let fault = match kernel.launch([1, 1, 1]).arg(0u64).run(&device.queue()) {
///     Err(gcn_runtime::Error::Fault(completion)) => completion.fault.clone().expect("the launch has a fault"),
///     other => panic!("a null pointer: {other:?}"),
/// };
/// let text = site(&Site { wave: fault.wave, pc: fault.pc, text: fault.text }, &CodeMap::new(kernel.module()));
/// assert!(text.starts_with("workgroup 0,0,0, wave 0, at 0x"), "{text}");
/// assert!(text.ends_with(" (add_one+0x14): global_atomic_add v0, v1, s[0:1]"), "{text}");
/// ```
pub fn site(site: &Site, code: &CodeMap<'_>) -> String {
    let Site { wave, pc, text } = site;
    let code = code.place(*pc, text.clone());
    wave_at(wave.group, (wave.wave, None), &code) + &code.source_line("  ")
}

/// Allocation nearest to the accessed address.
#[derive(Clone, Debug, Serialize)]
struct Nearest {
    name: String,
    base: u64,
    bytes: u64,
    #[serde(skip)]
    text: String,
}

impl Nearest {
    fn new(region: &Allocation, address: u64) -> Nearest {
        Nearest {
            name: region.name.to_string(),
            base: region.base,
            bytes: region.len,
            text: nearest(region, address),
        }
    }
}

/// Offsets of hidden arguments in code object version 5 that Clang's code may read through a null pointer: the apertures of
/// FLAT addresses, and the queue.
const NULL_HIDDEN: std::ops::RangeInclusive<u64> = 0xc0..=0xc8;

/// Returns likely causes of a fault.
fn hints(fault: &Fault, unset: Option<UnsetSgprs>, isa: Isa) -> Vec<String> {
    let has_windows = matches!(isa, Isa::Ci | Isa::Vi | Isa::Stoney);
    match (unset, &fault.kind) {
        (Some(unset), _) => vec![format!("the address comes from {unset}")],
        (
            None,
            FaultKind::Unmapped {
                intent: Intent::Load,
                address,
                ..
            },
        ) if has_windows && NULL_HIDDEN.contains(address) => vec![format!(
            "a known cause: for {}, Clang takes null for the hidden arguments of version 5 where a function distinguishes \
             generic pointers; -mcode-object-version=4 helps",
            isa.version()
        )],
        _ => Vec::new(),
    }
}

impl FaultReport {
    /// Collects all information about the fault of a launch, if it had one. `code` is the map of the launch's module.
    /// `stopped` is the message for a launch that was stopped from outside. `unset` is the result of
    /// [`PreparedLaunch::unset_sgprs`](gcn_runtime::PreparedLaunch::unset_sgprs).
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// use gcn_runtime::Error;
    /// use gcn_report::{CodeMap, FaultReport};
    /// let prepared = kernel.launch([1, 1, 1]).arg(0u64).prepare()?;
    /// let Err(Error::Fault(end)) = prepared.run(&device.queue()) else { panic!("a null pointer") };
    /// let unset = end.fault.as_ref().and_then(|fault| prepared.unset_sgprs(fault));
    /// let report = FaultReport::new(&end, &CodeMap::new(kernel.module()), "cancelled", unset);
    /// assert!(report.expect("the launch has a fault").to_string().ends_with("that is a null pointer"));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(
        end: &Completion,
        code: &CodeMap<'_>,
        stopped: &str,
        unset: Option<UnsetSgprs>,
    ) -> Option<FaultReport> {
        let fault = end.fault.as_ref()?;
        let message = match &fault.kind {
            FaultKind::Interrupted => stopped.to_owned(),
            other => other.to_string(),
        };
        let address = match fault.kind {
            FaultKind::Unmapped { address, .. } | FaultKind::Misaligned { address, .. } => {
                Some(address)
            }
            _ => None,
        };
        let is_everyone = matches!(
            fault.kind,
            FaultKind::Interrupted | FaultKind::Limit(_) | FaultKind::Blocked { .. }
        );
        let places = end.places.iter().filter(|_| is_everyone);
        Some(FaultReport {
            name: names::of(&fault.kind),
            message,
            kernel: end.kernel.clone(),
            workgroup: fault.wave.group,
            wave: fault.wave.wave,
            lane: fault.lane,
            code: code.place(fault.pc, fault.text.clone()),
            from: fault
                .from
                .as_ref()
                .map(|site| code.place(site.pc, site.text.clone())),
            address,
            nearest: address
                .and_then(|address| Some(Nearest::new(fault.nearest.as_ref()?, address))),
            hints: hints(fault, unset, code.isa()),
            unfinished: places.map(|place| Unfinished::new(place, code)).collect(),
            unfinished_waves: end.unfinished,
        })
    }

    /// Describes an access fault in one line, for output that already contains a finding named `finding` about the access.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// use gcn_report::{CodeMap, FaultReport};
    /// let Err(gcn_runtime::Error::Fault(end)) = kernel.launch([1, 1, 1]).arg(0u64).run(&device.queue()) else {
    ///     panic!("a null pointer")
    /// };
    /// let report = FaultReport::new(&end, &CodeMap::new(kernel.module()), "cancelled", None).expect("a fault");
    /// assert_eq!(
    ///     report.in_brief("global-out-of-bounds"),
    ///     "kernel add_one ended at the access of the finding global-out-of-bounds"
    /// );
    /// ```
    pub fn in_brief(&self, finding: &str) -> String {
        let kernel = kernel_name(&self.kernel);
        format!("kernel {kernel} ended at the access of the finding {finding}")
    }
}

impl fmt::Display for FaultReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel {}, ", kernel_name(&self.kernel))?;
        f.write_str(&wave_at(self.workgroup, (self.wave, self.lane), &self.code))?;
        write!(f, "{}\n  {}", self.code.source_line("  "), self.message)?;
        if let Some(from) = &self.from {
            let source = from.source_line("  ");
            write!(f, "\n  it came from the instruction {from}{source}")?;
        }
        if let Some(offset @ 0..NULL_PAGE) = self.address {
            match offset {
                0 => f.write_str("\n  that is a null pointer")?,
                _ => write!(f, "\n  that is {offset} bytes from a null pointer")?,
            }
        } else if let Some(Nearest { text, .. }) = &self.nearest {
            write!(f, "\n  {}", printable(text))?;
        }
        for hint in &self.hints {
            write!(f, "\n  {hint}")?;
        }
        if self.unfinished.is_empty() {
            return Ok(());
        }
        let plural = if self.unfinished_waves == 1 { "" } else { "s" };
        write!(f, "\n  {} unfinished wave{plural}:", self.unfinished_waves)?;
        for wave in self.unfinished.iter().take(SHOWN) {
            f.write_str("\n    ")?;
            f.write_str(&wave_at(wave.workgroup, (wave.wave, None), &wave.code))?;
            let source = wave.code.source_line("      ");
            write!(f, ", exec={:016x}{source}", wave.exec)?;
        }
        match self.unfinished_waves.saturating_sub(SHOWN as u64) {
            0 => Ok(()),
            more => write!(f, "\n    and {more} more"),
        }
    }
}
