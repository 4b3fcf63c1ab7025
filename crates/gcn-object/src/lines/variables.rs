//! Source variables and their locations.

use std::ops::Range;

use gimli::{DebugInfoOffset, EntriesTreeNode, Unit};

use super::embedded::DwarfReader;
use super::location::{LocationError, LocationExpression, VariablePiece, VariableState};
use super::types::{TypeRef, name, reference, type_ref};
use super::{LinesError, SourceLines};

type Entry = gimli::DebuggingInformationEntry<DwarfReader>;
type UnitRef<'a> = gimli::UnitRef<'a, DwarfReader>;

/// Maximum nesting depth of scopes.
const MAX_SCOPES: usize = 256;

/// A variable or parameter that is in scope at an instruction.
#[derive(Clone, Debug)]
pub struct SourceVariable {
    /// Name.
    pub name: String,
    /// Type, if stated.
    pub ty: Option<TypeRef>,
    /// True for a parameter.
    pub is_parameter: bool,
    /// Index of the function in [`SourceLines::frames`]; `None` for variables outside of functions.
    pub frame: Option<usize>,
    /// Offset of its entry in `.debug_info`, which identifies the variable.
    pub id: usize,
    location: Result<LocationExpression, LocationError>,
    frame_base: Option<LocationExpression>,
}

impl SourceVariable {
    /// Returns the pieces of the variable, in order.
    ///
    /// # Errors
    /// Fails if the variable has no location at the instruction, or its location cannot be evaluated.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::{LocationError, PiecePlace, SourceRegister, SourceSpace, VariableState};
    ///
    /// /// A wave whose registers are all 0.
    /// struct Wave;
    ///
    /// impl VariableState for Wave {
    ///     fn register(&self, _: SourceRegister) -> Option<u64> {
    ///         Some(0)
    ///     }
    ///     fn loaded(&self, address: u64) -> u64 {
    ///         address
    ///     }
    ///     fn memory(&self, _: SourceSpace, _: u64) -> Option<u64> {
    ///         None
    ///     }
    /// }
    ///
    /// let object = gcn_object::read(std::fs::read("tests/fixtures/lines-gfx906.co")?)?;
    /// let lines = object.source_lines()?.expect("compiled with -g");
    /// let variables = lines.variables(0x1868)?;
    /// let find = |name: &str| variables.iter().find(|it| it.name == name).expect("a variable");
    /// let pieces = find("x").pieces(&Wave)?;
    /// assert_eq!(pieces[0].place, PiecePlace::Register(SourceRegister::Vector(2)));
    /// assert_eq!(find("n").pieces(&Wave), Err(LocationError::OptimizedOut));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pieces(&self, state: &dyn VariableState) -> Result<Vec<VariablePiece>, LocationError> {
        let location = self.location.as_ref().map_err(Clone::clone)?;
        location.evaluate(self.frame_base.as_ref(), state)
    }

    fn is_in_frame(&self) -> bool {
        let location = self.location.as_ref();
        location.is_ok_and(|it| it.is_in_frame(self.frame_base.as_ref()))
    }
}

