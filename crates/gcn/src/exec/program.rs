//! Programs as the dynamic loader sees them: library search paths, and programs that do not use the loader.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use object::elf::{
    DT_RPATH, DT_RUNPATH, DT_SONAME, DT_STRTAB, DynamicTag, FileHeader32, FileHeader64,
};
use object::read::elf::{Dyn, FileHeader, ProgramHeader};
use object::{Endianness, FileKind};

use super::library::{self, Library};
use crate::Status;
use crate::file::FileBytes;
use crate::problem::{Problem, UNUSABLE_PROGRAM};

/// Directories to search for programs if PATH is not set, as in the C library.
const DEFAULT_PATH: &str = "/bin:/usr/bin";
/// Execute permission bits of a file mode.
const EXECUTABLE: u32 = 0o111;
const SETUID: u32 = 0o4000;
const SETGID: u32 = 0o2000;

/// Finds the file of a program: the name itself if it contains a slash, otherwise the first match in PATH.
pub fn find(name: &OsStr) -> Option<PathBuf> {
    if name.as_bytes().contains(&b'/') {
        return Some(PathBuf::from(name)).filter(|path| path.exists());
    }
    let path = env::var_os("PATH").unwrap_or_else(|| DEFAULT_PATH.into());
    let mut places = env::split_paths(&path).map(|directory| {
        let here = directory.as_os_str().is_empty();
        if here {
            Path::new(".").join(name)
        } else {
            directory.join(name)
        }
    });
    places.find(|path| is_executable(path))
}

/// True if the path is an executable file.
pub fn is_executable(path: &Path) -> bool {
    let metadata = fs::metadata(path);
    metadata.is_ok_and(|it| it.is_file() && it.mode() & EXECUTABLE != 0)
}

/// Error and exit status for a program that cannot be executed.
pub fn start_error(name: &OsStr, error: io::Error) -> (anyhow::Error, Status) {
    let shown = name.display();
    if error.kind() != io::ErrorKind::NotFound {
        let problem = Problem::new(UNUSABLE_PROGRAM, format!("cannot run {shown}"));
        let error = anyhow::Error::new(error).context(problem);
        return (error, Status::NotExecutable);
    }
    let missing = match find(name) {
        Some(_) => format!("cannot run {shown}: the interpreter that it names does not exist"),
        None => format!("there is no program {shown}"),
    };
    let error = Problem::new(UNUSABLE_PROGRAM, missing).into();
    (error, Status::NotFound)
}

/// True if a setuid or setgid program changes its user or group, so that the dynamic loader ignores LD_LIBRARY_PATH.
pub fn gains_rights(path: &Path) -> bool {
    // `/proc/self` belongs to the effective user and group of this process.
    let (Ok(program), Ok(caller)) = (fs::metadata(path), fs::metadata("/proc/self")) else {
        return false;
    };
    program.mode() & SETUID != 0 && program.uid() != caller.uid()
        || program.mode() & SETGID != 0 && program.gid() != caller.gid()
}

/// File name prefixes of dynamic loaders that can list libraries: those of glibc and musl.
const LOADERS: [&[u8]; 2] = [b"ld-linux", b"ld-musl"];

/// Machine of an ELF file: `e_machine`, and the address size in bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct ElfMachine {
    number: object::elf::Machine,
    bits: u8,
}

/// Host program in an ELF file.
pub struct HostProgram {
    pub path: PathBuf,
    machine: ElfMachine,
    /// Dynamic loader that the program requests.
    loader: Option<PathBuf>,
    /// True if the program requests no loader and is not one itself, which would have a DT_SONAME.
    is_static: bool,
    /// Directories of DT_RPATH, which the loader searches before LD_LIBRARY_PATH.
    rpath: Vec<PathBuf>,
}

impl HostProgram {
    /// Reads a program; `None` if it cannot be read or is not an ELF file (a script, for example).
    pub fn read(path: &Path) -> Option<HostProgram> {
        let real = fs::canonicalize(path).ok()?;
        // Reading a pipe or a device would block or never end.
        if !fs::metadata(&real).ok()?.is_file() {
            return None;
        }
        let data = FileBytes::open(&real).ok()?;
        let mut program = match FileKind::parse(&*data).ok()? {
            FileKind::Elf64 => HostProgram::parse::<FileHeader64<Endianness>>(&data, 64),
            FileKind::Elf32 => HostProgram::parse::<FileHeader32<Endianness>>(&data, 32),
            _ => None,
        }?;
        let origin = real.parent().unwrap_or(Path::new("/"));
        program
            .rpath
            .iter_mut()
            .for_each(|place| *place = expanded(place, origin));
        program.path = path.to_owned();
        Some(program)
    }

