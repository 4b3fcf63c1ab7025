//! A fault as people and programs are told of it.

use std::fmt;

use gcn_emu::fault::{Fault, FaultKind};
use gcn_emu::hsa::Loaded;
use gcn_emu::memory::{Memory, Region};
use serde::Serialize;

use crate::render::printable;

/// A fault with everything that helps to find its cause; the fields are the keys of the JSON.
#[derive(Serialize)]
pub struct FaultReport {
    /// What went wrong.
    message: String,
    kernel: String,
    workgroup: [u32; 3],
    wave: u32,
    lane: Option<u8>,
    /// Address of the instruction.
    pc: u64,
    /// The symbol before it, and the distance.
    place: Option<String>,
    instruction: Option<String>,
    /// The address that was accessed, where that is the trouble.
    address: Option<u64>,
    nearest: Option<Nearest>,
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
    fn new(region: &Region, address: u64) -> Nearest {
        let plural = |n: u64| format!("{n} byte{}", if n == 1 { "" } else { "s" });
        let end = region.base.saturating_add(region.len);
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
            name: region.name.clone(),
            base: region.base,
            bytes: region.len,
            relation,
        }
    }
}

impl FaultReport {
    /// Collects what is known about a fault.
    pub fn new(fault: Fault, kernel: &str, loaded: &Loaded, memory: &Memory) -> FaultReport {
        let address = match fault.kind {
            FaultKind::Unmapped { address, .. } | FaultKind::Misaligned { address, .. } => {
                Some(address)
            }
            _ => None,
        };
        let place = loaded
            .code_symbol_at(fault.pc)
            .map(|symbol| format!("{}+{:#x}", symbol.name, fault.pc - symbol.address));
        FaultReport {
            message: fault.kind.to_string(),
            kernel: kernel.to_owned(),
            workgroup: fault.wave.group,
            wave: fault.wave.wave,
            lane: fault.lane,
            pc: fault.pc,
            place,
            instruction: fault.text,
            address,
            nearest: address
                .and_then(|address| Some(Nearest::new(memory.nearest(address)?, address))),
        }
    }
}

impl fmt::Display for FaultReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.workgroup;
        write!(
            f,
            "kernel {}, workgroup {x},{y},{z}, wave {}",
            printable(&self.kernel),
            self.wave
        )?;
        if let Some(lane) = self.lane {
            write!(f, ", lane {lane}")?;
        }
        write!(f, ", at {:#x}", self.pc)?;
        if let Some(place) = &self.place {
            write!(f, " ({})", printable(place))?;
        }
        if let Some(instruction) = &self.instruction {
            write!(f, ": {instruction}")?;
        }
        write!(f, "\n  {}", self.message)?;
        if let Some(Nearest {
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
        Ok(())
    }
}
