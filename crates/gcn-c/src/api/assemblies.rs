//! Assembles source text to machine code and code objects.

use std::ffi::{CString, c_char};
use std::ptr::null;
use std::sync::OnceLock;

use gcn_asm::{Dialect, Features, ObjectError, Options, Program, Severity, Source, assemble, ids};
use gcn_isa::{Target, UnknownTarget};

use super::targets::TargetId;
use crate::entry::{ErrorHandle, call, quiet};
use crate::failure::{Failure, Place, c_text};
use crate::handle::{self, handles};
use crate::pointers;
use crate::source_place::Sources;

/// Result of assembling a source: diagnostics and, unless one of them is an error, a program.
pub enum AssemblyHandle {}

handles! {
    AssemblyHandle Assembly, "gcn_assembly";
}

/// Severity of a diagnostic or a finding.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub enum SeverityLevel {
    /// Additional information.
    Note = 0,
    /// Valid code that is probably a mistake.
    Warning = 1,
    /// Invalid code.
    Error = 2,
}

/// Assembler diagnostic. Its strings belong to the assembly.
#[repr(C)]
pub struct DiagnosticInfo {
    /// Severity of the diagnostic.
    pub severity: SeverityLevel,
    /// Stable name, such as `unknown-opcode`, explained by `gcn explain`.
    pub name: *const c_char,
    /// Message without a final period.
    pub message: *const c_char,
    /// Suggested fix; may be empty or have several lines.
    pub help: *const c_char,
    /// Source file name.
    pub file: *const c_char,
    /// Line number, starting at 1.
    pub line: u32,
    /// Column number in characters, starting at 1.
    pub column: u32,
}

/// Assembly dialect, for constructs where LLVM's and CLRX's languages differ.
#[repr(C)]
pub enum DialectChoice {
    /// LLVM's dialect.
    Llvm = 0,
    /// CLRX's dialect.
    Clrx = 1,
}

/// Converts a `gcn_dialect` value.
fn dialect_of(number: u32) -> Result<Dialect, Failure> {
    const LLVM: u32 = DialectChoice::Llvm as u32;
    const CLRX: u32 = DialectChoice::Clrx as u32;
    match number {
        LLVM => Ok(Dialect::Llvm),
        CLRX => Ok(Dialect::Clrx),
        other => Err(Failure::choice(format!("{other} is not a dialect"))),
    }
}

/// Assembler options. A zero-initialized structure selects the defaults.
#[repr(C)]
pub struct AssemblyOptions {
    /// Dialect, a `gcn_dialect` value.
    pub dialect: u32,
    /// Code object version, 2 to 6; 0 selects the version stated in the source, or the default.
    pub code_object_version: u32,
    /// Directory that the source name is relative to. If this is not null, the assembler generates line debug
    /// information.
    pub debug_directory: *const c_char,
}

/// Default options.
pub(super) const DEFAULTS: AssemblyOptions = AssemblyOptions {
    dialect: 0,
    code_object_version: 0,
    debug_directory: null(),
};

/// Object that a `gcn_assembly` handle refers to.
#[derive(Debug)]
pub struct Assembly {
    target: &'static Target,
    diagnostics: Vec<(Severity, Failure)>,
    /// Program, or the first error if assembly failed.
    program: Result<Program, Failure>,
    /// Source name for link errors.
    name: CString,
    text: String,
    code_object_version: Option<u8>,
    words: OnceLock<Result<Vec<u8>, Failure>>,
    object: OnceLock<Result<Vec<u8>, Failure>>,
}

impl Assembly {
    /// Assembles a source that includes no other files. `debug` is the debug directory from the options.
    pub(super) fn new(
        target_name: &str,
        name: &str,
        text: &str,
        options: &AssemblyOptions,
        debug: Option<&str>,
    ) -> Result<Assembly, Failure> {
        let unknown = || Failure::new("unsupported-target", UnknownTarget(target_name).to_string());
        let target = Target::named(target_name).ok_or_else(unknown)?;
        let features = Features::parse(target, target_name).map_err(|error| {
            Failure::choice(error.to_string()).with_help(error.help().unwrap_or_default())
        })?;
        let asm_options = Options {
            features,
            debug,
            listing: false,
            dialect: dialect_of(options.dialect)?,
            ..Options::new(target)
        };
        let code_object_version = match options.code_object_version {
            0 => None,
            // Invalid versions are rejected when the object is created.
            other => Some(u8::try_from(other).unwrap_or(u8::MAX)),
        };
        let assembly = assemble(&Source { name, text }, &asm_options);
        let sources = Sources {
            name,
            text,
            files: &assembly.files,
        };
        let diagnostics: Vec<_> = (assembly.diagnostics.iter())
            .map(|diagnostic| (diagnostic.severity, sources.failure(diagnostic)))
            .collect();
        let first = diagnostics
            .iter()
            .find(|(severity, _)| *severity == Severity::Error);
        Ok(Assembly {
            target,
            program: match first {
                Some((_, failure)) => Err(failure.clone()),
                None => Ok(assembly.program),
            },
            diagnostics,
            name: c_text(name),
            text: text.to_owned(),
            code_object_version,
            words: OnceLock::new(),
            object: OnceLock::new(),
        })
    }

    /// Converts the first link error, with its source location.
    fn link_failure(&self, errors: &[gcn_asm::Diagnostic]) -> Failure {
        let sources = Sources {
            name: &self.name.to_string_lossy(),
            text: &self.text,
            files: &[],
        };
        let unknown = || Failure::new(ids::LINK.name, "the program cannot be linked");
        errors
            .first()
            .map_or_else(unknown, |it| sources.failure(it))
    }

