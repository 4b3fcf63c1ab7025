//! A fault as people and programs are told of it.

use std::fmt;

use gcn_emu::fault::{Fault, FaultKind, Intent, Site};
use gcn_emu::memory::Allocation;
use gcn_emu::run::Place;
use gcn_isa::Isa;
use gcn_runtime::{Completion, PreparedLaunch};
use serde::Serialize;

use super::code_map::{CodeMap, CodePlace};
use super::interrupt::Cause;
use super::report::Outcome;
use crate::explain::fault_name;
use crate::render::printable;

/// A fault with everything that helps to find its cause; the fields are the keys of the JSON.
#[derive(Serialize)]
pub struct FaultReport {
    /// The exit status for it.
    #[serde(skip)]
    pub outcome: Outcome,
    /// Name for `gcn explain`.
    pub name: &'static str,
    /// The message.
    message: String,
    kernel: String,
    workgroup: [u32; 3],
    wave: u32,
    lane: Option<u8>,
    /// The instruction.
    #[serde(flatten)]
    code: CodePlace,
    /// The instruction that the wave came from, where it has come to no other.
    from: Option<CodePlace>,
    /// The address that was accessed, where that is the trouble.
    address: Option<u64>,
    nearest: Option<Nearest>,
    /// Likely causes, and what helps.
    hints: Vec<String>,
    /// The waves that have begun and not ended, where no wave alone is the trouble; the first of them, if there are many.
    unfinished: Vec<Unfinished>,
    /// Their number.
    unfinished_waves: u64,
}

/// Addresses below this are taken for a null pointer and an offset.
const NULL_PAGE: u64 = 1 << 16;
/// Waves that people are told the places of; programs are told more.
const SHOWN: usize = 16;

/// The position of a wave.
#[derive(Serialize)]
struct Unfinished {
    workgroup: [u32; 3],
    wave: u32,
    /// The instruction that it executes next, or that it waits at.
    #[serde(flatten)]
    code: CodePlace,
    /// The active lanes, a bit for each.
    exec: u64,
}

impl Unfinished {
    fn new(place: &Place, code: &CodeMap<'_>) -> Unfinished {
        Unfinished {
            workgroup: place.wave.group,
            wave: place.wave.wave,
            code: code.place(place.pc, place.text.clone()),
            exec: place.exec,
        }
    }
}

/// A wave and where it is.
fn wave_at([x, y, z]: [u32; 3], (wave, lane): (u32, Option<u8>), code: &CodePlace) -> String {
    let lane = lane
        .map(|lane| format!("lane {lane}, "))
        .unwrap_or_default();
    format!("workgroup {x},{y},{z}, wave {wave}, {lane}{code}")
}

/// An instruction, where it is, and the wave that has executed it.
pub fn site(site: &Site, code: &CodeMap<'_>) -> String {
    let Site { wave, pc, text } = site;
    let code = code.place(*pc, text.clone());
    wave_at(wave.group, (wave.wave, None), &code) + &code.source_line("  ")
}

/// The allocation that an address was probably meant for.
#[derive(Serialize)]
struct Nearest {
    name: String,
    base: u64,
    bytes: u64,
    #[serde(skip)]
    relation: String,
}

impl Nearest {
    fn new(region: &Allocation, address: u64) -> Nearest {
        let plural = |n: u64| format!("{n} byte{}", if n == 1 { "" } else { "s" });
        let end = region.base.saturating_add(region.len);
        let freed = if region.is_freed {
            ", which has been freed"
        } else {
            ""
        };
        let relation = if address < region.base {
            format!("{} before its start", plural(region.base - address))
        } else if address < end {
            format!("{} into it", plural(address - region.base))
        } else if address == end {
            "right behind its end".to_owned()
        } else {
            format!("{} beyond its end", plural(address - end))
        };
        Nearest {
            name: region.name.to_string(),
            base: region.base,
            bytes: region.len,
            relation: relation + freed,
        }
    }
}

/// The addresses of hidden arguments of version 5 behind a null pointer: the windows of FLAT addresses, and the queue.
const NULL_HIDDEN: std::ops::RangeInclusive<u64> = 0xc0..=0xc8;

/// Likely causes of a fault.
fn hints(fault: &Fault, prepared: &PreparedLaunch) -> Vec<String> {
    let unset = prepared.unset_sgprs(fault);
    let mut hints: Vec<String> = unset
        .iter()
        .map(|unset| format!("the address comes from {unset}"))
        .collect();
    let isa = prepared.kernel().module().device().target().isa;
    let has_windows = matches!(isa, Isa::Ci | Isa::Vi | Isa::Stoney);
    if let FaultKind::Unmapped {
        intent: Intent::Load,
        address,
        ..
    } = fault.kind
        && has_windows
        && NULL_HIDDEN.contains(&address)
        && unset.is_none()
    {
        hints.push(format!(
            "a known cause: for {} Clang takes null for the hidden arguments of version 5 where a function tells generic pointers \
             apart; -mcode-object-version=4 helps",
            isa.version()
        ));
    }
    hints
}

impl FaultReport {
    /// Collects what is known about the fault of a run, if it had one; `cause` says what stopped it if that came from outside.
    pub fn new(
        end: &Completion,
        prepared: &PreparedLaunch,
        code: &CodeMap<'_>,
        cause: Cause,
    ) -> Option<FaultReport> {
        let fault = end.fault.as_ref()?;
        let (outcome, message) = match &fault.kind {
            FaultKind::Interrupted => match cause {
                Cause::Interrupt => (Outcome::Interrupted, "interrupted".to_owned()),
                Cause::Terminate => (Outcome::Terminated, "terminated".to_owned()),
                Cause::Timeout(time) => (
                    Outcome::Timeout,
                    format!("stopped after {} s, the timeout", time.as_secs_f64()),
                ),
            },
            FaultKind::Limit(_) => (Outcome::Limit, fault.kind.to_string()),
            FaultKind::Blocked { .. } => (Outcome::Deadlock, fault.kind.to_string()),
            other => (Outcome::Fault, other.to_string()),
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
            outcome,
            name: fault_name(&fault.kind),
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
            hints: hints(fault, prepared),
            unfinished: places.map(|place| Unfinished::new(place, code)).collect(),
            unfinished_waves: end.unfinished,
        })
    }
}

impl fmt::Display for FaultReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel {}, ", printable(&self.kernel))?;
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
        } else if let Some(Nearest {
            name,
            base,
            bytes,
            relation,
        }) = &self.nearest
        {
            write!(
                f,
                "\n  nearest is {}: {bytes} bytes at {base:#x}; the address is {relation}",
                printable(name)
            )?;
        }
        for hint in &self.hints {
            write!(f, "\n  {hint}")?;
        }
        if self.unfinished.is_empty() {
            return Ok(());
        }
        let plural = if self.unfinished_waves == 1 { "" } else { "s" };
        write!(
            f,
            "\n  {} wave{plural} had begun and not ended:",
            self.unfinished_waves
        )?;
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
