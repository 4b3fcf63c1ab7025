//! Source lines for listings and messages.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use gcn_object::{SourceFrame, SourceLines, SourcePlace};
use gcn_runtime::data::Data;

use super::text::shown_file;

/// Maximum size of a source file in bytes.
const MAX_SOURCE_BYTES: u64 = 16 << 20;

/// Cache of source files named by debug information.
///
/// # Examples
/// ```
/// use gcn_report::Sources;
/// let object = gcn_object::read(std::fs::read("../gcn-object/tests/fixtures/lines-gfx906.co")?)?;
/// let lines = object.source_lines()?.expect("the object was compiled with -g");
/// let mut sources = Sources::default();
/// let text = sources.describe(&lines, 0x1868).expect("the line is known");
/// assert!(text.starts_with("./lines.cl:4 (twice, inlined at "), "{text}");
/// assert_eq!(sources.describe(&lines, 0), None, "the address has no code");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct Sources {
    /// Lines of each file by line number. Empty if the file cannot be read.
    files: HashMap<Arc<str>, HashMap<u32, String>>,
}

impl Sources {
    /// Finds the source line at a location in the debug information or in a file.
    pub(super) fn whole_line(&mut self, lines: &SourceLines, place: &SourcePlace) -> Option<&str> {
        let file = self.files.entry(place.file.clone());
        let known = file.or_insert_with_key(|path| match lines.embedded_source(path) {
            Some(text) => lines_of(&text, path),
            None => read(Path::new(&**path)).unwrap_or_default(),
        });
        known.get(&place.line).map(String::as_str)
    }

    /// Describes the source line at an address, as in `scale.cl:4: return x + x;`, followed by the inlining chain.
    /// Returns `None` if the line is unknown.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
    /// use gcn_report::Sources;
    /// # let target = gcn_isa::Target::named("gfx900").expect("a target");
    /// let source = gcn_asm::Source { name: "add_one.s", text: example::ADD_ONE };
    /// let options = gcn_asm::Options { debug: Some(""), ..gcn_asm::Options::new(target) };
    /// let object = gcn_object::read(gcn_asm::assemble(&source, &options).program.to_object(None)?)?;
    /// let lines = object.source_lines()?.expect("the object has debug information");
    /// let entry = object.kernels[0].entry_address;
    /// let text = Sources::default().describe(&lines, entry).expect("the line is known");
    /// assert!(text.contains("add_one.s:7"), "{text}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn describe(&mut self, lines: &SourceLines, address: u64) -> Option<String> {
        let frames = lines.frames(address).ok()?;
        let place = frames.first()?.place.as_ref()?;
        if place.line == 0 {
            return None;
        }
        let mut text = format!("{}:{}", shown_file(&place.file), place.line);
        text += &inlined(&frames);
        let line = self.whole_line(lines, place).map(str::trim);
        if let Some(line) = line.filter(|line| !line.is_empty()) {
            text += ": ";
            text += line;
        }
        Some(text)
    }
}

/// Reads the lines of a file.
fn read(path: &Path) -> Option<HashMap<u32, String>> {
    let metadata = fs::metadata(path).ok()?;
    // The name comes from an object file, and may denote a pipe or an endless device.
    if !metadata.is_file() {
        return None;
    }
    let data = Data::open(path, MAX_SOURCE_BYTES).ok()?;
    let text = String::from_utf8(data.into_bytes(MAX_SOURCE_BYTES).ok()?).ok()?;
    Some((1..).zip(text.lines().map(str::to_owned)).collect())
}

/// Extracts the lines of a file from text with `#line` directives.
fn lines_of(text: &str, file: &str) -> HashMap<u32, String> {
    let is_file = |name: &str| {
        let directory = file.strip_suffix(name);
        directory.is_some_and(|it| it.is_empty() || it.ends_with('/'))
    };
    let (mut named, mut unnamed) = (HashMap::new(), HashMap::new());
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
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.find(|c: char| !c.is_ascii_digit());
    let (number, rest) = rest.split_at(digits.unwrap_or(rest.len()));
    let name = || rest.trim_start().strip_prefix('"')?.split_once('"');
    Some((number.parse().ok()?, name().map(|(name, _)| name)))
}

/// Describes the inlining chain, innermost call first, as in ` (twice, inlined at scale.cl:10)`. Empty if not inlined.
pub(super) fn inlined(frames: &[SourceFrame]) -> String {
    let mut text = String::new();
    for pair in frames.windows(2) {
        let [inner, outer] = pair else { continue };
        let name = inner.function.as_deref().unwrap_or("a function");
        text += if text.is_empty() { " (" } else { "; " };
        match &outer.place {
            Some(place) => {
                let file = shown_file(&place.file);
                text += &format!("{name}, inlined at {file}:{}", place.line);
            }
            None => text += &format!("{name}, inlined"),
        }
    }
    if !text.is_empty() {
        text.push(')');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_count_the_lines_of_a_text() {
        let text =
            "first\n#line 7 \"a.cl\"\nseven\n # 3 \"dir/b.cl\"\nthree\n#line 20\ntwenty\n#line x\n";
        let line = |file, number| lines_of(text, file).get(&number).cloned();
        for (file, number, expected) in [
            ("/tmp/a.cl", 7, Some("seven")),
            ("/tmp/a.cl", 1, None),
            ("/tmp/a.cl", 20, None),
            ("/tmp/dir/b.cl", 3, Some("three")),
            ("dir/b.cl", 20, Some("twenty")),
            ("dir/b.cl", 21, Some("#line x")),
            ("/tmp/c.cl", 1, Some("first")),
            ("/tmp/c.cl", 7, None),
            ("/tmp/xa.cl", 7, None),
        ] {
            assert_eq!(line(file, number).as_deref(), expected, "{file}:{number}");
        }
    }
}
