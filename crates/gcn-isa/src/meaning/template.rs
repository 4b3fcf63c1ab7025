//! Pseudo-code templates and their substitution.

use crate::operand::{Kind, OperandAccess, Slot};
use crate::row::Row;

/// Pseudo-code with placeholders: `$d`, `$a`, `$b`, `$c` are the destination and the sources, `$m` is the mask operand,
/// `$n` the highest bit of a shift amount, `$w` the number of bits, `$t` the highest bit, `$o` an all-ones value, `$f`
/// the register file.
#[derive(Clone, Copy)]
pub(super) struct Template {
    pub(super) code: &'static str,
    pub(super) corners: &'static str,
    pub(super) is_exact: bool,
}

impl Template {
    /// Adds sentences about corner cases.
    pub(super) const fn but(self, corners: &'static str) -> Template {
        Template { corners, ..self }
    }
}

pub(super) const fn exact(code: &'static str) -> Template {
    Template {
        code,
        corners: "",
        is_exact: true,
    }
}

pub(super) const fn words(code: &'static str) -> Template {
    Template {
        is_exact: false,
        ..exact(code)
    }
}

/// Names of an instruction's operands.
pub(super) struct Names {
    destination: String,
    sources: [String; 3],
    mask: String,
    is_scalar: bool,
}

impl Names {
    pub(super) fn of(row: &Row) -> Names {
        let name = |slot: &Slot| format!("{:?}", slot.field).to_lowercase();
        let is_scalar = row.is_scalar();
        let is_mask = |slot: &Slot| !is_scalar && slot.kind == Kind::Sdst;
        let destination = row
            .slots()
            .find(|slot| slot.access != OperandAccess::Read)
            .map_or(String::new(), name);
        // An updated operand is the first source in SOPK, and the last source in other encodings.
        let is_sopk = row.slots().any(|slot| slot.kind == Kind::Simm16);
        let is_source = |&(place, slot): &(usize, &Slot)| match slot.access {
            OperandAccess::Read => !is_mask(slot),
            OperandAccess::ReadWrite => is_sopk || place > 0,
            OperandAccess::Write => false,
        };
        let sources = row.slots().enumerate().filter(is_source);
        let mut sources = sources.map(|(_, slot)| name(slot));
        let mut next = || sources.next().unwrap_or_else(|| destination.clone());
        let sources = [next(), next(), next()];
        let mask = row
            .slots()
            .find(|slot| is_mask(slot) && slot.access == OperandAccess::Read);
        Names {
            mask: mask.map_or(String::new(), name),
            destination,
            sources,
            is_scalar,
        }
    }

    /// Swaps the first two sources.
    pub(super) fn reversed(mut self) -> Names {
        self.sources.swap(0, 1);
        self
    }

    /// Substitutes the placeholders of a template, for values of `bits` bits.
    pub(super) fn fill(&self, template: &str, bits: u32) -> String {
        let mut text = String::new();
        let mut rest = template.split('$');
        text += rest.next().unwrap_or_default();
        for part in rest {
            let (place, after) = part.split_at(1);
            text += &match place {
                "d" => self.destination.clone(),
                "a" => self.sources[0].clone(),
                "b" => self.sources[1].clone(),
                "c" => self.sources[2].clone(),
                "m" => self.mask.clone(),
                "n" => (bits.ilog2() - 1).to_string(),
                "w" => bits.to_string(),
                "t" => (bits - 1).to_string(),
                "o" => format!("{:#x}", u64::MAX >> (u64::BITS - bits)),
                _ if self.is_scalar => "SGPR".to_owned(),
                _ => "VGPR".to_owned(),
            };
            text += after;
        }
        text
    }
}
