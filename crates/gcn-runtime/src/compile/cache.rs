//! Results of the compiler on disk, by content.
//!
//! A key is made of all that is known before the compiler runs. Under it is a list: the files that the source included
//! when it was compiled, each with the hash of what it held. If all of them still hold that, the result is under the hash
//! of key and list. A file is written under a temporary name and renamed, so that several processes may write; each begins
//! with the hash of the rest, so that one that is damaged counts as none.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use super::request::CompilerInput;

/// Bytes of the directory above which the oldest files go.
const MAX_BYTES: u64 = 512 << 20;
/// Begins every file; the number is that of the format.
const MAGIC: &[u8] = b"gcn cache 1\n";
/// Bytes of a hash.
const HASH: usize = 32;

/// A hash of content.
type Hash = [u8; HASH];

fn hash(parts: &[&[u8]]) -> Hash {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().into()
}

fn hexadecimal(hash: &Hash) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Eight digits that differ for most different texts.
pub(super) fn short_hash(text: &[u8]) -> String {
    hexadecimal(&hash(&[text])).chars().take(8).collect()
}

/// The directory of the user's results: `gcn` in `$XDG_CACHE_HOME`, or in `~/.cache`.
pub(super) fn directory() -> Option<PathBuf> {
    let absolute = |variable| {
        env::var_os(variable)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    Some(cache?.join("gcn"))
}

/// All that is known of a result before the compiler runs.
pub(super) struct CacheKey(Hash);

impl CacheKey {
    /// The key of a source for commands and a compiler of this identity.
    pub fn new(identity: &str, text: &[u8]) -> CacheKey {
        let release = env!("CARGO_PKG_VERSION").as_bytes();
        CacheKey(hash(&[release, identity.as_bytes(), text]))
    }
}

/// A result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct CachedResult {
    /// The code object.
    pub code: Vec<u8>,
    /// The compiler's warnings.
    pub diagnostics: String,
    /// The included files.
    pub dependencies: Vec<PathBuf>,
}

/// A directory of results.
pub(super) struct Cache(PathBuf);

impl Cache {
    /// The cache in a directory, which need not exist.
    pub fn new(directory: PathBuf) -> Cache {
        Cache(directory)
    }

    /// The result for a key, if there is one for the included files as they are now.
    pub fn read(&self, key: &CacheKey) -> Option<CachedResult> {
        let list = self.contents(&list_name(key))?;
        let list = String::from_utf8(list).ok()?;
        let mut dependencies = Vec::new();
        for line in list.lines() {
            let (expected, path) = line.split_once(' ')?;
            let now = fs::read(path).ok()?;
            if hexadecimal(&hash(&[&now])) != expected {
                return None;
            }
            dependencies.push(PathBuf::from(path));
        }
        let bytes = self.contents(&entry_name(key, &list))?;
        let (length, rest) = bytes.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (diagnostics, code) = rest.split_at_checked(length)?;
        Some(CachedResult {
            code: code.to_vec(),
            diagnostics: String::from_utf8(diagnostics.to_vec()).ok()?,
            dependencies,
        })
    }

    /// Keeps a result.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub fn write(&self, key: &CacheKey, entry: &CachedResult) -> io::Result<()> {
        let mut list = String::new();
        for path in &entry.dependencies {
            let hash = hexadecimal(&hash(&[&fs::read(path)?]));
            let Some(path) = path.to_str().filter(|path| !path.contains('\n')) else {
                // The list is text; a file of such a name is rare.
                return Ok(());
            };
            list.push_str(&format!("{hash} {path}\n"));
        }
        let mut bytes = (entry.diagnostics.len() as u64).to_le_bytes().to_vec();
        bytes.extend(entry.diagnostics.as_bytes());
        bytes.extend(&entry.code);
        fs::create_dir_all(&self.0)?;
        self.keep(&entry_name(key, &list), &bytes)?;
        self.keep(&list_name(key), list.as_bytes())?;
        self.shrink()
    }

    /// Contents of a file, if it is whole.
    fn contents(&self, name: &str) -> Option<Vec<u8>> {
        let mut bytes = fs::read(self.0.join(name)).ok()?;
        let head = MAGIC.len() + HASH;
        let (begin, rest) = bytes.split_at_checked(head)?;
        let (magic, expected) = begin.split_at_checked(MAGIC.len())?;
        if magic != MAGIC || expected != hash(&[rest]) {
            return None;
        }
        bytes.drain(..head);
        Some(bytes)
    }

    fn keep(&self, name: &str, contents: &[u8]) -> io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(&self.0)?;
        file.write_all(MAGIC)?;
        file.write_all(&hash(&[contents]))?;
        file.write_all(contents)?;
        file.persist(self.0.join(name))?;
        Ok(())
    }

    /// Removes the oldest files as long as all together are too large.
    fn shrink(&self) -> io::Result<()> {
        let mut files: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
        for entry in fs::read_dir(&self.0)? {
            let entry = entry?;
            // Another process may have removed it.
            if let Ok(metadata) = entry.metadata() {
                files.push((metadata.modified()?, metadata.len(), entry.path()));
            }
        }
        let mut total: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
        files.sort();
        for (_, bytes, path) in files {
            if total <= MAX_BYTES {
                break;
            }
            total -= bytes;
            let _ = fs::remove_file(path);
        }
        Ok(())
    }
}

