//! Textual description of an instruction's uses, for messages, references and tests.

use std::fmt;

use crate::regs;
use crate::simm::HWREGS;

use super::Uses;
use super::memory::{M0, MemoryUse, Space};
use super::registers::{RegisterUse, Registers, UnnumberedState, UseOrigin, UsedLanes};

/// One line: `reads v[2:3], exec as lanes; writes v5, trapsts[8]; global read; vmcnt`.
impl fmt::Display for Uses<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        let uses: Vec<RegisterUse> = self.registers().collect();
        parts.extend(list_registers("reads", &uses, |it| it.read, self));
        parts.extend(list_registers("writes", &uses, |it| it.written, self));
        parts.extend(self.memory().map(|memory| memory.to_string()));
        if let Some(counters) = self.counters() {
            let each = [counters.vm, counters.lgkm, counters.exp];
            let held = counters
                .held()
                .zip(each.into_iter().filter(|held| *held != 0));
            let text: Vec<String> = held
                .map(|(counter, held)| match held {
                    1 => counter.to_string(),
                    _ => format!("{counter} {held} times"),
                })
                .collect();
            parts.push(text.join(", "));
        }
        f.write_str(&parts.join("; "))
    }
}

impl Uses<'_> {
    /// Implicit register uses, as phrases: `reads exec as lanes`, `writes scc`.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, decode};
    /// let save = decode(Isa::Gfx9, &[0xbe80_206a])?;
    /// assert_eq!(save.text(), "s_and_saveexec_b64 s[0:1], vcc");
    /// assert_eq!(save.uses().implicit_phrases(), ["reads exec", "writes scc, exec"]);
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn implicit_phrases(&self) -> Vec<String> {
        let beside: Vec<RegisterUse> = self
            .registers()
            .filter(|it| it.operand().is_none())
            .collect();
        let both = [
            list_registers("reads", &beside, |it| it.read, self),
            list_registers("writes", &beside, |it| it.written, self),
        ];
        both.into_iter().flatten().collect()
    }

    /// Uses of the operand at index `place` of the row, as phrases: `reads 2 dwords`, `writes bits 15:0 of 1 dword`.
    /// Empty if the operand names no register.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, decode};
    /// let read = decode(Isa::Gfx9, &[0xd8b6_0000, 0x0100_0002])?; // ds_read_u16_d16_hi v1, v2
    /// assert_eq!(read.uses().operand_phrases(0), ["writes bits 31:16 of 1 dword"]);
    /// assert_eq!(read.uses().operand_phrases(1), ["reads 1 dword"]);
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn operand_phrases(&self, place: usize) -> Vec<String> {
        let of_it = self.registers().filter(|it| it.operand() == Some(place));
        of_it
            .map(|it| {
                let (verb, bits) = match it.read {
                    0 => ("writes", it.written),
                    read => ("reads", read),
                };
                let count = match it.registers {
                    Registers::Vector { count, .. } | Registers::Scalar { count, .. } => count,
                    Registers::State(_) => 1,
                };
                let plural = if count == 1 { "" } else { "s" };
                let part = match bits {
                    u32::MAX => String::new(),
                    _ => format!("bits {} of ", range(bits)),
                };
                format!("{verb} {part}{count} dword{plural}{}", suffix(&it))
            })
            .collect()
    }
}

/// Bit range: `15:0`.
fn range(bits: u32) -> String {
    let (low, high) = (bits.trailing_zeros(), u32::BITS - 1 - bits.leading_zeros());
    match high == low {
        true => low.to_string(),
        false => format!("{high}:{low}"),
    }
}

/// Suffix for an index, and for lanes that differ from the active lanes.
fn suffix(it: &RegisterUse) -> String {
    let lanes = match (it.lanes, it.source) {
        (_, UseOrigin::LaneMask) => " as lanes",
        (UsedLanes::First, _) => " of the first lane",
        (UsedLanes::Selected, _) => " of one lane",
        (UsedLanes::Crossing, _) => " of any lane",
        (UsedLanes::Scalar | UsedLanes::Active, _) => "",
    };
    let index = if it.indexed { " by index" } else { "" };
    format!("{lanes}{index}")
}

/// Lists the registers for which `bits` is nonzero.
fn list_registers(
    verb: &str,
    uses: &[RegisterUse],
    bits: fn(&RegisterUse) -> u32,
    of: &Uses<'_>,
) -> Option<String> {
    let used = uses.iter().filter(|it| bits(it) != 0);
    let mut names: Vec<String> = used.map(|it| name(it, bits(it), of)).collect();
    let mut seen = Vec::new();
    names.retain(|name| {
        let is_new = !seen.contains(name);
        seen.push(name.clone());
        is_new
    });
    (!names.is_empty()).then(|| format!("{verb} {}", names.join(", ")))
}

fn name(it: &RegisterUse, bits: u32, of: &Uses<'_>) -> String {
    let isa = of.inst.isa;
    let mut name = match it.registers {
        Registers::Vector { first, count: 1 } => format!("v{first}"),
        Registers::Vector { first, count } => {
            format!("v[{first}:{}]", u16::from(first) + u16::from(count) - 1)
        }
        Registers::Scalar { first, count } => regs::scalar_name(isa, first, count)
            .unwrap_or_else(|| format!("s{first} and {} more", count.saturating_sub(1))),
        Registers::State(state) => state.to_string(),
    };
    if bits != u32::MAX {
        name += &format!("[{}]", range(bits));
    }
    name + &suffix(it)
}

impl fmt::Display for UnnumberedState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            UnnumberedState::Scc => f.write_str("scc"),
            UnnumberedState::Pc => f.write_str("pc"),
            UnnumberedState::Apertures => f.write_str("apertures"),
            UnnumberedState::Hardware(id) => {
                const PREFIX: &str = "HW_REG_";
                match HWREGS.iter().find(|(_, number, _)| *number == id) {
                    Some((name, ..)) => {
                        f.write_str(&name.trim_start_matches(PREFIX).to_ascii_lowercase())
                    }
                    None => write!(f, "hardware register {id}"),
                }
            }
        }
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Space::Global => "global",
            Space::Lds => "lds",
            Space::Gds => "gds",
            Space::Scratch => "scratch",
            Space::Gws => "gws",
        })
    }
}

/// `global read, lds written, m0 addresses`.
impl fmt::Display for MemoryUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        for space in self.spaces().iter() {
            let how = match (self.read.has(space), self.written.has(space)) {
                (true, true) if self.atomic => "atomic",
                (true, true) => "read and written",
                (true, false) => "read",
                (false, _) => "written",
            };
            parts.push(format!("{space} {how}"));
        }
        match self.m0 {
            M0::Unused => {}
            M0::Bounds => parts.push("m0 bounds".to_owned()),
            M0::Addresses => parts.push("m0 addresses".to_owned()),
        }
        f.write_str(&parts.join(", "))
    }
}
