//! EXP: exports to the fixed-function hardware. Field maps, targets, and the encoding's single row.
//!
//! Source: AMD's Southern Islands, Sea Islands, GCN3 and Vega manuals, chapter "Exporting Pixel Color and Vertex
//! Shader Parameters" (in the Vega manual, "Exporting Pixel and Vertex Data").

use crate::effect::Does::*;
use crate::field::{Encoding, Field, Format};
use crate::operand::words::*;
use crate::row::family;
use crate::target::on;
use crate::text::Text;

#[rustfmt::skip]
pub(crate) const FORMATS: &[Format] = &[
    Format { encoding: Encoding::Exp, on: on::SI_CI, dwords: 2, constant: &[(26, 6, 0b111110)], fields: FIELDS },
    Format { encoding: Encoding::Exp, on: on::VI, dwords: 2, constant: &[(26, 6, 0b110001)], fields: FIELDS },
];

#[rustfmt::skip]
const FIELDS: &[(Field, u8, u8)] = &[
    (Field::En, 0, 4), (Field::Tgt, 4, 6), (Field::Compr, 10, 1), (Field::Done, 11, 1), (Field::Vm, 12, 1),
    (Field::Vsrc0, 32, 8), (Field::Vsrc1, 40, 8), (Field::Vsrc2, 48, 8), (Field::Vsrc3, 56, 8),
];

/// Fields of the four exported values, in order.
pub const SOURCES: [Field; 4] = [Field::Vsrc0, Field::Vsrc1, Field::Vsrc2, Field::Vsrc3];

/// Ranges of targets: name, first number, count. A single target has no number in its name.
const TARGETS: [(&str, u8, u8); 5] = [
    ("mrt", 0, 8),
    ("mrtz", 8, 1),
    ("null", 9, 1),
    ("pos", POSITIONS, 4),
    ("param", PARAMETERS, 32),
];

/// First position target.
pub(crate) const POSITIONS: u8 = 12;
/// First parameter target.
pub(crate) const PARAMETERS: u8 = 32;

/// Writes the name of a target and returns true. If the target has no name, writes `unnamed` and the target's number
/// (no assembler accepts this), and returns false.
pub(crate) fn write_target(out: &mut Text, target: u8, unnamed: &str) -> bool {
    let known = TARGETS
        .iter()
        .find(|(_, first, count)| (*first..first + count).contains(&target));
    let (name, number) = match known {
        Some((name, _, 1)) => {
            out.push_str(name);
            return true;
        }
        Some((name, first, _)) => (*name, target - first),
        None => (unnamed, target),
    };
    out.push_str(name);
    out.push_decimal(number.into());
    known.is_some()
}

/// Number of the target with this name; case-insensitive.
///
/// # Examples
/// ```
/// use gcn_isa::exp::target_named;
/// assert_eq!((target_named("mrt0"), target_named("MRTZ"), target_named("pos0")), (Some(0), Some(8), Some(12)));
/// assert_eq!(target_named("mrt8"), None);
/// ```
pub fn target_named(name: &str) -> Option<u8> {
    TARGETS.iter().find_map(|&(prefix, first, count)| {
        let head = name.get(..prefix.len())?;
        let digits = name.get(prefix.len()..)?;
        if !head.eq_ignore_ascii_case(prefix) {
            return None;
        }
        if count == 1 {
            return digits.is_empty().then_some(first);
        }
        let is_number = digits.bytes().all(|b| b.is_ascii_digit());
        let has_zeros = digits.len() > 1 && digits.starts_with('0');
        let number: u8 = digits.parse().ok().filter(|_| is_number && !has_zeros)?;
        (number < count).then_some(first + number)
    })
}

#[rustfmt::skip]
family! {
    /// The EXP instruction.
    Exp in EXP;
//  name si,ci vi,9 on written as                                                                                                                                  does
    EXP  0     0    SI [ExportTo, Exported(Field::Vsrc0, 0), Exported(Field::Vsrc1, 1), Exported(Field::Vsrc2, 2), Exported(Field::Vsrc3, 3), Done, Compr, ValidMask] Export;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_the_name_that_means_it() {
        let mut named = 0;
        for target in 0..64 {
            let mut name = Text::new();
            let is_named = write_target(&mut name, target, "no ");
            assert_eq!(
                target_named(name.as_str()),
                is_named.then_some(target),
                "{}",
                name.as_str()
            );
            named += usize::from(is_named);
        }
        assert_eq!(named, 8 + 1 + 1 + 4 + 32);
        for wrong in ["mrt8", "mrt", "mrt+1", "mrt01", "pos4", "param32", "é"] {
            assert_eq!(target_named(wrong), None, "{wrong}");
        }
    }
}
