//! What commands share in reading code objects: offload bundles, and the target that an object names.

use anyhow::{Result, anyhow, bail};
use gcn_isa::Target;
use gcn_object::{BundleEntry, CodeObject, bundle_entries, is_bundle};

/// The first bytes of an ELF file.
const ELF_MAGIC: &[u8] = b"\x7fELF";

/// Whether bytes begin as a code object or an offload bundle does.
pub fn is_object(bytes: &[u8]) -> bool {
    bytes.starts_with(ELF_MAGIC) || is_bundle(bytes)
}

/// Reads a code object; of an offload bundle the one for `target`, or the only one.
///
/// # Errors
/// The bytes are neither, or the bundle holds none or several that could be meant.
pub fn read(bytes: &[u8], target: Option<&Target>) -> Result<CodeObject> {
    if !is_bundle(bytes) {
        return Ok(gcn_object::read(bytes)?);
    }
    let entries = bundle_entries(bytes)?;
    let devices: Vec<&BundleEntry> = entries
        .iter()
        .filter(|entry| entry.target().is_some())
        .collect();
    let names = || {
        devices
            .iter()
            .map(|entry| entry.target().unwrap_or(""))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let is_meant = |entry: &BundleEntry| match target {
        Some(target) => entry.target().and_then(Target::named) == Some(target),
        None => true,
    };
    let mut meant = devices.iter().filter(|entry| is_meant(entry));
    match (meant.next(), meant.next()) {
        (Some(entry), None) => Ok(gcn_object::read(entry.bytes)?),
        (Some(_), Some(_)) => bail!(
            "the offload bundle holds code for {}; choose with --target",
            names()
        ),
        (None, _) => bail!(
            "the offload bundle holds no such code, only for: {}",
            names()
        ),
    }
}

/// The target that a code object names.
///
/// # Errors
/// The object names none, or one that this program does not know.
pub fn target(object: &CodeObject) -> Result<&'static Target> {
    let by_note = || {
        let note = object.isa_note.as_ref()?;
        Target::from_version(note.major, note.minor, note.stepping)
    };
    Target::from_elf_mach(object.flags.mach)
        .or_else(by_note)
        .ok_or_else(|| match object.processor() {
            Some(processor) => anyhow!(
                "code for {processor}, which is not a GCN 1.0 to 1.4 target; --target overrides"
            ),
            None => anyhow!("the code object names no target that is known; add --target"),
        })
}
