//! Selects a code object from a file as a command's options require, and determines its target.

use anyhow::{Result, bail};
use gcn_isa::Target;
use gcn_object::error_names::{AMBIGUOUS_KERNEL, MALFORMED_FILE, NOT_A_CODE_OBJECT};
use gcn_object::{
    BundleEntry, CodeObject, CodeObjects, NamePattern, code_objects, is_container,
    is_driver_program,
};
use gcn_runtime::error_names::NO_MATCHING_CODE;

use crate::driver;
use crate::file::FileBytes;
use crate::problem::{NoTarget, Problem};
use crate::render::printable;

/// Magic bytes of an ELF file.
const ELF_MAGIC: &[u8] = b"\x7fELF";

/// Maximum number of targets listed in an error.
const MAX_LISTED: usize = 32;
/// Number of code objects after which the memory of a mapped file is released. Reading one touches a few pages, and
/// the system maps more pages around them.
const RELEASED_EVERY: usize = 64;

/// Criteria that select a code object of a file.
#[derive(Clone, Copy, Default)]
pub struct ObjectChoice<'a> {
    /// Target of the code object.
    pub target: Option<&'static Target>,
    /// Number of the code object in the list of `gcn info`, starting at 1.
    pub entry: Option<usize>,
    /// Kernel that the code object must contain if several match the other criteria.
    pub kernel: Option<&'a str>,
}

/// True for an ELF file, an offload bundle, or an OpenCL driver program.
pub fn is_object(bytes: &[u8]) -> bool {
    bytes.starts_with(ELF_MAGIC) || is_container(bytes) || is_driver_program(bytes)
}

/// Iterator over the code objects of a file, with their numbers.
pub struct Entries<'f> {
    file: &'f FileBytes,
    objects: std::iter::Enumerate<CodeObjects<'static>>,
}

impl<'f> Entries<'f> {
    /// Code objects of an offload bundle, a program or a library; `None` for other files, such as a code object.
    ///
    /// # Errors
    /// Fails if the file contains no code objects, or is malformed.
    pub fn of(file: &'f FileBytes) -> Result<Option<Self>> {
        if !is_container(file) {
            return Ok(None);
        }
        let objects = code_objects(file.shared())?.enumerate();
        Ok(Some(Self { file, objects }))
    }
}

impl Iterator for Entries<'_> {
    type Item = Result<(usize, BundleEntry<'static>)>;

    fn next(&mut self) -> Option<Self::Item> {
        let (index, entry) = self.objects.next()?;
        if index % RELEASED_EVERY == RELEASED_EVERY - 1 {
            self.file.release();
        }
        let numbered = entry.map(|entry| (index + 1, entry));
        Some(numbered.map_err(anyhow::Error::from))
    }
}

/// Reads a code object, or selects one from a file that contains several.
///
/// # Errors
/// Fails if the file is neither or is malformed, or if no code object matches or several do that differ.
pub fn read(file: &FileBytes, choice: ObjectChoice) -> Result<CodeObject<'static>> {
    match choose(file, choice)? {
        Some(entry) => Ok(entry.read()?),
        None => Ok(gcn_object::read(file.shared())?),
    }
}

/// Selects a code object from a file that contains code objects; `None` for other files, which are not checked.
///
/// # Errors
/// Fails as [`read`] does, but does not report errors in the selected code object.
pub fn choose(file: &FileBytes, choice: ObjectChoice) -> Result<Option<BundleEntry<'static>>> {
    if let Some(program) = driver::open(file)? {
        let message = format!(
            "a {} contains no code object: `gcn info` and `gcn dis` read it; it cannot run, because its kernels get their \
             arguments and sizes from tables that only its driver makes",
            program.format
        );
        bail!(Problem::new(NOT_A_CODE_OBJECT, message));
    }
    let Some(entries) = Entries::of(file)? else {
        if let Some(entry @ (0 | 2..)) = choice.entry {
            let message = format!("the file is a single code object, without an entry {entry}");
            bail!(Problem::new(NO_MATCHING_CODE, message));
        }
        return Ok(None);
    };
    let pattern = choice.kernel.map(NamePattern::new);
    let mut listed = ListedTargets::default();
    let mut candidates = Candidates::default();
    for numbered in entries {
        let (number, entry) = numbered?;
        listed.add(number, &entry);
        let target = || entry.target().and_then(Target::named);
        let is_meant = choice.entry.is_none_or(|asked| asked == number)
            && choice.target.is_none_or(|asked| target() == Some(asked));
        if is_meant {
            candidates.add(number, entry, pattern.as_ref());
        }
    }
    match (listed.count, candidates.count, pattern) {
        (0, ..) => bail!(Problem::new(
            NOT_A_CODE_OBJECT,
            "the file contains no GPU code"
        )),
        (_, 0, _) => bail!(Problem::new(
            NO_MATCHING_CODE,
            format!("the file contains only code for: {listed}")
        )),
        (_, 1, _) => Ok(candidates.first),
        (.., Some(pattern)) => candidates.with_kernel(&pattern).map(Some),
        (.., None) => bail!(Problem::new(
            AMBIGUOUS_KERNEL,
            format!(
                "the file contains code for {listed}; choose with --target, or with --entry and the number"
            )
        )),
    }
}

/// Targets of a file's code objects, for errors.
#[derive(Default)]
struct ListedTargets {
    names: Vec<String>,
    count: usize,
}