    fn parse<E: FileHeader<Endian = Endianness>>(data: &[u8], bits: u8) -> Option<HostProgram> {
        let header = E::parse(data).ok()?;
        let endian = header.endian().ok()?;
        let segments = header.program_headers(endian, data).ok()?;
        let mut loader = None;
        let (mut rpath, mut has_runpath, mut has_name) = (None, false, false);
        for segment in segments {
            if let Ok(Some(named)) = segment.interpreter(endian, data) {
                loader = Some(PathBuf::from(OsStr::from_bytes(named)));
            }
            let Ok(Some(entries)) = segment.dynamic(endian, data) else {
                continue;
            };
            let entry = |tag: DynamicTag| {
                let mut found = entries.iter().filter(|entry| entry.tag(endian) == tag);
                found.next().map(|entry| entry.val(endian))
            };
            has_runpath |= entry(DT_RUNPATH).is_some();
            has_name |= entry(DT_SONAME).is_some();
            if let (Some(strings), Some(offset)) = (entry(DT_STRTAB), entry(DT_RPATH)) {
                let address = strings.checked_add(offset)?;
                let mut places = segments.iter().filter_map(|segment| {
                    let end = segment
                        .p_vaddr(endian)
                        .into()
                        .checked_add(segment.p_filesz(endian).into())?;
                    let rest = end.checked_sub(address)?;
                    segment.data_range(endian, data, address, rest).ok()?
                });
                let text = places.next()?;
                rpath = text.split(|byte| *byte == 0).next();
            }
        }
        // The loader ignores DT_RPATH if there is a DT_RUNPATH.
        let rpath = rpath.filter(|_| !has_runpath).unwrap_or_default();
        let places = rpath.split(|byte| *byte == b':');
        Some(HostProgram {
            path: PathBuf::new(),
            machine: ElfMachine {
                number: header.e_machine(endian),
                bits,
            },
            is_static: loader.is_none() && !has_name,
            loader,
            rpath: places
                .filter(|place| !place.is_empty())
                .map(|place| PathBuf::from(OsStr::from_bytes(place)))
                .collect(),
        })
    }

    /// Reasons why the program itself does not load the library. Programs that it starts may still do so.
    pub fn notes(&self, library: &Library) -> Vec<String> {
        const ITSELF: &str = "only programs that it starts can use the emulated device";
        let path = self.path.display();
        let file = library.hsa().or_else(|| library.opencl());
        let name = file.as_deref().and_then(Path::file_name);
        let name = name.unwrap_or_default().display();
        let wanted = file.as_deref().and_then(HostProgram::read);
        let wanted = wanted.map(|library| library.machine);
        let mut notes = Vec::new();
        match wanted {
            Some(wanted) if wanted.bits != self.machine.bits => notes.push(format!(
                "{path} is a {}-bit program, but {name} is {}-bit: {ITSELF}",
                self.machine.bits, wanted.bits
            )),
            Some(wanted) if wanted != self.machine => notes.push(format!(
                "{path} is for another processor than {name}: {ITSELF}",
            )),
            _ if self.is_static => notes.push(format!(
                "{path} is linked statically and loads no library: {ITSELF}"
            )),
            _ => {}
        }
        notes
    }

    /// HIP runtime that the loader finds instead of the one in `library`, through DT_RPATH of the program or of a
    /// library. `listed` is the one that the loader would load at startup.
    pub fn other_library(&self, library: &Library, listed: Option<&Path>) -> Option<PathBuf> {
        let found = listed.map(Path::to_owned).or_else(|| {
            // The program may load the HIP runtime later.
            let mut places = self.rpath.iter().map(|place| place.join(library::NAME));
            places.find(|it| it.exists())
        })?;
        let is_ours = fs::canonicalize(&found).ok() == fs::canonicalize(library.file()).ok();
        (!is_ours).then_some(found)
    }

    /// Names and paths of the libraries that the loader would load at startup with LD_LIBRARY_PATH set to `search`.
    pub fn libraries(&self, search: &OsStr) -> Vec<(OsString, PathBuf)> {
        self.list(search).unwrap_or_default()
    }

