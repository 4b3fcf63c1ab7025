//! On-disk cache of compiler results, keyed by a hash of their inputs.
//!
//! Files are written under a temporary name and renamed, so processes may write concurrently. Each file contains its
//! key and a hash of its contents, so damaged or renamed files are ignored.

use std::env;
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use super::request::CompilerInput;

/// Maximum size of the cache directory in bytes. If it is exceeded, the oldest files are removed.
const MAX_BYTES: u64 = 512 << 20;
/// Magic number, including the format version.
const MAGIC: &[u8] = b"gcn cache 3\n";
/// Size of a hash in bytes.
const HASH: usize = 32;

/// SHA-256 hash.
type Hash = [u8; HASH];

/// Hasher for the parts of a key.
#[derive(Default)]
pub(super) struct ContentHasher(Sha256);

impl ContentHasher {
    /// Adds a part, prefixed with its length to keep adjacent parts distinct.
    pub fn part(&mut self, part: &[u8]) {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    /// Returns the key.
    pub fn key(self) -> CacheKey {
        CacheKey(self.0.finalize().into())
    }
}

fn hash(part: &[u8]) -> Hash {
    let mut hasher = ContentHasher::default();
    hasher.part(part);
    hasher.key().0
}

fn hexadecimal(hash: &Hash) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the first eight hexadecimal digits of a hash.
pub(super) fn short_hash(text: &[u8]) -> String {
    hexadecimal(&hash(text)).chars().take(8).collect()
}

/// Returns the user's cache directory: `gcn` in `$XDG_CACHE_HOME`, or in `~/.cache`.
pub(super) fn directory() -> Option<PathBuf> {
    let absolute = |variable| {
        env::var_os(variable)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    Some(cache?.join("gcn"))
}

/// Key of a result: a hash of all its inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CacheKey(Hash);

/// Cached compilation result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct CachedResult {
    /// Code object or bitcode.
    pub code: Vec<u8>,
    /// Commands in shell syntax.
    pub commands: Vec<String>,
    /// Compiler warnings.
    pub diagnostics: String,
    /// Included files.
    pub dependencies: Vec<PathBuf>,
}

/// Cache in a directory.
pub(super) struct Cache(PathBuf);

impl Cache {
    /// Creates a cache in a directory, which need not exist yet.
    pub fn new(directory: PathBuf) -> Cache {
        Cache(directory)
    }

    /// Looks up the result for a key.
    pub fn read(&self, key: &CacheKey) -> Option<CachedResult> {
        let contents = read_regular(&self.file(key))?;
        let rest = contents.strip_prefix(MAGIC)?;
        let (expected, rest) = rest.split_first_chunk::<HASH>()?;
        if *expected != hash(rest) {
            return None;
        }
        let rest = rest.strip_prefix(&key.0)?;
        let (commands, rest) = split_part(rest)?;
        let (diagnostics, rest) = split_part(rest)?;
        let (dependencies, code) = split_part(rest)?;
        let list = |part: &[u8]| -> Vec<Vec<u8>> {
            let items = part.split(|byte| *byte == 0).filter(|it| !it.is_empty());
            items.map(<[u8]>::to_vec).collect()
        };
        let commands = list(commands).into_iter().map(String::from_utf8);
        Some(CachedResult {
            code: code.to_vec(),
            commands: commands.collect::<Result<_, _>>().ok()?,
            diagnostics: String::from_utf8(diagnostics.to_vec()).ok()?,
            dependencies: list(dependencies)
                .into_iter()
                .map(|name| OsString::from_vec(name).into())
                .collect(),
        })
    }