impl SourceLines {
    /// Returns the variables in scope at `address`: those of the innermost scope first, and those of the compilation
    /// unit last. Empty if there is only line information (`-gline-tables-only`).
    ///
    /// # Errors
    /// Fails if the debug information for the address is not valid DWARF.
    ///
    /// # Examples
    /// ```
    /// let object = gcn_object::read(std::fs::read("tests/fixtures/lines-gfx906.co")?)?;
    /// let lines = object.source_lines()?.expect("compiled with -g");
    /// let variables = lines.variables(0x1868)?;
    /// let names: Vec<_> = variables.iter().map(|it| (it.name.as_str(), it.frame)).collect();
    /// assert_eq!(names, [("x", Some(0)), ("data", Some(1)), ("n", Some(1)), ("i", Some(1))]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn variables(&self, address: u64) -> Result<Vec<SourceVariable>, LinesError> {
        let found = self.context.find_dwarf_and_unit(address).skip_all_loads();
        let offset = found.and_then(|unit| unit.debug_info_offset());
        let Some(offset) = offset else {
            return Ok(Vec::new());
        };
        let unit = self.unit_with(offset)?;
        let mut scopes = Scopes {
            lines: self,
            unit,
            address,
            frames: 0,
            function: None,
            frame_base: None,
            outside: Vec::new(),
            inside: Vec::new(),
        };
        scopes.enter_unit(unit.entries_tree(None)?.root()?, 0)?;
        let innermost = scopes.frames.saturating_sub(1);
        let mut variables: Vec<SourceVariable> =
            scopes.inside.into_iter().rev().flatten().collect();
        let needs_frame = variables.iter().any(SourceVariable::is_in_frame);
        let in_prologue = match &scopes.function {
            Some(range) if needs_frame => address < prologue_end(unit, range)?,
            _ => false,
        };
        for variable in &mut variables {
            variable.frame = variable.frame.map(|number| innermost - number);
            if in_prologue && variable.is_in_frame() {
                variable.location = Err(LocationError::InPrologue);
            }
        }
        variables.extend(scopes.outside);
        Ok(variables)
    }

    /// Returns the compilation unit that contains an offset in `.debug_info`.
    fn unit_with(&self, offset: DebugInfoOffset) -> Result<UnitRef<'_>, LinesError> {
        let all = || {
            let mut units = Vec::new();
            let mut headers = self.dwarf.units();
            while let Ok(Some(header)) = headers.next() {
                units.extend(self.dwarf.unit(header));
            }
            units
        };
        let units: &Vec<Unit<DwarfReader>> = self.units.get_or_init(all);
        let has_offset = |it: &&Unit<DwarfReader>| {
            let is_start = it.debug_info_offset() == Some(offset);
            is_start || offset.to_unit_offset(&it.header).is_some()
        };
        let unit = units.iter().find(has_offset);
        let missing = || LinesError::Dwarf("a compilation unit cannot be read".to_owned());
        Ok(unit.ok_or_else(missing)?.unit_ref(&self.dwarf))
    }

    /// Returns the name of a variable or parameter, or else that of its abstract origin or declaration.
    pub(super) fn name_of(
        &self,
        unit: UnitRef<'_>,
        entry: &Entry,
    ) -> Result<Option<String>, LinesError> {
        if let Some(own) = name(unit, entry)? {
            return Ok(Some(own));
        }
        match self.origin(unit, entry)? {
            Some((unit, origin)) => Ok(name(unit, &origin)?),
            None => Ok(None),
        }
    }

    /// Returns the abstract origin of an inlined variable, or the declaration of a static member.
    fn origin(
        &self,
        unit: UnitRef<'_>,
        entry: &Entry,
    ) -> Result<Option<(UnitRef<'_>, Entry)>, LinesError> {
        let attributes = [gimli::DW_AT_abstract_origin, gimli::DW_AT_specification];
        let origin = attributes
            .into_iter()
            .find_map(|it| reference(unit, entry, it));
        origin.map(|offset| self.entry_at(offset)).transpose()
    }

    /// Returns the entry at an offset in `.debug_info`.
    pub(super) fn entry_at(
        &self,
        offset: DebugInfoOffset,
    ) -> Result<(UnitRef<'_>, Entry), LinesError> {
        let unit = self.unit_with(offset)?;
        let missing = || LinesError::Dwarf("a reference does not lead to an entry".to_owned());
        let place = offset.to_unit_offset(&unit.header).ok_or_else(missing)?;
        Ok((unit, unit.entry(place)?))
    }
}

/// Returns the first address after the prologue of a function, or its start if the lines do not state a prologue.
fn prologue_end(unit: UnitRef<'_>, function: &Range<u64>) -> Result<u64, gimli::Error> {
    let mut end = None;
    if let Some(program) = unit.line_program.clone() {
        let mut rows = program.rows();
        while let Some((_, row)) = rows.next_row()? {
            let address = row.address();
            if row.prologue_end() && function.contains(&address) {
                end = Some(end.unwrap_or(address).min(address));
            }
        }
    }
    Ok(end.unwrap_or(function.start))
}

/// Scopes that contain an address.
struct Scopes<'a> {
    lines: &'a SourceLines,
    unit: UnitRef<'a>,
    address: u64,
    /// Number of functions entered.
    frames: usize,
    /// Code range of the function that contains the address.
    function: Option<Range<u64>>,
    /// Frame base, if the function states one.
    frame_base: Option<LocationExpression>,
    /// Variables outside of functions.
    outside: Vec<SourceVariable>,
    /// Variables of each scope of the function, outermost first.
    inside: Vec<Vec<SourceVariable>>,
}

