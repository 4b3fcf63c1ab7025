//! Parameter names from debug information.

use gimli::{DebuggingInformationEntry, UnitRef};

use super::embedded::DwarfReader;
use super::{LinesError, SourceLines};

type Entry = DebuggingInformationEntry<DwarfReader>;
type Unit<'a> = UnitRef<'a, DwarfReader>;

impl SourceLines {
    /// Returns the parameter names of the function that contains `address`, in order; `None` for unnamed parameters.
    /// Empty if there is only line information (`-gline-tables-only`).
    ///
    /// # Errors
    /// Fails if the debug information for the address is not valid DWARF.
    ///
    /// # Examples
    /// ```
    /// let object = gcn_object::read(std::fs::read("tests/fixtures/lines-gfx906.co")?)?;
    /// let lines = object.source_lines()?.expect("compiled with -g");
    /// let names = lines.parameters(object.kernels[0].entry_address)?;
    /// assert_eq!(names, [Some("data".to_owned()), Some("n".to_owned())]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parameters(&self, address: u64) -> Result<Vec<Option<String>>, LinesError> {
        let found = self.context.find_dwarf_and_unit(address).skip_all_loads();
        let Some(unit) = found else {
            return Ok(Vec::new());
        };
        let mut names = Vec::new();
        // Depth of the function's entry, once found.
        let mut function = None;
        let mut entries = unit.entries();
        while let Some(entry) = entries.next_dfs()? {
            match function {
                Some(depth) if entry.depth() <= depth => break,
                Some(depth) => {
                    let is_parameter = entry.tag() == gimli::DW_TAG_formal_parameter;
                    if is_parameter && entry.depth() == depth + 1 {
                        names.push(self.name_of(unit, entry)?);
                    }
                }
                None if entry.tag() == gimli::DW_TAG_subprogram => {
                    function = has_code(unit, entry, address)?.then_some(entry.depth());
                }
                None => {}
            }
        }
        Ok(names)
    }
}

/// Returns true if `address` is in a function's code.
fn has_code(unit: Unit<'_>, function: &Entry, address: u64) -> Result<bool, gimli::Error> {
    let mut ranges = unit.die_ranges(function)?;
    while let Some(range) = ranges.next()? {
        if (range.begin..range.end).contains(&address) {
            return Ok(true);
        }
    }
    Ok(false)
}