    /// Returns the linked bytes of `.text`.
    fn words(&self) -> Result<&[u8], Failure> {
        let made = self.words.get_or_init(|| {
            let program = self.program.as_ref().map_err(Failure::clone)?;
            let linked = program.to_linked_raw();
            linked.map_err(|errors| self.link_failure(&errors))
        });
        made.as_deref().map_err(Failure::clone)
    }

    /// Returns the bytes of the code object.
    pub(super) fn object(&self) -> Result<&[u8], Failure> {
        let made = self.object.get_or_init(|| {
            let program = self.program.as_ref().map_err(Failure::clone)?;
            let linked = program.to_object(self.code_object_version);
            linked.map_err(|error| match &error {
                ObjectError::Link(errors) => self.link_failure(errors),
                ObjectError::Metadata(_) => {
                    Failure::new(ids::INVALID_METADATA.name, error.to_string())
                }
                _ => Failure::choice(error.to_string()),
            })
        });
        made.as_deref().map_err(Failure::clone)
    }
}

/// Assembles text for a target such as `gfx906` or `gfx906:xnack-`. Text with errors also produces a result:
/// `gcn_assembly_diagnostic` returns each error, and functions that need a complete program fail with the first one.
/// Returns null and sets an error if an argument is invalid.
///
/// `text` is the program and `name` is its name in messages; both are null-terminated. `options` may be null. The text
/// must not include files. Free the result with `gcn_assembly_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_assemble(
    target: *const c_char,
    name: *const c_char,
    text: *const c_char,
    options: *const AssemblyOptions,
    error: *mut *mut ErrorHandle,
) -> *mut AssemblyHandle {
    let body = || {
        // SAFETY: the caller guarantees that strings are null or null-terminated, and `options` is null or valid.
        let (target, name, text, options) = unsafe {
            (
                pointers::text(target, "target")?,
                pointers::text(name, "name")?,
                pointers::text(text, "text")?,
                pointers::optional(options, "options")?,
            )
        };
        let options = options.unwrap_or(&DEFAULTS);
        // SAFETY: the caller guarantees that `debug_directory` is null or null-terminated.
        let debug = unsafe { pointers::optional_text(options.debug_directory, "debug_directory") }?;
        let assembly = Assembly::new(target, name, text, options, debug)?;
        Ok(handle::insert(assembly))
    };
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, std::ptr::null_mut(), body) }
}

/// Returns the number of diagnostics in an assembly; 0 if the handle is invalid.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_assembly_diagnostic_count(assembly: *const AssemblyHandle) -> usize {
    quiet(0, || Ok(handle::get(assembly)?.diagnostics.len()))
}

/// Writes the diagnostic at `index`, in source order, to `*diagnostic`. Its strings belong to the assembly.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_assembly_diagnostic(
    assembly: *const AssemblyHandle,
    index: usize,
    diagnostic: *mut DiagnosticInfo,
    error: *mut *mut ErrorHandle,
) -> bool {
    let body = || {
        let assembly = handle::get(assembly)?;
        let count = assembly.diagnostics.len();
        let found = assembly.diagnostics.get(index);
        let (severity, failure) =
            found.ok_or_else(|| Failure::index(index, count, "diagnostics"))?;
        let place = failure.place.as_ref();
        let info = DiagnosticInfo {
            severity: match severity {
                Severity::Note => SeverityLevel::Note,
                Severity::Warning => SeverityLevel::Warning,
                Severity::Error => SeverityLevel::Error,
            },
            name: failure.name.as_ptr(),
            message: failure.message.as_ptr(),
            help: failure.help.as_ptr(),
            file: place.map_or(null(), |place: &Place| place.file.as_ptr()),
            line: place.map_or(0, |place| place.line),
            column: place.map_or(0, |place| place.column),
        };
        // SAFETY: the caller guarantees that `diagnostic` is null or writable.
        unsafe { pointers::put(diagnostic, info, "diagnostic") }?;
        Ok(true)
    };
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, false, body) }
}

/// Returns the program's `.text` as little-endian words, and sets `*size` to their size in bytes. Returns null and
/// sets an error if the text has errors, or if a word depends on another section or on the address of `.text`
/// (`raw-relocation`). The bytes belong to the assembly.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_assembly_words(
    assembly: *const AssemblyHandle,
    size: *mut usize,
    error: *mut *mut ErrorHandle,
) -> *const u8 {
    let body = || {
        let assembly = handle::get(assembly)?;
        let words = assembly.words()?;
        // SAFETY: the caller guarantees that `size` is null or writable.
        unsafe { pointers::put(size, words.len(), "size") }?;
        Ok(words.as_ptr())
    };
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, null(), body) }
}

/// Returns the program as a loadable code object, and sets `*size` to its size in bytes. Returns null and sets an
/// error if the text has errors, or the program cannot be linked. The bytes belong to the assembly.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_assembly_object(
    assembly: *const AssemblyHandle,
    size: *mut usize,
    error: *mut *mut ErrorHandle,
) -> *const u8 {
    let body = || {
        let assembly = handle::get(assembly)?;
        let object = assembly.object()?;
        // SAFETY: the caller guarantees that `size` is null or writable.
        unsafe { pointers::put(size, object.len(), "size") }?;
        Ok(object.as_ptr())
    };
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, null(), body) }
}

/// Returns the target of an assembly; 0 if the handle is invalid.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_assembly_target(assembly: *const AssemblyHandle) -> TargetId {
    quiet(0, || Ok(handle::get(assembly)?.target.elf_mach.into()))
}

/// Frees an assembly with its strings and bytes. Null and freed handles are ignored.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_assembly_free(assembly: *mut AssemblyHandle) {
    quiet((), || handle::remove(assembly));
}
