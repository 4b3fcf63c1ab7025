//! Source language of code, and approximate locations for code without line information.

use std::ops::Range;

use gimli::AttributeValue;

use super::language::SourceLanguage;
use super::{LinesError, SourceLines, SourcePlace};

impl SourceLines {
    /// Returns the source language of the compilation unit that contains `address`; `None` if no unit contains it or
    /// the unit does not state its language.
    ///
    /// # Errors
    /// Fails if the debug information for the address is not valid DWARF.
    ///
    /// # Examples
    /// ```
    /// let object = gcn_object::read(std::fs::read("tests/fixtures/lines-gfx906.co")?)?;
    /// let lines = object.source_lines()?.expect("compiled with -g");
    /// assert!(lines.language(0x1868)?.is_some());
    /// assert_eq!(lines.language(0)?, None, "no code at this address");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn language(&self, address: u64) -> Result<Option<SourceLanguage>, LinesError> {
        let found = self.context.find_dwarf_and_unit(address).skip_all_loads();
        let Some(unit) = found else {
            return Ok(None);
        };
        let mut entries = unit.entries();
        let Some(root) = entries.next_dfs()? else {
            return Ok(None);
        };
        Ok(match root.attr_value(gimli::DW_AT_language) {
            Some(AttributeValue::Language(language)) => Some(SourceLanguage::of(language)),
            _ => None,
        })
    }

    /// Returns an approximate location for an instruction without line information, which compilers drop when they
    /// merge or hoist code. For inlined code, this is the call; otherwise, the nearest location before the instruction
    /// in `function`, or the first one after it. `None` if the function has no lines.
    ///
    /// # Errors
    /// Fails if the debug information for the function is not valid DWARF.
    ///
    /// # Examples
    /// ```
    /// let object = gcn_object::read(std::fs::read("tests/fixtures/lines-gfx906.co")?)?;
    /// let lines = object.source_lines()?.expect("compiled with -g");
    /// let kernel = &object.kernels[0];
    /// let function = kernel.entry_address..kernel.entry_address + kernel.code_size;
    /// let nearest = lines.nearest(0x1840, function)?.expect("the function has lines");
    /// assert_eq!(&*nearest.file, "./lines.cl");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn nearest(
        &self,
        address: u64,
        function: Range<u64>,
    ) -> Result<Option<SourcePlace>, LinesError> {
        let has_line = |place: &SourcePlace| place.line != 0;
        let calls = self.frames(address)?.into_iter().skip(1);
        if let Some(call) = calls.filter_map(|frame| frame.place).find(has_line) {
            return Ok(Some(call));
        }
        let before = self.ranges(function.start..address)?;
        let after = self.ranges(address..function.end)?;
        for range in before.iter().rev().chain(&after) {
            // For inlined code, use the line of the call, which belongs to the function itself.
            let own = self.frames(range.addresses.start)?.pop();
            let place = own.and_then(|frame| frame.place);
            if let Some(place) = place.filter(has_line) {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }
}