impl ListedTargets {
    fn add(&mut self, number: usize, entry: &BundleEntry) {
        self.count += 1;
        if self.names.len() < MAX_LISTED {
            let target = printable(entry.target().unwrap_or(""));
            self.names.push(format!("{target} ({number})"));
        }
    }
}

impl std::fmt::Display for ListedTargets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.names.join(", "))?;
        match self.count - self.names.len() {
            0 => Ok(()),
            more => write!(f, " and {more} more, which `gcn info` lists"),
        }
    }
}

/// Code objects that match a selection. Only the first and those with the kernel are kept, since libraries have thousands.
#[derive(Default)]
struct Candidates {
    count: usize,
    first: Option<BundleEntry<'static>>,
    /// Code objects that contain the kernel, with their numbers.
    kept: Vec<(usize, BundleEntry<'static>)>,
    /// Symbols of the kernels in all matching code objects.
    symbols: Vec<String>,
}

impl Candidates {
    fn add(&mut self, number: usize, entry: BundleEntry<'static>, pattern: Option<&NamePattern>) {
        self.count += 1;
        if let Some(pattern) = pattern {
            // A code object that cannot be read counts as having no kernels.
            let symbols = entry.kernel_names().unwrap_or_default();
            let has_it = symbols.iter().any(|symbol| pattern.denotes(symbol));
            self.symbols
                .extend(symbols.into_iter().map(std::borrow::Cow::into_owned));
            if has_it {
                self.kept.push((number, entry.clone()));
            }
        }
        self.first.get_or_insert(entry);
    }

    /// Returns the code object that contains the kernel. If several contain identical code for it, such as a template
    /// instantiated in several translation units, returns the first.
    fn with_kernel(self, pattern: &NamePattern) -> Result<BundleEntry<'static>> {
        let symbol = pattern.find(self.symbols.iter().map(String::as_str))?;
        let mut found: Option<(CodeObject, &BundleEntry)> = None;
        let mut others = Vec::new();
        for (number, entry) in &self.kept {
            let Ok(object) = entry.read() else { continue };
            if !object.kernels.iter().any(|kernel| kernel.name == symbol) {
                continue;
            }
            let is_same = |(found, _): &(CodeObject, _)| {
                let code = code(found, symbol);
                code.is_some() && code == self::code(&object, symbol)
            };
            if !found.as_ref().is_some_and(is_same) {
                let target = printable(entry.target().unwrap_or(""));
                others.push(format!("{target} ({number})"));
            }
            found.get_or_insert((object, entry));
        }
        match found {
            Some((_, entry)) if others.len() == 1 => Ok(entry.clone()),
            Some(_) => bail!(Problem::new(
                AMBIGUOUS_KERNEL,
                format!(
                    "several code objects have a kernel {}: {}; choose with --target",
                    printable(symbol),
                    others.join(", ")
                )
            )),
            None => bail!(Problem::new(
                MALFORMED_FILE,
                format!(
                    "the code object with the kernel {} cannot be read",
                    printable(symbol)
                )
            )),
        }
    }
}

/// Processor and code of a kernel, for comparing kernels from different translation units.
fn code<'a>(object: &'a CodeObject, symbol: &str) -> Option<(Option<&'static str>, &'a [u8])> {
    let kernel = object.kernels.iter().find(|kernel| kernel.name == symbol)?;
    let is_inside = |section: &&gcn_object::Section| {
        let offset = kernel.entry_address.checked_sub(section.address);
        offset.is_some_and(|offset| section.is_code() && offset < section.size)
    };
    let section = object.sections.iter().find(is_inside)?;
    // Without a size, the extent of the code is unknown.
    let size = usize::try_from(kernel.code_size)
        .ok()
        .filter(|&size| size > 0)?;
    let start = usize::try_from(kernel.entry_address - section.address).ok()?;
    let end = start.checked_add(size)?;
    let bytes = object.section_bytes(section).get(start..end)?;
    Some((object.processor(), bytes))
}

/// Generic processors (code object version 6), each with a target whose instruction set is the same common subset
/// ("Generic processors" in LLVM's "User Guide for AMDGPU Backend").
const GENERIC: &[(&str, &str)] = &[("gfx9-generic", "gfx900")];

/// Target for the code of a generic processor; `None` for other code.
fn generic(object: &CodeObject) -> Option<&'static Target> {
    let processor = object.processor()?;
    let (_, target) = GENERIC.iter().find(|(name, _)| *name == processor)?;
    Target::named(target)
}

/// True if code for the target `own` runs on `asked`: the instruction set is the same, or the code is for a generic
/// processor of the family.
pub fn runs_as(object: &CodeObject, own: &Target, asked: &Target) -> bool {
    own.isa == asked.isa || generic(object).is_some() && own.version().0 == asked.version().0
}

/// Name of the code object's processor, if its code does not run on `asked`.
pub fn contradicts(object: &CodeObject, asked: &Target) -> Option<&'static str> {
    match target(object) {
        Ok(own) if !runs_as(object, own, asked) => Some(object.processor().unwrap_or(own.name)),
        Err(NoTarget::Unsupported(other)) => Some(other),
        Ok(_) | Err(NoTarget::Unknown) => None,
    }
}

/// Target of a code object.
///
/// # Errors
/// Fails if the object names no target, or an unsupported one.
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
