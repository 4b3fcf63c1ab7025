//! Completion of the word at the cursor.

use gcn_lsp::completion::completions;
use serde::{Deserialize, Serialize};

use crate::position::{Utf16Positions, byte_at};
use crate::settings::TextRequest;

/// Source with the position of the cursor.
#[derive(Deserialize)]
pub(crate) struct CompleteRequest {
    #[serde(flatten)]
    source: TextRequest,
    /// Position in UTF-16 code units.
    position: u32,
}

/// Candidates for the word at the cursor.
#[derive(Serialize)]
pub(crate) struct CompleteAnswer {
    /// Position of the word, which a candidate replaces up to the cursor.
    start: u32,
    /// True if the word is the first of a statement.
    is_head: bool,
    candidates: Vec<Candidate>,
}

#[derive(Serialize)]
struct Candidate {
    label: String,
    /// Operands of a mnemonic or directive, or syntax of an operand or modifier; may be empty.
    detail: String,
}

/// Completes the word at the cursor.
///
/// # Errors
/// Fails if the target is unknown, or the text is too long.
pub(crate) fn complete(request: &CompleteRequest) -> Result<CompleteAnswer, String> {
    let source = &request.source;
    let target = source.source_target()?;
    let offset = byte_at(&source.text, request.position);
    let found = completions(&source.text, offset, target, source.dialect.dialect());
    let positions = Utf16Positions::new(&source.text);
    let candidates = found.candidates.into_iter().map(|it| Candidate {
        label: it.label,
        detail: it.detail,
    });
    Ok(CompleteAnswer {
        start: positions.span(&(found.start..found.start)).start,
        is_head: found.is_head,
        candidates: candidates.collect(),
    })
}
