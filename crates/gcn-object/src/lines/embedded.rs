//! Source text embedded in debug information (`-gembed-source`).

use std::collections::HashMap;

use gimli::{Dwarf, EndianArcSlice, LittleEndian, Reader as _, UnitHeader};

/// DWARF section reader that shares the section's bytes.
pub(super) type DwarfReader = EndianArcSlice<LittleEndian>;

/// Embedded source text by file path.
pub(super) struct EmbeddedSources(HashMap<String, DwarfReader>);

impl EmbeddedSources {
    /// Collects source text from the file tables. Skips invalid DWARF, which is reported when its lines are requested.
    pub(super) fn read(dwarf: &Dwarf<DwarfReader>) -> EmbeddedSources {
        let mut texts = HashMap::new();
        let mut units = dwarf.units();
        while let Ok(Some(header)) = units.next() {
            let _ = add_texts(dwarf, header, &mut texts);
        }
        EmbeddedSources(texts)
    }

    /// Returns the source text of a file.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        let text = self.0.get(path)?.to_string_lossy().ok()?;
        Some(text.into_owned())
    }

    /// Returns the path of the file that is displayed as `name`.
    pub(super) fn path_of(&self, name: &str) -> Option<&str> {
        let mut paths = self.0.keys().map(String::as_str);
        paths.find(|path| displayed_path(path) == name)
    }
}

/// Adds the source text of a compilation unit's files.
///
/// # Errors
/// The unit is not valid DWARF.
fn add_texts(
    dwarf: &Dwarf<DwarfReader>,
    header: UnitHeader<DwarfReader>,
    texts: &mut HashMap<String, DwarfReader>,
) -> Result<(), gimli::Error> {
    let unit = dwarf.unit(header)?;
    let unit = unit.unit_ref(dwarf);
    let Some(program) = &unit.line_program else {
        return Ok(());
    };
    let header = program.header();
    for file in header.file_names() {
        let Some(source) = file.source() else {
            continue;
        };
        let text = unit.attr_string(source)?;
        if text.is_empty() {
            continue;
        }
        // Compose the path as `addr2line` does: compilation directory, file directory, name.
        let mut path = match &unit.comp_dir {
            Some(directory) => directory.to_string_lossy()?.into_owned(),
            None => String::new(),
        };
        if file.directory_index() != 0
            && let Some(directory) = file.directory(header)
        {
            join(&mut path, &unit.attr_string(directory)?.to_string_lossy()?);
        }
        let name = unit.attr_string(file.path_name())?;
        join(&mut path, &name.to_string_lossy()?);
        texts.insert(path, text);
    }
    Ok(())
}

/// Appends `part` to a path, or replaces the path if `part` is absolute.
fn join(path: &mut String, part: &str) {
    if part.starts_with('/') {
        path.clear();
    } else if !path.is_empty() && !path.ends_with('/') {
        path.push('/');
    }
    path.push_str(part);
}

/// Removes the directory from a path whose file name is in angle brackets, which compilers use for source text that is
/// not in a file.
pub(super) fn displayed_path(path: &str) -> &str {
    let name = path.rfind("/<").map(|slash| &path[slash + 1..]);
    name.filter(|name| name.ends_with('>')).unwrap_or(path)
}
