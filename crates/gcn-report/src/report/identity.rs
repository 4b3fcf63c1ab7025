//! Deduplication of findings.

use gcn_object::SourcePlace;
use gcn_observe::finding::Check;

use super::finding::FindingReport;
use super::language::KernelLanguage;
use super::place::PlaceReport;

/// Identity of a finding from the reader's perspective. Does not depend on load addresses.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct FindingIdentity {
    name: &'static str,
    kernel: Option<String>,
    places: PlacesIdentity,
}

/// Locations that identify a finding.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum PlacesIdentity {
    /// The message without its numbers, and source lines.
    Lines(String, Vec<LineIdentity>),
    /// Instructions, and the `detail` of the finding's key.
    Instructions(Vec<Option<InstructionIdentity>>, u64),
}

/// Source location and inlining chain; `None` for the host.
type LineIdentity = Option<(SourcePlace, String)>;

/// Symbol and text of an instruction.
type InstructionIdentity = (String, Option<String>);

impl FindingReport {
    /// Returns an identity shared by findings on the same source lines, since a line of an unrolled loop has several
    /// instructions. `detail` is the detail of the finding's key.
    pub(crate) fn identity(&self, detail: u64) -> FindingIdentity {
        match self.lines() {
            Some(lines) => FindingIdentity {
                name: self.name,
                kernel: self.kernel().map(str::to_owned),
                places: PlacesIdentity::Lines(without_numbers(&self.message), lines),
            },
            None => self.instruction_identity(detail),
        }
    }

    /// Returns an identity shared only by findings at the same instructions.
    pub(crate) fn instruction_identity(&self, detail: u64) -> FindingIdentity {
        let instruction = |it: &PlaceReport| {
            let code = it.code.as_ref()?;
            Some((code.symbol(), code.instruction().map(str::to_owned)))
        };
        let instructions = self.places().map(instruction).collect();
        FindingIdentity {
            name: self.name,
            kernel: self.kernel().map(str::to_owned),
            places: PlacesIdentity::Instructions(instructions, detail),
        }
    }

    /// Returns the finding's instruction and the other sides.
    fn places(&self) -> impl Iterator<Item = &PlaceReport> {
        std::iter::once(&self.place).chain(&self.sides)
    }

    /// Returns the source lines of all sides, if they identify the finding. Returns `None` for assembly, where each
    /// instruction has its own line; for checks that find compiler bugs, which are reported per instruction; and if an
    /// instruction has no line.
    fn lines(&self) -> Option<Vec<LineIdentity>> {
        let check = self.kind.about().check;
        let is_of_instructions = matches!(check, Check::Waits | Check::Hazards);
        if is_of_instructions || self.language == KernelLanguage::Assembly {
            return None;
        }
        let line = |it: &PlaceReport| match it.code {
            None => Some(None),
            Some(_) => {
                let (place, inlined) = it.source_place()?;
                Some(Some((place.clone(), inlined.to_owned())))
            }
        };
        let mut lines = self.places().map(line).collect::<Option<Vec<_>>>()?;
        if matches!(check, Check::Races | Check::Lanes) {
            // The order of the sides depends only on the addresses of their instructions.
            lines.sort();
        }
        Some(lines)
    }
}

/// Replaces each number in a text with `#`.
fn without_numbers(text: &str) -> String {
    let mut shape = String::with_capacity(text.len());
    let mut is_number = false;
    for c in text.chars() {
        is_number = c.is_ascii_digit() || is_number && c.is_ascii_alphanumeric();
        if !is_number {
            shape.push(c);
        } else if !shape.ends_with('#') {
            shape.push('#');
        }
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_that_differ_in_numbers_have_one_shape() {
        for (text, shape) in [
            (
                "stores 4 bytes at 0x1000200fc, which",
                "stores # bytes at #, which",
            ),
            ("v12 is read", "v# is read"),
            ("two waves of a workgroup", "two waves of a workgroup"),
            ("at 0x10 of 256 bytes", "at # of # bytes"),
        ] {
            assert_eq!(without_numbers(text), shape);
        }
    }
}
