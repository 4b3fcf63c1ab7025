//! Operations whose instruction names differ between generations, for people who port assembly.
//!
//! Source: AMD's Sea Islands, GCN3 and Vega manuals, chapter "Vector ALU Operations", and the instruction tables.

use std::fmt;

use crate::target::{Isa, IsaSet, on};

/// Names of one operation, with the generations that use each.
type GenerationNames = &'static [(&'static str, IsaSet)];

/// Instruction that is equivalent to an instruction of another generation.
///
/// # Examples
/// ```
/// use gcn_isa::Isa;
/// use gcn_isa::successor::{self, Difference};
/// let borrow = successor::of(Isa::Gfx9, "v_subb_u32").expect("another name");
/// assert_eq!(borrow.difference, Difference::Name);
/// assert_eq!(borrow.to_string(), "the same operation is called `v_subb_co_u32` here");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Successor {
    /// Name on the target instruction set.
    pub name: &'static str,
    /// Difference from the other instruction.
    pub difference: Difference,
}

/// Difference between two equivalent instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Difference {
    /// Only the name differs.
    Name,
    /// The first two sources are swapped.
    Order,
    /// Only one of them rounds the product.
    Rounding,
}

#[rustfmt::skip]
const OPERATIONS: &[(Difference, GenerationNames)] = &[
    (Difference::Name,     &[("v_add_i32", on::SI_CI),        ("v_add_u32", on::VI_ONLY), ("v_add_co_u32", on::GFX9)]),
    (Difference::Name,     &[("v_sub_i32", on::SI_CI),        ("v_sub_u32", on::VI_ONLY), ("v_sub_co_u32", on::GFX9)]),
    (Difference::Name,     &[("v_subrev_i32", on::SI_CI),     ("v_subrev_u32", on::VI_ONLY), ("v_subrev_co_u32", on::GFX9)]),
    (Difference::Name,     &[("v_addc_u32", on::SI_CI_VI),    ("v_addc_co_u32", on::GFX9)]),
    (Difference::Name,     &[("v_subb_u32", on::SI_CI_VI),    ("v_subb_co_u32", on::GFX9)]),
    (Difference::Name,     &[("v_subbrev_u32", on::SI_CI_VI), ("v_subbrev_co_u32", on::GFX9)]),
    (Difference::Order,    &[("v_lshl_b32", on::SI_CI),       ("v_lshlrev_b32", on::VI)]),
    (Difference::Order,    &[("v_lshr_b32", on::SI_CI),       ("v_lshrrev_b32", on::VI)]),
    (Difference::Order,    &[("v_ashr_i32", on::SI_CI),       ("v_ashrrev_i32", on::VI)]),
    (Difference::Order,    &[("v_lshl_b64", on::SI_CI),       ("v_lshlrev_b64", on::VI)]),
    (Difference::Order,    &[("v_lshr_b64", on::SI_CI),       ("v_lshrrev_b64", on::VI)]),
    (Difference::Order,    &[("v_ashr_i64", on::SI_CI),       ("v_ashrrev_i64", on::VI)]),
    (Difference::Rounding, &[("v_mad_mix_f32", on::VEGA10),   ("v_fma_mix_f32", on::VEGA12)]),
    (Difference::Rounding, &[("v_mad_mixlo_f16", on::VEGA10), ("v_fma_mixlo_f16", on::VEGA12)]),
    (Difference::Rounding, &[("v_mad_mixhi_f16", on::VEGA10), ("v_fma_mixhi_f16", on::VEGA12)]),
];

/// Instruction of `isa` that is equivalent to `name` on another generation, if it has a different name.
///
/// ```
/// use gcn_isa::{Isa, successor};
/// let shift = successor::of(Isa::Vi, "v_lshl_b32").expect("GCN 1.2 has a shift too");
/// assert_eq!(shift.name, "v_lshlrev_b32");
/// assert_eq!(successor::of(Isa::Vi, "v_lshlrev_b32"), None);
/// ```
pub fn of(isa: Isa, name: &str) -> Option<Successor> {
    let is_elsewhere = |&(theirs, on): &(&str, IsaSet)| theirs == name && !on.has(isa);
    let mut operations = OPERATIONS.iter();
    let (difference, names) = operations.find(|(_, names)| names.iter().any(is_elsewhere))?;
    let (name, _) = names.iter().find(|(_, on)| on.has(isa))?;
    Some(Successor {
        name,
        difference: *difference,
    })
}

/// Writes the difference as a line of help.
impl fmt::Display for Successor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name;
        match self.difference {
            Difference::Name => write!(f, "the same operation is called `{name}` here"),
            Difference::Order => write!(
                f,
                "the same operation is `{name}` here, which takes the first two sources in reverse order"
            ),
            Difference::Rounding => write!(
                f,
                "the operation is `{name}` here, which rounds differently: a fused one rounds once"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_rows() {
        for (_, names) in OPERATIONS {
            for (name, on) in *names {
                for isa in on.iter() {
                    assert!(isa.tables().named(name).is_some(), "{isa}: {name}");
                }
            }
        }
    }
}
