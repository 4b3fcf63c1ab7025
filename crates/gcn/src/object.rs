//! What commands share in reading code objects: files that hold several, and the target that an object names.

use anyhow::{Result, bail};
use gcn_isa::Target;
use gcn_object::{BundleEntry, CodeObject, container_entries, is_container};

use crate::render::printable;

/// The first bytes of an ELF file.
const ELF_MAGIC: &[u8] = b"\x7fELF";

/// Code objects of a file that errors name; libraries have thousands.
const MAX_NAMES: usize = 32;

/// Which code object of a file is meant.
#[derive(Clone, Copy, Default)]
pub struct Choice<'a> {
    /// Code for this target.
    pub target: Option<&'static Target>,
    /// The code object of this number, counted from 1 as [`devices`] lists them.
    pub entry: Option<usize>,
    /// One that has this kernel, if several are left.
    pub kernel: Option<&'a str>,
}

/// Whether bytes begin as a code object or a file that holds several does.
pub fn is_object(bytes: &[u8]) -> bool {
    bytes.starts_with(ELF_MAGIC) || is_container(bytes)
}

/// The code objects for GPUs in a file that holds several; nothing if it is a code object itself.
///
/// # Errors
/// The file cannot be read.
pub fn devices(bytes: &[u8]) -> Result<Option<Vec<BundleEntry<'_>>>> {
    if !is_container(bytes) {
        return Ok(None);
    }
    let mut entries = container_entries(bytes)?;
    entries.retain(|entry| entry.target().is_some());
    Ok(Some(entries))
}

/// Reads a code object; of a file that holds several the one that is meant, or the only one.
///
/// # Errors
/// The bytes are neither, or hold none or several that could be meant.
pub fn read(bytes: impl AsRef<[u8]> + Send + Sync + 'static, choice: Choice) -> Result<CodeObject> {
    let Some(devices) = devices(bytes.as_ref())? else {
        if let Some(entry @ (0 | 2..)) = choice.entry {
            bail!("the file is a code object itself, so that there is no entry {entry}");
        }
        return Ok(gcn_object::read_owned(bytes)?);
    };
    let names = || {
        let numbered = devices.iter().enumerate().take(MAX_NAMES);
        let name = |(index, entry): (usize, &BundleEntry)| {
            format!(
                "{} ({})",
                printable(entry.target().unwrap_or("")),
                index + 1
            )
        };
        let more = match devices.len().saturating_sub(MAX_NAMES) {
            0 => String::new(),
            more => format!(" and {more} more, which `gcn info` lists"),
        };
        numbered.map(name).collect::<Vec<_>>().join(", ") + &more
    };
    if devices.is_empty() {
        bail!("the file holds no code for GPUs");
    }
    let is_meant = |index: usize, entry: &BundleEntry| {
        let target = entry.target().and_then(Target::named);
        choice.target.is_none_or(|asked| target == Some(asked))
            && choice.entry.is_none_or(|asked| asked == index + 1)
    };
    let meant: Vec<&BundleEntry> = devices
        .iter()
        .enumerate()
        .filter(|(index, entry)| is_meant(*index, entry))
        .map(|(_, entry)| entry)
        .collect();
    match (&meant[..], choice.kernel) {
        ([], _) => bail!("the file holds no such code, only for: {}", names()),
        ([only], _) => Ok(only.read()?),
        // A program of several units has one for each, and every kernel is in one.
        (several, Some(kernel)) => {
            let mut with: Vec<CodeObject> = several
                .iter()
                .filter_map(|entry| entry.read().ok())
                .filter(|object| object.kernel(kernel).is_some())
                .collect();
            match (with.pop(), with.is_empty()) {
                (Some(only), true) => Ok(only),
                (Some(_), false) => bail!(
                    "several code objects have a kernel {}: {}; choose with --target",
                    printable(kernel),
                    names()
                ),
                (None, _) => bail!(
                    "no code object has a kernel {}; there is code for: {}",
                    printable(kernel),
                    names()
                ),
            }
        }
        (_, None) => bail!(
            "the file holds code for {}; choose with --target, or with --entry and the number",
            names()
        ),
    }
}

/// Why a code object's target is none that this program knows.
#[derive(Debug, thiserror::Error)]
pub enum NoTarget {
    /// It names another.
    #[error(
        "code for {0}, which is not supported yet; GCN 1.0 to 1.4 are: gfx600 to gfx90c without gfx908 and gfx90a"
    )]
    Unsupported(&'static str),
    /// It names none.
    #[error("the code object names no target that is known; add --target")]
    Unknown,
}

/// Processors that stand for several (code object version 6), and the target that their code is taken for: it has what
/// all of them have ("Generic processors" in LLVM's "User Guide for AMDGPU Backend").
const GENERIC: &[(&str, &str)] = &[("gfx9-generic", "gfx900")];

/// The target that stands for those of a generic processor, if the code object is for one.
fn generic(object: &CodeObject) -> Option<&'static Target> {
    let processor = object.processor()?;
    let (_, target) = GENERIC.iter().find(|(name, _)| *name == processor)?;
    Target::named(target)
}

/// Whether code that is taken for `own` runs as `asked`: on the same instruction set, or, if it is for a generic processor,
/// on any of the family.
pub fn runs_as(object: &CodeObject, own: &Target, asked: &Target) -> bool {
    own.isa == asked.isa || generic(object).is_some() && own.version().0 == asked.version().0
}

/// The processor that a code object names, if its code does not run as `asked`.
pub fn contradicts(object: &CodeObject, asked: &Target) -> Option<&'static str> {
    match target(object) {
        Ok(own) if !runs_as(object, own, asked) => Some(object.processor().unwrap_or(own.name)),
        Err(NoTarget::Unsupported(other)) => Some(other),
        Ok(_) | Err(NoTarget::Unknown) => None,
    }
}

/// The target that a code object names.
///
/// # Errors
/// The object names none, or one that this program does not know.
pub fn target(object: &CodeObject) -> Result<&'static Target, NoTarget> {
    let by_note = || {
        let note = object.isa_note.as_ref()?;
        Target::from_version(note.major, note.minor, note.stepping)
    };
    Target::from_elf_mach(object.flags.mach)
        .or_else(|| generic(object))
        .or_else(by_note)
        .ok_or_else(|| match object.processor() {
            Some(processor) => NoTarget::Unsupported(processor),
            None => NoTarget::Unknown,
        })
}
