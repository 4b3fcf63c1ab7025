//! Lines of the sources that code was compiled from, for listings and messages.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use gcn_object::{SourceFrame, SourceLines, SourcePlace};

/// Largest source that is read, in bytes.
const MAX_SOURCE_BYTES: u64 = 16 << 20;

/// Sources that debug information names, each read once.
#[derive(Default)]
pub struct Sources {
    /// The lines of each file; `None` if it cannot be read.
    files: HashMap<Arc<str>, Option<Vec<String>>>,
}

impl Sources {
    /// The line at a place, without its indentation; `None` if the file cannot be read or is not that long.
    pub fn line(&mut self, place: &SourcePlace) -> Option<&str> {
        self.whole_line(place).map(str::trim)
    }

    /// The line at a place as it is in the file.
    pub(super) fn whole_line(&mut self, place: &SourcePlace) -> Option<&str> {
        let file = self.files.entry(place.file.clone());
        let lines = file.or_insert_with_key(|path| {
            let path = Path::new(&**path);
            // The name comes from the object: it may be that of a pipe, or of a device without an end.
            let metadata = fs::metadata(path).ok()?;
            if !metadata.is_file() || metadata.len() > MAX_SOURCE_BYTES {
                return None;
            }
            let text = fs::read_to_string(path).ok()?;
            Some(text.lines().map(str::to_owned).collect())
        });
        let index = (place.line as usize).checked_sub(1)?;
        lines.as_ref()?.get(index).map(String::as_str)
    }

    /// The place of code at an address and the text of its line, as `scale.cl:4: return x + x;`; of code that was inlined, the
    /// calls that it came by too. `None` if the line is not known.
    pub fn describe(&mut self, lines: &SourceLines, address: u64) -> Option<String> {
        let frames = lines.frames(address).ok()?;
        let place = frames.first()?.place.as_ref()?;
        if place.line == 0 {
            return None;
        }
        let mut text = format!("{}:{}", place.file, place.line);
        text += &inlined(&frames);
        if let Some(line) = self.line(place).filter(|line| !line.is_empty()) {
            text += ": ";
            text += line;
        }
        Some(text)
    }
}

/// The calls by which code came where it is, the innermost first: ` (twice, inlined at scale.cl:10)`; empty if there are none.
pub(super) fn inlined(frames: &[SourceFrame]) -> String {
    let mut text = String::new();
    for pair in frames.windows(2) {
        let [inner, outer] = pair else { continue };
        let name = inner.function.as_deref().unwrap_or("a function");
        text += if text.is_empty() { " (" } else { "; " };
        match &outer.place {
            Some(place) => text += &format!("{name}, inlined at {}:{}", place.file, place.line),
            None => text += &format!("{name}, inlined"),
        }
    }
    if !text.is_empty() {
        text.push(')');
    }
    text
}
