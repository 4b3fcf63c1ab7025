//! Creates checkers for launches, and returns their findings.

use std::ffi::{CString, c_char};
use std::ptr::{null, null_mut};

use super::assemblies::SeverityLevel;
use super::devices::DeviceHandle;
use crate::entry::{ErrorHandle, call, quiet};
use crate::failure::{Failure, c_text};
use crate::handle::{self, handles};
use crate::pointers;
use crate::records::or_null;
use crate::runtime::{CheckSettings, Checking, FindingReport, checks};

/// Checkers that observe launches on a device: they detect missing waits, races, out-of-bounds accesses, undefined
/// values and other problems.
pub enum CheckerHandle {}
/// Problem in a kernel, found by a checker.
pub enum FindingHandle {}

handles! {
    CheckerHandle Checking, "gcn_checker";
    FindingHandle Finding, "gcn_finding";
}

/// Object that a `gcn_finding` handle refers to.
#[derive(Debug)]
pub struct Finding {
    name: CString,
    severity: SeverityLevel,
    message: CString,
    kernel: Option<CString>,
    instruction: Option<CString>,
    file: Option<CString>,
    line: u32,
    column: u32,
    count: u64,
    report: CString,
}

impl Finding {
    pub(super) fn new(report: &FindingReport) -> Finding {
        Finding {
            name: c_text(report.name),
            severity: if report.severity == "error" {
                SeverityLevel::Error
            } else {
                SeverityLevel::Warning
            },
            message: c_text(report.message.as_str()),
            kernel: report.kernel().map(c_text),
            instruction: report.instruction().map(c_text),
            file: report.place.file.as_deref().map(c_text),
            line: report.place.line.unwrap_or(0),
            column: report.place.column.unwrap_or(0),
            count: report.count,
            report: c_text(report.to_string()),
        }
    }
}

/// Creates a handle for the finding at an index.
///
/// # Errors
/// Fails if the index is out of range.
pub(super) fn finding_handle(
    reports: &[FindingReport],
    index: usize,
) -> Result<*mut FindingHandle, Failure> {
    let report = reports.get(index);
    let report = report.ok_or_else(|| Failure::index(index, reports.len(), "findings"))?;
    Ok(handle::insert(Finding::new(report)))
}

/// Creates checkers for launches on a device. Create them before writing buffers, so that they observe the host's
/// writes. If a device has several checkers, only the last ones created observe accesses by the host.
///
/// `names` is a null-terminated, comma-separated list of checks, such as `waits,races` (see `gcn check --help`), or
/// null for the default checks. Free the result with `gcn_checker_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_checker_new(
    device: *const DeviceHandle,
    names: *const c_char,
    error: *mut *mut ErrorHandle,
) -> *mut CheckerHandle {
    let body = || {
        let device = handle::get(device)?;
        // SAFETY: the caller guarantees that `names` is null or null-terminated.
        let names = unsafe { pointers::optional_text(names, "names") }?;
        let mut settings = CheckSettings::default();
        if let Some(names) = names {
            settings.checks = checks(names).map_err(Failure::choice)?;
        }
        let checking = Checking::new(settings);
        let checking = checking.map_err(|error| Failure::choice(error.to_string()))?;
        device.observe(checking.observers());
        Ok(handle::insert(checking))
    };
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, null_mut(), body) }
}

/// Returns the number of distinct findings in all launches so far; 0 if the handle is invalid.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_checker_finding_count(checker: *const CheckerHandle) -> usize {
    quiet(0, || Ok(handle::get(checker)?.reports().len()))
}

/// Returns the finding at `index` among all launches so far. Returns null and sets an error if the index is out of
/// range. Free the result with `gcn_finding_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_checker_finding(
    checker: *const CheckerHandle,
    index: usize,
    error: *mut *mut ErrorHandle,
) -> *mut FindingHandle {
    let body = || finding_handle(&handle::get(checker)?.reports(), index);
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, null_mut(), body) }
}

/// Frees checkers. Launches that use them keep them alive. Null and freed handles are ignored.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_checker_free(checker: *mut CheckerHandle) {
    quiet((), || handle::remove(checker));
}

/// Returns the stable name of a finding, such as `missing-wait`, explained by `gcn explain`; null if the handle is
/// invalid. The string belongs to the finding.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_finding_name(finding: *const FindingHandle) -> *const c_char {
    quiet(null(), || Ok(handle::get(finding)?.name.as_ptr()))
}

/// Returns the severity of a finding: a warning or an error; `GCN_SEVERITY_NOTE` if the handle is invalid.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_finding_severity(finding: *const FindingHandle) -> SeverityLevel {
    quiet(SeverityLevel::Note, || Ok(handle::get(finding)?.severity))
}

/// Returns the message of a finding, without a final period; null if the handle is invalid. The string belongs to the
/// finding.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_finding_message(finding: *const FindingHandle) -> *const c_char {
    quiet(null(), || Ok(handle::get(finding)?.message.as_ptr()))
}

/// Returns the symbol of a finding's kernel, or null if unknown. The string belongs to the finding.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_finding_kernel(finding: *const FindingHandle) -> *const c_char {
    quiet(null(), || {
        Ok(or_null(handle::get(finding)?.kernel.as_ref()))
    })
}

/// Returns the text of a finding's instruction, or null if there is none. The string belongs to the finding.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_finding_instruction(finding: *const FindingHandle) -> *const c_char {
    quiet(null(), || {
        Ok(or_null(handle::get(finding)?.instruction.as_ref()))
    })
}

/// Returns the source file of a finding's instruction, or null if unknown, for example without debug information. The
/// string belongs to the finding.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_finding_file(finding: *const FindingHandle) -> *const c_char {
    quiet(null(), || Ok(or_null(handle::get(finding)?.file.as_ref())))
}

/// Returns the line number of a finding's instruction, starting at 1; 0 if unknown.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_finding_line(finding: *const FindingHandle) -> u32 {
    quiet(0, || Ok(handle::get(finding)?.line))
}

/// Returns the column number of a finding's instruction, starting at 1; 0 if unknown.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_finding_column(finding: *const FindingHandle) -> u32 {
    quiet(0, || Ok(handle::get(finding)?.column))
}

/// Returns the number of times a finding had occurred when it was retrieved; 0 if the handle is invalid.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_finding_occurrences(finding: *const FindingHandle) -> u64 {
    quiet(0, || Ok(handle::get(finding)?.count))
}

/// Returns the full report of a finding in the format of compiler diagnostics, with the source, other conflicting
/// accesses, buffers and help; null if the handle is invalid. The string has several lines and belongs to the finding.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_finding_report(finding: *const FindingHandle) -> *const c_char {
    quiet(null(), || Ok(handle::get(finding)?.report.as_ptr()))
}

/// Frees a finding and its strings. Null and freed handles are ignored.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_finding_free(finding: *mut FindingHandle) {
    quiet((), || handle::remove(finding));
}
