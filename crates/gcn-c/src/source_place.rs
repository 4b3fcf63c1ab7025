//! Finds the source locations of diagnostics and faults.

use std::ops::Range;

use gcn_asm::{Diagnostic, SourceFile};

use crate::failure::{Failure, Place, c_text};
use crate::runtime::{CodeMap, Completion, Error, FaultReport, Kernel};

/// Source with its included files.
pub(crate) struct Sources<'a> {
    /// Source name in messages.
    pub(crate) name: &'a str,
    pub(crate) text: &'a str,
    /// Included files, in ascending order of position.
    pub(crate) files: &'a [SourceFile],
}

impl Sources<'_> {
    /// Returns the source location of a span's first byte. The column counts characters.
    pub(crate) fn place(&self, span: &Range<usize>) -> Place {
        let (mut name, mut text, mut at) = (self.name, self.text, span.start);
        if at > text.len()
            && let Some(file) = self.files.iter().rfind(|file| file.start <= at)
        {
            (name, text, at) = (&file.name, &file.text, at - file.start);
        }
        let before = text.get(..at).unwrap_or(text);
        let line = before.rsplit('\n').next().unwrap_or_default();
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Place {
            file: c_text(name),
            line: number(before.matches('\n').count() + 1),
            column: number(line.chars().count() + 1),
        }
    }

    /// Converts a diagnostic to an error.
    pub(crate) fn failure(&self, diagnostic: &Diagnostic) -> Failure {
        Failure::new(diagnostic.name(), diagnostic.message.as_str())
            .with_help(&diagnostic.help.join("\n"))
            .at(Some(self.place(&diagnostic.span)))
    }
}

/// Converts a launch error. A fault includes its report and, if known, the source line.
pub(crate) fn launch_failure(error: &Error, kernel: &Kernel) -> Failure {
    let failure = Failure::new(error.name(), error.to_string());
    let Error::Fault(end) = error else {
        return failure;
    };
    let report = FaultReport::new(end, &CodeMap::new(kernel.module()), "interrupted", None);
    let failure = match report {
        Some(report) => Failure::new(report.name, report.to_string()),
        None => failure,
    };
    failure.at(fault_place(end, kernel))
}

/// Returns the source location of the faulting instruction, if the code has debug information.
fn fault_place(end: &Completion, kernel: &Kernel) -> Option<Place> {
    let module = kernel.module();
    let address = module.loaded().linked_address(end.fault.as_ref()?.pc);
    // Without readable debug information, the error has no source location.
    let lines = module.object().source_lines().ok()??;
    let frames = lines.frames(address).ok()?;
    let place = frames.into_iter().find_map(|frame| frame.place)?;
    Some(Place {
        file: c_text(&*place.file),
        line: place.line,
        column: place.column,
    })
}