fn list_name(key: &CacheKey) -> String {
    hexadecimal(&key.0) + ".list"
}

fn entry_name(key: &CacheKey, list: &str) -> String {
    hexadecimal(&hash(&[&key.0, list.as_bytes()])) + ".result"
}

/// The files of a list in the form of `make`, without the source itself, whose text is part of the key.
pub(super) fn dependencies(text: &str, source: CompilerInput<'_>) -> Vec<PathBuf> {
    let Some((_, list)) = text.split_once(": ") else {
        return Vec::new();
    };
    let mut files = Vec::new();
    let mut name = String::new();
    let mut characters = list.chars().peekable();
    while let Some(c) = characters.next() {
        match (c, characters.peek()) {
            // A line goes on.
            ('\\', Some('\n')) => {
                characters.next();
                files.push(std::mem::take(&mut name));
            }
            ('\\', Some(' ' | '#')) => name.extend(characters.next()),
            ('$', Some('$')) => name.extend(characters.next()),
            (' ' | '\n', _) => files.push(std::mem::take(&mut name)),
            _ => name.push(c),
        }
    }
    files.push(name);
    let own = match source {
        CompilerInput::File(path) => Some(path),
        CompilerInput::Text(_) | CompilerInput::Bitcode(_) => None,
    };
    let files = files.into_iter().filter(|name| !name.is_empty());
    files
        .map(PathBuf::from)
        .filter(|path| own != Some(Path::new(path)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(text: &str, dependencies: &[PathBuf]) -> CachedResult {
        CachedResult {
            code: text.as_bytes().to_vec(),
            diagnostics: format!("{text}: warning"),
            dependencies: dependencies.to_vec(),
        }
    }

    #[test]
    fn a_result_is_found_until_an_included_file_changes() {
        let place = tempfile::tempdir().expect("a directory");
        let header = place.path().join("a header.h");
        fs::write(&header, "1").expect("a file");
        let cache = Cache::new(place.path().join("deep/cache"));
        let key = CacheKey::new("clang", b"source");
        assert_eq!(cache.read(&key), None);
        let files = [header.clone()];
        let one = entry("one", &files);
        cache.write(&key, &one).expect("written");
        assert_eq!(cache.read(&key), Some(one));
        assert_eq!(cache.read(&CacheKey::new("clang", b"other")), None);
        assert_eq!(cache.read(&CacheKey::new("gcc", b"source")), None);
        fs::write(&header, "2").expect("a file");
        assert_eq!(cache.read(&key), None);
        let two = entry("two", &files);
        cache.write(&key, &two).expect("written");
        assert_eq!(cache.read(&key), Some(two));
        fs::remove_file(&header).expect("it is there");
        assert_eq!(cache.read(&key), None);
    }

    #[test]
    fn damaged_files_count_as_none() {
        let place = tempfile::tempdir().expect("a directory");
        let cache = Cache::new(place.path().to_owned());
        let key = CacheKey::new("clang", b"source");
        let files: Vec<PathBuf> = {
            cache.write(&key, &entry("one", &[])).expect("written");
            let entries = fs::read_dir(place.path()).expect("a directory");
            entries
                .map(|entry| entry.expect("an entry").path())
                .collect()
        };
        assert_eq!(files.len(), 2);
        for file in files {
            let whole = fs::read(&file).expect("a file");
            for end in 0..whole.len() {
                fs::write(&file, &whole[..end]).expect("a file");
                assert_eq!(cache.read(&key), None, "cut to {end} bytes");
            }
            for at in 0..whole.len() {
                let mut bytes = whole.clone();
                bytes[at] ^= 1;
                fs::write(&file, bytes).expect("a file");
                assert_eq!(cache.read(&key), None, "byte {at} changed");
            }
            fs::write(&file, whole).expect("a file");
            assert_eq!(cache.read(&key), Some(entry("one", &[])));
        }
    }

    #[test]
    fn several_writers_leave_whole_files() {
        let place = tempfile::tempdir().expect("a directory");
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let path = place.path();
                scope.spawn(move || {
                    let cache = Cache::new(path.to_owned());
                    let key = CacheKey::new("clang", b"source");
                    for _ in 0..50 {
                        cache
                            .write(&key, &entry(&format!("{writer}"), &[]))
                            .expect("written");
                        assert!(cache.read(&key).is_some());
                    }
                });
            }
        });
        let files = fs::read_dir(place.path()).expect("a directory").count();
        assert_eq!(files, 2, "no temporary file is left");
    }

    #[test]
    fn lists_of_make_are_read() {
        let text = "kernel.bc: dir/k.cl a\\ b.h \\\n  c$$.h /usr/x\\#.h\n";
        let files = dependencies(text, CompilerInput::File(Path::new("dir/k.cl")));
        assert_eq!(files, ["a b.h", "c$.h", "/usr/x#.h"].map(PathBuf::from));
        assert!(dependencies("", CompilerInput::Text("")).is_empty());
    }
}
