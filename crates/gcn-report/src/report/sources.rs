//! Source lines for listings and messages.

use std::collections::{BTreeMap, HashMap};
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
    files: HashMap<Arc<str>, BTreeMap<u32, String>>,
}

impl Sources {
    /// Returns the source line at a location. The text comes from the debug information, or else from the file.
    pub(super) fn whole_line(&mut self, lines: &SourceLines, place: &SourcePlace) -> Option<&str> {
        let file = self.files.entry(place.file.clone());
        let known = file.or_insert_with_key(|path| {
            let embedded = lines.embedded_lines(path);
            embedded
                .or_else(|| read(Path::new(&**path)))
                .unwrap_or_default()
        });
        known.get(&place.line).map(String::as_str)
    }

    /// Describes the source line at an address, as in `scale.cl:4: return x + x;`. The inlining chain follows the line
    /// number. Returns `None` if the line is unknown.
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
fn read(path: &Path) -> Option<BTreeMap<u32, String>> {
    let metadata = fs::metadata(path).ok()?;
    // The name comes from an object file, and may denote a pipe or an endless device.
    if !metadata.is_file() {
        return None;
    }
    let data = Data::open(path, MAX_SOURCE_BYTES).ok()?;
    let text = String::from_utf8(data.into_bytes(MAX_SOURCE_BYTES).ok()?).ok()?;
    Some((1..).zip(text.lines().map(str::to_owned)).collect())
}

/// Describes the inlining chain, innermost call first, as in ` (twice, inlined at scale.cl:10)`. Empty without inlining.
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
