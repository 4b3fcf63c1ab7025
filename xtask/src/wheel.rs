// Packs the Python package, the command `gcn`, its libraries and the C library into a wheel. gcn-python's tests include
// this file.
//
// The format follows "Binary distribution format" in the Python Packaging User Guide, and the platform tag follows PEP
// 600.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use base64::Engine as _;
use object::Endianness;
use object::elf::{DT_NEEDED, FileHeader64};
use object::read::elf::{Dyn as _, FileHeader as _};
use sha2::{Digest as _, Sha256};
use toml::{Table, Value};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Interpreter and ABI tags: CPython 3.11 or later, with its stable ABI.
const INTERPRETERS: &str = "cp311-abi3";
/// Path of the extension in the package.
const EXTENSION: &str = "amdgcn/_amdgcn.abi3.so";
/// Library directory in an installation.
const LIBRARIES: &str = "lib/gcn";
/// Library for HIP programs, and the unversioned name that RCCL loads.
const HSA: (&str, &str) = ("libhsa-runtime64.so.1", "libhsa-runtime64.so");
/// Script that runs `gcn` as CLRX's disassembler, used instead of a link. pip writes the interpreter's path into its
/// first line.
const DISASSEMBLER: (&str, &str) = (
    "clrxdisasm",
    "\
#!python
import os, sys

command = os.path.join(os.path.dirname(os.path.abspath(__file__)), \"gcn\")
os.execv(command, [\"clrxdisasm\", *sys.argv[1:]])
",
);
/// Name of the C library, and of a linker script used instead of the unversioned link.
const C_LIBRARY: (&str, &str) = ("libgcn.so.0", "libgcn.so");
const C_LIBRARY_SCRIPT: &str = "INPUT(libgcn.so.0)\n";
/// Prefix of glibc symbol versions.
const GLIBC: &str = "GLIBC_2.";
/// System libraries that PEP 600 allows a wheel to link against.
const OF_SYSTEM: [&str; 8] = [
    "libc.so.6",
    "libm.so.6",
    "libdl.so.2",
    "librt.so.1",
    "libutil.so.1",
    "libpthread.so.0",
    "libgcc_s.so.1",
    "ld-linux",
];
/// File modes of programs and libraries, and of other files.
const PROGRAM: u32 = 0o755;
const DATA: u32 = 0o644;

/// Contents of a wheel.
pub struct Parts<'a> {
    /// Directory of the gcn-python crate.
    pub package: &'a Path,
    /// Extension built by cargo.
    pub extension: &'a Path,
    /// Prefix where the command, its libraries and manual pages are installed.
    pub prefix: &'a Path,
    /// The C library `libgcn.so.0`.
    pub c_library: &'a Path,
    /// C header, `gcn.h`.
    pub c_header: &'a Path,
    /// Contents of a pkg-config file whose prefix is two directories above it.
    pub pkg_config: &'a str,
    /// Package version.
    pub version: &'a str,
    /// True to strip symbols that only debuggers use.
    pub strip: bool,
}

/// The `[project]` table of `pyproject.toml`.
struct Project(Table);

impl Project {
    fn read(path: &Path) -> Result<Project> {
        let failed = || format!("cannot read {}", path.display());
        let mut manifest: Table = text(path)?.parse().with_context(failed)?;
        match manifest.remove("project") {
            Some(Value::Table(project)) => Ok(Project(project)),
            _ => bail!("{} has no [project]", path.display()),
        }
    }

    fn text(&self, key: &str) -> Result<&str> {
        let value = self.0.get(key).and_then(Value::as_str);
        value.with_context(|| format!("pyproject.toml has no {key}"))
    }

    /// Strings in a list; empty if the list is missing.
    fn list(&self, key: &str) -> Vec<&str> {
        texts(self.0.get(key))
    }

    /// Names of the extras, each with its dependencies.
    fn extras(&self) -> Vec<(&str, Vec<&str>)> {
        let extras = self
            .0
            .get("optional-dependencies")
            .and_then(Value::as_table);
        let extras = extras.into_iter().flatten();
        extras
            .map(|(name, list)| (&**name, texts(Some(list))))
            .collect()
    }
}

fn texts(list: Option<&Value>) -> Vec<&str> {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).collect()
}

/// File in a wheel: path, contents and mode.
struct Entry {
    path: String,
    bytes: Vec<u8>,
    rights: u32,
}

/// Packs a wheel into `directory` and returns its path.
///
/// # Errors
/// Fails if a file cannot be read or written, or a program or library needs more than PEP 600 guarantees.
pub fn pack(parts: &Parts<'_>, directory: &Path) -> Result<PathBuf> {
    let project = Project::read(&parts.package.join("pyproject.toml"))?;
    let (name, version) = (project.text("name")?, parts.version);
    let mut entries = Vec::new();
    files(&parts.package.join("python"), "", &mut entries)?;
    entries.retain(|entry| !entry.path.contains("__pycache__"));
    entries.push(Entry {
        path: EXTENSION.to_owned(),
        bytes: binary(parts, parts.extension)?,
        rights: PROGRAM,
    });
    c_library(parts, &mut entries)?;
    let data = format!("{name}-{version}.data");
    entries.push(Entry {
        path: format!("{data}/scripts/{}", DISASSEMBLER.0),
        bytes: DISASSEMBLER.1.into(),
        rights: PROGRAM,
    });
    let mut installed = Vec::new();
    files(parts.prefix, "", &mut installed)?;
    for mut entry in installed {
        // Wheels cannot contain symlinks, and their install location is unknown.
        let is_icd = Path::new(&entry.path)
            .extension()
            .is_some_and(|it| it == "icd");
        let from = parts.prefix.join(&entry.path);
        if is_icd || from.is_symlink() {
            continue;
        }
        if entry.bytes.starts_with(b"\x7fELF") {
            entry.bytes = binary(parts, &from)?;
        }
        entry.path = match entry.path.strip_prefix("bin/") {
            Some(program) => format!("{data}/scripts/{program}"),
            None => format!("{data}/data/{}", entry.path),
        };
        entries.push(entry);
    }
    entries.push(Entry {
        path: format!("{data}/data/{LIBRARIES}/{}", HSA.1),
        bytes: unversioned(&parts.prefix.join(LIBRARIES))?,
        rights: PROGRAM,
    });
    let tag = tag(&entries)?;
    let info = format!("{name}-{version}.dist-info");
    let readme = text(&parts.package.join(project.text("readme")?))?;
    let metadata = metadata(&project, version, &readme)?;
    let generator = "Wheel-Version: 1.0\nGenerator: gcn xtask\nRoot-Is-Purelib: false\n";
    let wheel = format!("{generator}Tag: {INTERPRETERS}-{tag}\n");
    for (file, contents) in [("METADATA", metadata), ("WHEEL", wheel)] {
        entries.push(Entry {
            path: format!("{info}/{file}"),
            bytes: contents.into_bytes(),
            rights: DATA,
        });
    }
    for license in ["LICENSE-MIT", "LICENSE-APACHE"] {
        entries.push(Entry {
            path: format!("{info}/licenses/{license}"),
            bytes: bytes(&parts.package.join("../..").join(license))?,
            rights: DATA,
        });
    }
    entries.push(record(&entries, format!("{info}/RECORD")));
    let path = directory.join(format!("{name}-{version}-{INTERPRETERS}-{tag}.whl"));
    write(&entries, &path)?;
    Ok(path)
}

/// Adds the C library, its header and its pkg-config file to directories of the package.
fn c_library(parts: &Parts<'_>, entries: &mut Vec<Entry>) -> Result<()> {
    let (library, unversioned) = C_LIBRARY;
    entries.push(Entry {
        path: format!("amdgcn/lib/{library}"),
        bytes: binary(parts, parts.c_library)?,
        rights: PROGRAM,
    });
    let texts = [
        ("include/gcn.h", bytes(parts.c_header)?),
        (&format!("lib/{unversioned}"), C_LIBRARY_SCRIPT.into()),
        ("lib/pkgconfig/gcn.pc", parts.pkg_config.into()),
    ];
    entries.extend(texts.map(|(path, bytes)| Entry {
        path: format!("amdgcn/{path}"),
        bytes,
        rights: DATA,
    }));
    Ok(())
}

fn bytes(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

fn text(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Adds the files below a directory, sorted by name.
fn files(directory: &Path, prefix: &str, entries: &mut Vec<Entry>) -> Result<()> {
    let read = || format!("cannot read {}", directory.display());
    let listed: Result<Vec<_>, _> = fs::read_dir(directory).with_context(read)?.collect();
    let mut paths: Vec<PathBuf> = listed
        .with_context(read)?
        .iter()
        .map(fs::DirEntry::path)
        .collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.with_context(|| format!("{} is no UTF-8", path.display()))?;
        let inside = format!("{prefix}{name}");
        if path.is_dir() {
            files(&path, &format!("{inside}/"), entries)?;
            continue;
        }
        let bytes = bytes(&path)?;
        let rights = if bytes.starts_with(b"\x7fELF") {
            PROGRAM
        } else {
            DATA
        };
        entries.push(Entry {
            path: inside,
            bytes,
            rights,
        });
    }
    Ok(())
}

/// Reads a program or library, and strips it if requested.
fn binary(parts: &Parts<'_>, path: &Path) -> Result<Vec<u8>> {
    if !parts.strip {
        return bytes(path);
    }
    let stripped = std::env::temp_dir().join(format!("gcn-wheel-{}", std::process::id()));
    let mut strip = Command::new("strip");
    strip
        .args(["--strip-unneeded", "-o"])
        .arg(&stripped)
        .arg(path);
    succeed(&mut strip)?;
    let bytes = bytes(&stripped);
    let _ = fs::remove_file(&stripped); // Temporary file.
    bytes
}

/// Builds an empty library that loads the HIP library next to it, in place of a symbolic link.
fn unversioned(directory: &Path) -> Result<Vec<u8>> {
    let library = std::env::temp_dir().join(format!("gcn-wheel-{}.so", std::process::id()));
    let mut cc = Command::new("cc");
    cc.args([
        "-shared",
        "-nostdlib",
        "-Wl,--no-as-needed",
        "-Wl,-rpath,$ORIGIN",
    ])
    .arg(format!("-Wl,-soname,{}", HSA.1))
    .arg("-o")
    .arg(&library)
    .arg(directory.join(HSA.0));
    succeed(&mut cc)?;
    let bytes = bytes(&library);
    let _ = fs::remove_file(&library); // Temporary file.
    bytes
}

fn succeed(command: &mut Command) -> Result<()> {
    let output = command
        .output()
        .with_context(|| format!("cannot run {command:?}"))?;
    if !output.status.success() {
        bail!(
            "{command:?} failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(())
}

/// Returns the platform tag of the oldest glibc that has all symbols the programs and libraries need.
fn tag(entries: &[Entry]) -> Result<String> {
    let mut newest = 0;
    let binaries = entries
        .iter()
        .filter(|entry| entry.bytes.starts_with(b"\x7fELF"));
    for entry in binaries {
        let ours = entry.path.ends_with(HSA.1).then_some(HSA.0);
        let glibc = needed_glibc(&entry.bytes, ours).with_context(|| entry.path.clone())?;
        newest = newest.max(glibc);
    }
    Ok(format!("manylinux_2_{newest}_{}", std::env::consts::ARCH))
}

/// Returns the minor version of the oldest glibc 2 that has all symbols a program or library needs.
///
/// # Errors
/// Fails if `elf` is not an ELF file, or needs a library other than `ours` that some systems lack.
pub fn needed_glibc(elf: &[u8], ours: Option<&str>) -> Result<u32> {
    let needs = needs(elf)?;
    let of_system = |library: &str| OF_SYSTEM.iter().any(|it| library.starts_with(it));
    let mut libraries = needs.libraries.iter();
    if let Some(other) = libraries.find(|it| !of_system(it) && Some(&***it) != ours) {
        bail!("it needs {other}, which not every system has");
    }
    Ok(needs.glibc)
}

/// Libraries and glibc version that a program or library needs.
struct Needs {
    libraries: Vec<String>,
    /// Minor version of the oldest suitable glibc 2.
    glibc: u32,
}

fn needs(elf: &[u8]) -> Result<Needs> {
    let header = FileHeader64::<Endianness>::parse(elf)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, elf)?;
    let mut needs = Needs {
        libraries: Vec::new(),
        glibc: 0,
    };
    if let Some((dynamic, link)) = sections.dynamic(endian, elf)? {
        let strings = sections.strings(endian, elf, link)?;
        for needed in dynamic.iter().filter(|tag| tag.tag(endian) == DT_NEEDED) {
            let name = needed.string(endian, strings)?;
            needs
                .libraries
                .push(String::from_utf8_lossy(name).into_owned());
        }
    }
    if let Some((mut libraries, link)) = sections.gnu_verneed(endian, elf)? {
        let strings = sections.strings(endian, elf, link)?;
        while let Some((_, mut versions)) = libraries.next()? {
            while let Some(version) = versions.next()? {
                let name = String::from_utf8_lossy(version.name(endian, strings)?).into_owned();
                let minor = name
                    .strip_prefix(GLIBC)
                    .and_then(|rest| rest.split('.').next());
                let minor = minor.and_then(|minor| minor.parse().ok());
                needs.glibc = needs.glibc.max(minor.unwrap_or(0));
            }
        }
    }
    Ok(needs)
}

/// Formats the core metadata.
fn metadata(project: &Project, version: &str, readme: &str) -> Result<String> {
    let mut lines = vec![
        ("Metadata-Version", "2.4".to_owned()),
        ("Name", project.text("name")?.to_owned()),
        ("Version", version.to_owned()),
        ("Summary", project.text("description")?.to_owned()),
        ("Keywords", project.list("keywords").join(",")),
        ("License-Expression", project.text("license")?.to_owned()),
        ("License-File", "LICENSE-MIT".to_owned()),
        ("License-File", "LICENSE-APACHE".to_owned()),
        (
            "Requires-Python",
            project.text("requires-python")?.to_owned(),
        ),
        ("Description-Content-Type", "text/markdown".to_owned()),
    ];
    for classifier in project.list("classifiers") {
        lines.push(("Classifier", classifier.to_owned()));
    }
    for (extra, dependencies) in project.extras() {
        lines.push(("Provides-Extra", extra.to_owned()));
        for dependency in dependencies {
            lines.push(("Requires-Dist", format!("{dependency}; extra == '{extra}'")));
        }
    }
    let lines: String = lines
        .iter()
        .map(|(key, value)| format!("{key}: {value}\n"))
        .collect();
    Ok(format!("{lines}\n{readme}"))
}

/// Creates the `RECORD` file, which lists all files with their hashes.
fn record(entries: &[Entry], path: String) -> Entry {
    let base64 = base64::engine::general_purpose::URL_SAFE_NO_PAD;
    let line = |entry: &Entry| {
        let hash = base64.encode(Sha256::digest(&entry.bytes));
        format!("{},sha256={hash},{}\n", entry.path, entry.bytes.len())
    };
    let mut lines: String = entries.iter().map(line).collect();
    lines.push_str(&format!("{path},,\n"));
    Entry {
        path,
        bytes: lines.into_bytes(),
        rights: DATA,
    }
}

fn write(entries: &[Entry], path: &Path) -> Result<()> {
    let failed = || format!("cannot write {}", path.display());
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).with_context(failed)?;
    }
    let mut zip = ZipWriter::new(fs::File::create(path).with_context(failed)?);
    for entry in entries {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .unix_permissions(entry.rights);
        zip.start_file(entry.path.as_str(), options)
            .with_context(failed)?;
        zip.write_all(&entry.bytes).with_context(failed)?;
    }
    zip.finish().with_context(failed)?;
    Ok(())
}