    fn list(&self, search: &OsStr) -> Option<Vec<(OsString, PathBuf)>> {
        // A program that is not a known loader may give the option another meaning.
        let is_loader = |path: &&PathBuf| {
            let name = path.file_name().map(OsStr::as_bytes);
            name.is_some_and(|name| LOADERS.iter().any(|begin| name.starts_with(begin)))
        };
        let loader = self.loader.as_ref().filter(is_loader)?;
        let listed = Command::new(loader)
            .arg("--list")
            .arg(fs::canonicalize(&self.path).ok()?)
            .env("LD_LIBRARY_PATH", search)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .ok()?;
        // Each line consists of a tab, a name, an arrow, a path and an address in parentheses.
        let library = |line: &[u8]| {
            let line = line.trim_ascii();
            let arrow = line.windows(4).position(|bytes| bytes == b" => ")?;
            let (name, rest) = (&line[..arrow], &line[arrow + 4..]);
            let address = rest.windows(2).rposition(|bytes| bytes == b" (")?;
            let path = PathBuf::from(OsStr::from_bytes(&rest[..address]));
            let name = OsStr::from_bytes(name).to_owned();
            path.is_absolute().then_some((name, path))
        };
        let lines = listed.stdout.split(|byte| *byte == b'\n');
        Some(lines.filter_map(library).collect())
    }
}

/// Replaces `$ORIGIN` in a directory of DT_RPATH.
fn expanded(place: &Path, origin: &Path) -> PathBuf {
    let mut rest = place.as_os_str().as_bytes();
    let mut bytes = Vec::new();
    while let [first, tail @ ..] = rest {
        let named = [&b"$ORIGIN"[..], b"${ORIGIN}"]
            .into_iter()
            .find_map(|name| rest.strip_prefix(name));
        match named {
            Some(behind) => {
                bytes.extend(origin.as_os_str().as_bytes());
                rest = behind;
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_origin_is_the_directory_of_the_program() {
        for (place, expected) in [
            ("$ORIGIN/../lib", "/opt/p/../lib"),
            ("${ORIGIN}", "/opt/p"),
            ("/opt/rocm/lib", "/opt/rocm/lib"),
            ("lib", "lib"),
        ] {
            let found = expanded(Path::new(place), Path::new("/opt/p"));
            assert_eq!(found, Path::new(expected), "{place}");
        }
    }

    #[test]
    fn programs_for_other_machines_are_told_from_those_of_the_library() {
        let directory = tempfile::tempdir().expect("a directory");
        let own = fs::read(env::current_exe().expect("it runs")).expect("it is a file");
        fs::write(directory.path().join(library::NAME), &own[..1 << 12]).expect("written");
        let library = Library {
            directory: directory.path().to_owned(),
        };
        let note = |bytes: &[u8]| {
            let path = directory.path().join("program");
            fs::write(&path, bytes).expect("written");
            HostProgram::read(&path)
                .expect("it is ELF")
                .notes(&library)
                .join("\n")
        };
        // Start of an ELF file for i386, without segments.
        let mut old = [0; 52];
        old[..7].copy_from_slice(b"\x7fELF\x01\x01\x01");
        (old[16], old[18], old[20], old[40]) = (2, 3, 1, 52);
        assert!(
            note(&old).contains("is a 32-bit program, but libhsa-runtime64.so.1 is 64-bit"),
            "{}",
            note(&old)
        );
        let mut other = own[..64].to_vec();
        // No segments or sections, for the VAX machine.
        other[32..48].fill(0);
        other[54..64].fill(0);
        (other[18], other[19]) = (75, 0);
        assert!(
            note(&other).contains("is for another processor"),
            "{}",
            note(&other)
        );
    }

    #[test]
    fn a_program_of_the_host_is_read() {
        let own = env::current_exe().expect("it runs");
        let program = HostProgram::read(&own).expect("it is ELF");
        let bits = if cfg!(target_pointer_width = "64") {
            64
        } else {
            32
        };
        assert_eq!(program.machine.bits, bits);
        assert!(HostProgram::read(Path::new("/dev/zero")).is_none());
        assert!(find(OsStr::new("sh")).is_some_and(|path| path.ends_with("sh")));
        assert_eq!(find(OsStr::new("no-such-program")), None);
    }
}
