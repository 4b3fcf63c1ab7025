//! Lookup of included files. Open documents take precedence over files on disk.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use gcn_asm::{File, Files};

use crate::text::Text;

/// Maximum file size in bytes.
const MAX_FILE: u64 = 64 << 20;

/// Texts of open documents, by path.
pub(crate) type OpenTexts = HashMap<PathBuf, Arc<Text>>;

/// Files that a source can include: those in its own directory and in the include directories.
pub(crate) struct SourceFiles<'a> {
    directories: &'a [PathBuf],
    open: &'a OpenTexts,
    /// Contents of the files read so far, by the name that the assembler uses.
    read: RefCell<HashMap<String, Arc<Text>>>,
}

impl<'a> SourceFiles<'a> {
    pub(crate) fn new(directories: &'a [PathBuf], open: &'a OpenTexts) -> SourceFiles<'a> {
        SourceFiles {
            directories,
            open,
            read: RefCell::default(),
        }
    }

    /// Returns the contents of files read so far, by name.
    pub(crate) fn into_texts(self) -> HashMap<String, Arc<Text>> {
        self.read.into_inner()
    }

    /// Finds the path of an included file.
    pub(crate) fn find(&self, name: &str, from: &Path) -> Option<PathBuf> {
        let beside = from.parent().unwrap_or(Path::new(""));
        let places = std::iter::once(beside).chain(self.directories.iter().map(PathBuf::as_path));
        let mut paths = places.map(|place| normalize(&place.join(name)));
        paths.find(|path| self.open.contains_key(path) || path.is_file())
    }

    /// Returns the contents of a file.
    pub(crate) fn text(&self, path: &Path) -> Option<Arc<Text>> {
        if let Some(text) = self.open.get(path) {
            return Some(Arc::clone(text));
        }
        let bytes = read(path).ok()?;
        Some(Arc::new(Text::new(String::from_utf8(bytes).ok()?)))
    }
}

impl Files for SourceFiles<'_> {
    fn read(&self, name: &str, from: &str) -> Result<File, String> {
        let path = self.find(name, Path::new(from)).ok_or_else(|| {
            "there is no such file next to the source or in the setting `includeDirectories`"
                .to_owned()
        })?;
        let known = path.display().to_string();
        let bytes = match self.open.get(&path) {
            Some(text) => text.as_str().as_bytes().to_vec(),
            None => read(&path)?,
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let texts = &mut self.read.borrow_mut();
        texts.insert(known.clone(), Arc::new(Text::new(text)));
        Ok(File { name: known, bytes })
    }
}

/// Reads a regular file of at most [`MAX_FILE`] bytes.
fn read(path: &Path) -> Result<Vec<u8>, String> {
    let metadata = fs::metadata(path).map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    if metadata.len() > MAX_FILE {
        return Err(format!("it is longer than {} MiB", MAX_FILE >> 20));
    }
    fs::read(path).map_err(|error| error.to_string())
}

/// Normalizes a path by removing `.` and `DIRECTORY/..`, so that each file has one path.
fn normalize(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if normal.file_name().is_some() => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_documents_hide_files() {
        let path = PathBuf::from("/nowhere/lib/a.s");
        let open = OpenTexts::from([(path.clone(), Arc::new(Text::new("s_nop 0".to_owned())))]);
        let files = SourceFiles::new(&[], &open);
        let file = files
            .read("../lib/./a.s", "/nowhere/lib/k.s")
            .expect("it is open");
        assert_eq!(
            (file.name.as_str(), &file.bytes[..]),
            ("/nowhere/lib/a.s", &b"s_nop 0"[..])
        );
        assert!(files.read("b.s", "/nowhere/lib/k.s").is_err());
        assert!(
            files.read("null", "/dev/k.s").is_err(),
            "a device is not a file"
        );
    }
}