impl Scopes<'_> {
    /// Collects the variables outside of functions, and those of the function that contains the address.
    fn enter_unit(
        &mut self,
        node: EntriesTreeNode<'_, '_, DwarfReader>,
        depth: usize,
    ) -> Result<(), LinesError> {
        let mut children = node.children();
        while let Some(child) = children.next()? {
            let entry = child.entry();
            match entry.tag() {
                gimli::DW_TAG_variable => {
                    let found = self.variable(entry)?;
                    self.outside.extend(found);
                }
                gimli::DW_TAG_namespace if depth < MAX_SCOPES => {
                    self.enter_unit(child, depth + 1)?;
                }
                gimli::DW_TAG_subprogram => {
                    if let Some(range) = self.code(entry)? {
                        self.function = Some(range);
                        self.frame_base = match entry.attr_value(gimli::DW_AT_frame_base) {
                            Some(base) => Some(match base.exprloc_value() {
                                Some(base) => LocationExpression::new(self.unit, base)
                                    .unwrap_or_else(|_| LocationExpression::unknown()),
                                None => LocationExpression::unknown(),
                            }),
                            None => None,
                        };
                        self.inside(child, depth + 1)?;
                        self.frame_base = None;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Collects the variables of a function and of the blocks in it that contain the address.
    fn inside(
        &mut self,
        node: EntriesTreeNode<'_, '_, DwarfReader>,
        depth: usize,
    ) -> Result<(), LinesError> {
        if node.entry().tag() != gimli::DW_TAG_lexical_block {
            self.frames += 1;
        }
        let place = self.inside.len();
        self.inside.push(Vec::new());
        let mut own = Vec::new();
        let frame = self.frames - 1;
        let mut children = node.children();
        while let Some(child) = children.next()? {
            let entry = child.entry();
            match entry.tag() {
                gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter => {
                    let found = self.variable(entry)?;
                    own.extend(found.map(|it| SourceVariable {
                        frame: Some(frame),
                        ..it
                    }));
                }
                gimli::DW_TAG_lexical_block | gimli::DW_TAG_inlined_subroutine
                    if depth < MAX_SCOPES && self.code(entry)?.is_some() =>
                {
                    self.inside(child, depth + 1)?;
                }
                _ => {}
            }
        }
        self.inside[place] = own;
        Ok(())
    }

    /// Returns the range from the first to the last instruction of an entry; `None` if the entry does not contain the address.
    fn code(&self, entry: &Entry) -> Result<Option<Range<u64>>, LinesError> {
        let mut ranges = self.unit.die_ranges(entry)?;
        let (mut all, mut is_here): (Option<Range<u64>>, bool) = (None, false);
        while let Some(range) = ranges.next()? {
            is_here |= (range.begin..range.end).contains(&self.address);
            let before = all.unwrap_or(range.begin..range.end);
            all = Some(before.start.min(range.begin)..before.end.max(range.end));
        }
        Ok(all.filter(|_| is_here))
    }

    /// Reads a variable or parameter. Returns `None` for declarations and unnamed ones.
    fn variable(&self, entry: &Entry) -> Result<Option<SourceVariable>, LinesError> {
        let unit = self.unit;
        let origin = self.lines.origin(unit, entry)?;
        let name = self.lines.name_of(unit, entry)?;
        let of_origin = || origin.as_ref().and_then(|(unit, it)| type_ref(*unit, it));
        let ty = type_ref(unit, entry).or_else(of_origin);
        let is_declaration = entry.attr_value(gimli::DW_AT_declaration).is_some();
        let Some(name) = name.filter(|_| !is_declaration) else {
            return Ok(None);
        };
        Ok(Some(SourceVariable {
            name,
            ty,
            is_parameter: entry.tag() == gimli::DW_TAG_formal_parameter,
            frame: None,
            id: entry
                .offset()
                .to_debug_info_offset(&unit.header)
                .map_or(0, |it| it.0),
            location: self.location(entry)?,
            frame_base: self.frame_base.clone(),
        }))
    }

    /// Returns the location of a variable at the address.
    fn location(
        &self,
        entry: &Entry,
    ) -> Result<Result<LocationExpression, LocationError>, LinesError> {
        let optimized_out = Ok(Err(LocationError::OptimizedOut));
        let expression = match entry.attr_value(gimli::DW_AT_location) {
            Some(location) => match location.exprloc_value() {
                Some(expression) => Some(expression),
                None => {
                    let Some(mut list) = self.unit.attr_locations(location)? else {
                        return optimized_out;
                    };
                    let mut found = None;
                    while let Some(it) = list.next()? {
                        if (it.range.begin..it.range.end).contains(&self.address) {
                            found = Some(it.data);
                            break;
                        }
                    }
                    found
                }
            },
            None => {
                let value = entry.attr_value(gimli::DW_AT_const_value);
                return Ok(value.map_or(Err(LocationError::OptimizedOut), |value| {
                    LocationExpression::constant(&value)
                }));
            }
        };
        match expression {
            Some(expression) => Ok(LocationExpression::new(self.unit, expression)),
            None => optimized_out,
        }
    }
}