    /// Stores a result.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn write(&self, key: &CacheKey, entry: &CachedResult) -> io::Result<()> {
        let names = entry.dependencies.iter();
        let names: Vec<&[u8]> = names.map(|path| path.as_os_str().as_bytes()).collect();
        let mut rest = key.0.to_vec();
        let commands = entry.commands.join("\0");
        let diagnostics = entry.diagnostics.as_bytes();
        for part in [commands.as_bytes(), diagnostics, &names.join(&0)] {
            rest.extend((part.len() as u64).to_le_bytes());
            rest.extend(part);
        }
        rest.extend(&entry.code);
        fs::create_dir_all(&self.0)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.0)?;
        file.write_all(MAGIC)?;
        file.write_all(&hash(&rest))?;
        file.write_all(&rest)?;
        file.persist(self.file(key))?;
        self.shrink()
    }

    fn file(&self, key: &CacheKey) -> PathBuf {
        self.0.join(hexadecimal(&key.0) + ".result")
    }

    /// Removes the oldest files until the total size is within the limit.
    fn shrink(&self) -> io::Result<()> {
        let mut files: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
        for entry in fs::read_dir(&self.0)? {
            let entry = entry?;
            // Another process may have removed the file.
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

/// Reads a regular file of at most `MAX_BYTES` bytes. Returns `None` for anything else, such as a pipe or a device.
fn read_regular(path: &Path) -> Option<Vec<u8>> {
    let mut options = OpenOptions::new();
    let options = options.read(true).custom_flags(libc::O_NONBLOCK);
    let file = options.open(path).ok()?;
    let metadata = file.metadata().ok()?;
    if !metadata.is_file() || metadata.len() > MAX_BYTES {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Splits off a length-prefixed part.
fn split_part(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)
}

/// Parses dependencies in the syntax of `make`. Omits the source itself.
pub(super) fn dependencies(text: &str, source: CompilerInput<'_>) -> Vec<PathBuf> {
    let Some((_, list)) = text.split_once(": ") else {
        return Vec::new();
    };
    let mut files = Vec::new();
    let mut name = String::new();
    let mut characters = list.chars().peekable();
    while let Some(c) = characters.next() {
        match (c, characters.peek()) {
            // Line continuation.
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
            commands: vec![format!("clang -D'{text} x'"), "clang".to_owned()],
            diagnostics: format!("{text}: warning"),
            dependencies: dependencies.to_vec(),
        }
    }

    fn key(part: &[u8]) -> CacheKey {
        let mut hasher = ContentHasher::default();
        hasher.part(part);
        hasher.key()
    }

    #[test]
    fn a_result_is_found_under_its_own_key() {
        let place = tempfile::tempdir().expect("a directory");
        let cache = Cache::new(place.path().join("deep/cache"));
        let (first, second) = (key(b"first"), key(b"second"));
        assert_eq!(cache.read(&first), None);
        let one = entry("one", &["a\nheader.h".into(), "b.h".into()]);
        cache.write(&first, &one).expect("written");
        assert_eq!(cache.read(&first), Some(one));
        assert_eq!(cache.read(&second), None);
        fs::rename(cache.file(&first), cache.file(&second)).expect("it is there");
        assert_eq!(cache.read(&second), None, "its key is another");
    }

    #[test]
    fn damaged_files_count_as_none() {
        let place = tempfile::tempdir().expect("a directory");
        let cache = Cache::new(place.path().to_owned());
        let key = key(b"source");
        cache.write(&key, &entry("one", &[])).expect("written");
        let file = cache.file(&key);
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

    #[test]
    fn only_regular_files_are_read() {
        let place = tempfile::tempdir().expect("a directory");
        let cache = Cache::new(place.path().to_owned());
        let [pipe, device, directory] =
            ["pipe", "device", "directory"].map(|it| key(it.as_bytes()));
        let made = std::process::Command::new("mkfifo")
            .arg(cache.file(&pipe))
            .status();
        assert!(made.expect("it is installed").success());
        std::os::unix::fs::symlink("/dev/zero", cache.file(&device)).expect("a link");
        fs::create_dir(cache.file(&directory)).expect("a directory");
        for key in [pipe, device] {
            assert_eq!(cache.read(&key), None);
            cache
                .write(&key, &entry("one", &[]))
                .expect("it takes its place");
            assert_eq!(cache.read(&key), Some(entry("one", &[])));
        }
        assert_eq!(cache.read(&directory), None);
        assert!(cache.write(&directory, &entry("one", &[])).is_err());
    }

    #[test]
    fn several_writers_leave_whole_files() {
        let place = tempfile::tempdir().expect("a directory");
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let path = place.path();
                scope.spawn(move || {
                    let cache = Cache::new(path.to_owned());
                    let key = key(b"source");
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
        assert_eq!(files, 1, "no temporary file is left");
    }

    #[test]
    fn lists_of_make_are_read() {
        let text = "kernel.bc: dir/k.cl a\\ b.h \\\n  c$$.h /usr/x\\#.h\n";
        let files = dependencies(text, CompilerInput::File(Path::new("dir/k.cl")));
        assert_eq!(files, ["a b.h", "c$.h", "/usr/x#.h"].map(PathBuf::from));
        assert!(dependencies("", CompilerInput::Text("")).is_empty());
    }
}
