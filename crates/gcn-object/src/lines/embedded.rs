//! Source text embedded in debug information (`-gembed-source`).

use std::collections::{BTreeMap, HashMap};

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
/// Fails if the unit is not valid DWARF.
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

/// Extracts the lines of a file from text with `#line` directives, by line number.
pub(super) fn lines_of(text: &str, file: &str) -> BTreeMap<u32, String> {
    let is_file = |name: &str| {
        let directory = file.strip_suffix(name);
        directory.is_some_and(|it| it.is_empty() || it.ends_with('/'))
    };
    let (mut named, mut unnamed) = (BTreeMap::new(), BTreeMap::new());
    let mut number: u32 = 1;
    // True for lines of the file, false for lines of another file, `None` until the text names a file.
    let mut is_own = None;
    for line in text.lines() {
        if let Some((next, name)) = line_directive(line) {
            number = next;
            is_own = name.map(is_file).or(is_own);
            continue;
        }
        match is_own {
            Some(true) => drop(named.insert(number, line.to_owned())),
            Some(false) => (),
            None => drop(unnamed.insert(number, line.to_owned())),
        }
        number = number.saturating_add(1);
    }
    if named.is_empty() { unnamed } else { named }
}

/// Parses the line number and the file name of a directive `#line 12 "name"` or `# 12 "name"`.
fn line_directive(line: &str) -> Option<(u32, Option<&str>)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let long = rest.strip_prefix("line");
    let rest = long.unwrap_or(rest).trim_start();
    let digits = rest.find(|c: char| !c.is_ascii_digit());
    let (number, rest) = rest.split_at(digits.unwrap_or(rest.len()));
    let number = number.parse().ok()?;
    let rest = rest.trim();
    let is_comment = || rest.starts_with("//") || rest.starts_with("/*");
    if rest.is_empty() || long.is_some() && is_comment() {
        return Some((number, None));
    }
    // With other text, the line is a comment of assembly.
    let (name, _) = rest.strip_prefix('"')?.split_once('"')?;
    Some((number, Some(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_count_the_lines_of_a_text() {
        let text = "first\n#line 7 \"a.cl\"\nseven\n # 3 \"dir/b.cl\"\nthree\n#line 20 // so\ntwenty\n#line x\n\
                    # 4 registers\n";
        let line = |file, number| lines_of(text, file).get(&number).cloned();
        for (file, number, expected) in [
            ("/tmp/a.cl", 7, Some("seven")),
            ("/tmp/a.cl", 1, None),
            ("/tmp/a.cl", 20, None),
            ("/tmp/dir/b.cl", 3, Some("three")),
            ("dir/b.cl", 20, Some("twenty")),
            ("dir/b.cl", 21, Some("#line x")),
            ("dir/b.cl", 22, Some("# 4 registers")),
            ("/tmp/c.cl", 1, Some("first")),
            ("/tmp/c.cl", 7, None),
            ("/tmp/xa.cl", 7, None),
        ] {
            assert_eq!(line(file, number).as_deref(), expected, "{file}:{number}");
        }
    }
}
