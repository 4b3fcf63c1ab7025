//! Targets for which a HIP program and its linked libraries have code.

use std::fmt::{self, Display};
use std::path::{Path, PathBuf};

use gcn_isa::{TARGETS, Target};
use gcn_object::code_objects;
use gcn_runtime::{Chip, Device};

use crate::file::FileBytes;
use crate::render::printable;

/// Maximum number of code objects examined per file. A file has one bundle per source file, usually all for the same
/// targets.
const MAX_ENTRIES: usize = 32;
/// Separator of a processor and its features, as in `gfx906:sramecc+:xnack-`.
const COLON: char = ':';

/// File with device code.
struct CodeFile {
    path: PathBuf,
    /// Distinct target IDs, such as `gfx906:xnack-`.
    ids: Vec<String>,
}

impl CodeFile {
    /// Reads a file; `None` if it has no device code, or contains code that is not for a specific processor.
    fn read(path: &Path) -> Option<CodeFile> {
        let file = FileBytes::open(path).ok()?;
        let mut ids: Vec<String> = Vec::new();
        for entry in code_objects(file.shared()).ok()?.take(MAX_ENTRIES) {
            let entry = entry.ok()?;
            match entry.target() {
                Some(id) if id.ends_with("-generic") => return None,
                Some(id) if !ids.iter().any(|known| known == id) => ids.push(id.to_owned()),
                None if entry.id.contains("spirv") => return None,
                Some(_) | None => {}
            }
        }
        let path = path.to_owned();
        (!ids.is_empty()).then_some(CodeFile { path, ids })
    }

    fn runs_on(&self, device: &str) -> bool {
        self.ids.iter().any(|id| runs_on(id, device))
    }
}

/// Formats the file and its targets as the subject of a message.
impl Display for CodeFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display().to_string();
        let ids = self.ids.join(", ");
        write!(f, "{} has code for {}", printable(&path), printable(&ids))
    }
}

/// True if a device target runs code with target ID `id`. Features that the device omits default to those of its chip;
/// features that the code omits match either setting ([`Chip::runs_features`]).
fn runs_on(id: &str, device: &str) -> bool {
    let mut parts = id.split(COLON);
    let mut own = device.split(COLON);
    let Some(target) = own.next().and_then(Target::named) else {
        return false;
    };
    let own: Vec<&str> = own.collect();
    parts.next().and_then(Target::named) == Some(target)
        && Chip::of(target).runs_features(&own, parts)
}

/// Device target that runs code with target ID `id`, with its index in [`TARGETS`], which begins with the oldest.
/// `None` if the target is unknown, or HIP programs cannot use it.
fn device_of(id: &str) -> Option<(usize, String)> {
    let mut parts = id.split(COLON);
    let target = parts.next().and_then(Target::named)?;
    let number = TARGETS.iter().position(|it| it == target)?;
    let others = parts.filter(|it| !Chip::of(target).features.contains(it));
    let device = std::iter::once(target.name)
        .chain(others)
        .collect::<Vec<_>>();
    let device = device.join(":");
    (target.version().0 >= 7 && Device::builder(&device).is_ok()).then_some((number, device))
}

/// Device code of a program and its libraries.
pub struct ProgramCode {
    /// Code of the program itself.
    program: Option<CodeFile>,
    libraries: Vec<CodeFile>,
}

impl ProgramCode {
    /// Reads the device code of a program and its libraries.
    pub fn of(program: &Path, libraries: impl IntoIterator<Item = PathBuf>) -> ProgramCode {
        let libraries = libraries.into_iter();
        ProgramCode {
            program: CodeFile::read(program),
            libraries: libraries.filter_map(|path| CodeFile::read(&path)).collect(),
        }
    }

    /// Files with code, the program first.
    fn files(&self) -> impl Iterator<Item = &CodeFile> {
        self.program.iter().chain(&self.libraries)
    }

    /// Best target for the code: prefers one that runs the program itself, then one that runs the most files, then
    /// the newest. Returns `None` unless it ranks above `device`.
    pub fn better_than(&self, device: &str) -> Option<String> {
        let count = |device: &str| self.files().filter(|it| it.runs_on(device)).count();
        let own = |device: &str| self.program.as_ref().is_some_and(|it| it.runs_on(device));
        let rank = |device: &str| (own(device), count(device));
        let ids = self.files().flat_map(|it| &it.ids);
        let best = ids
            .filter_map(|id| device_of(id))
            .max_by_key(|(number, device)| (rank(device), *number));
        best.map(|(_, best)| best)
            .filter(|best| rank(best) > rank(device))
    }

    /// Files without code for any of the devices, with their targets.
    pub fn without(&self, devices: &[String]) -> impl Iterator<Item = impl Display> {
        let lacks = |file: &&CodeFile| !devices.iter().any(|device| file.runs_on(device));
        self.files().filter(lacks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Code of a program and its libraries; a file without targets has none.
    fn code(files: &[&[&str]]) -> ProgramCode {
        let file = |ids: &&[&str]| {
            let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
            let path = "program".into();
            (!ids.is_empty()).then_some(CodeFile { path, ids })
        };
        let mut files = files.iter().map(file);
        ProgramCode {
            program: files.next().flatten(),
            libraries: files.flatten().collect(),
        }
    }

    #[test]
    fn code_runs_with_the_features_that_it_names() {
        for (id, device, expected) in [
            ("gfx906", "gfx906", true),
            ("gfx906", "gfx906:xnack+", true),
            ("gfx906", "gfx900", false),
            ("gfx906:sramecc-:xnack-", "gfx906", false),
            ("gfx906:sramecc+:xnack-", "gfx906", true),
            ("gfx906:sramecc+:xnack-", "gfx906:sramecc+", true),
            ("gfx906:xnack-", "gfx906:xnack+", false),
            ("gfx1030", "gfx1030", false),
        ] {
            assert_eq!(runs_on(id, device), expected, "{id} on {device}");
        }
    }

    #[test]
    fn the_newest_target_of_all_files_is_the_best() {
        let better = |files: &[&[&str]]| code(files).better_than("gfx906");
        assert_eq!(better(&[]), None);
        assert_eq!(better(&[&["gfx803", "gfx906:xnack-"]]), None);
        let newest = better(&[&["gfx900:xnack-", "gfx803", "gfx1030"]]);
        assert_eq!(newest.as_deref(), Some("gfx900"));
        let of_both = better(&[&["gfx803", "gfx900"], &["gfx803"]]);
        assert_eq!(of_both.as_deref(), Some("gfx803"));
        let of_program = better(&[&["gfx803"], &["gfx906"]]);
        assert_eq!(of_program.as_deref(), Some("gfx803"));
        let of_libraries: [&[&str]; 3] = [&[], &["gfx803"], &["gfx906"]];
        assert_eq!(better(&of_libraries), None);
        let with_feature = better(&[&["gfx906:sramecc+:xnack+"]]);
        assert_eq!(with_feature.as_deref(), Some("gfx906:xnack+"));
        assert_eq!(better(&[&["gfx906:sramecc-"]]), None);
        assert_eq!(better(&[&["gfx1030", "gfx600"]]), None);
    }

    #[test]
    fn files_without_code_say_what_they_have() {
        let of = code(&[&["gfx803", "gfx1030"], &["gfx906"]]);
        let lines: Vec<String> = of
            .without(&["gfx906".to_owned()])
            .map(|it| it.to_string())
            .collect();
        assert_eq!(lines, ["program has code for gfx803, gfx1030"]);
    }
}
