//! Places in sources: of assembly text, and of code that runs.

use std::ops::Range;

use gcn_asm::{Diagnostic, SourceFile};

use crate::failure::{Failure, Place, c_text};
use crate::runtime::{CodeMap, Completion, Error, FaultReport, Kernel};

/// A source with the files that it includes, in ascending order of their places.
pub(crate) struct Sources<'a> {
    /// Name of the source in messages.
    pub(crate) name: &'a str,
    /// The source.
    pub(crate) text: &'a str,
    /// Files.
    pub(crate) files: &'a [SourceFile],
}

impl Sources<'_> {
    /// The place of a diagnostic's first byte; columns count characters.
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

    /// A diagnostic as an error.
    pub(crate) fn failure(&self, diagnostic: &Diagnostic) -> Failure {
        Failure::new(diagnostic.name(), diagnostic.message.as_str())
            .helped(&diagnostic.help.join("\n"))
            .at(Some(self.place(&diagnostic.span)))
    }
}

/// An error of a launch: a fault with its report and the line of the kernel's source, where that is known.
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

/// The line of source of the instruction that has faulted, if the code has debug information.
fn fault_place(end: &Completion, kernel: &Kernel) -> Option<Place> {
    let module = kernel.module();
    let address = module.loaded().linked_address(end.fault.as_ref()?.pc);
    // Debug information that cannot be read takes nothing from the error.
    let lines = module.object().source_lines().ok()??;
    let frames = lines.frames(address).ok()?;
    let place = frames.into_iter().find_map(|frame| frame.place)?;
    Some(Place {
        file: c_text(&*place.file),
        line: place.line,
        column: place.column,
    })
}
