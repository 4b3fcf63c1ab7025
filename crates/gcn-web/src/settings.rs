//! Target and dialect of a request.

use gcn_asm::{Dialect, named_target};
use gcn_isa::{Syntax, Target, UnknownTarget};
use serde::{Deserialize, Serialize};

/// Maximum size of a text in bytes.
const MAX_TEXT: usize = 1 << 20;

/// Text with the target and the dialect that the page has selected.
#[derive(Deserialize)]
pub(crate) struct TextRequest {
    pub target: String,
    pub dialect: DialectName,
    pub text: String,
}

impl TextRequest {
    /// Selected target.
    ///
    /// # Errors
    /// Fails if the target is unknown, or the text is too long.
    pub(crate) fn target(&self) -> Result<&'static Target, String> {
        if self.text.len() > MAX_TEXT {
            return Err(format!(
                "the text has {} bytes, more than {MAX_TEXT}: use the command line",
                self.text.len()
            ));
        }
        target(&self.target)
    }

    /// Target that the text names, or else the selected one.
    ///
    /// # Errors
    /// As for [`TextRequest::target`].
    pub(crate) fn source_target(&self) -> Result<&'static Target, String> {
        let selected = self.target()?;
        Ok(named_target(&self.text).unwrap_or(selected))
    }
}

/// Target by name.
///
/// # Errors
/// Fails if there is no such target.
pub(crate) fn target(name: &str) -> Result<&'static Target, String> {
    Target::named(name).ok_or_else(|| UnknownTarget(name).to_string())
}

/// Dialect by its name in requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DialectName {
    Llvm,
    Clrx,
}

impl DialectName {
    pub(crate) fn dialect(self) -> Dialect {
        match self {
            DialectName::Llvm => Dialect::Llvm,
            DialectName::Clrx => Dialect::Clrx,
        }
    }

    pub(crate) fn syntax(self) -> Syntax {
        match self {
            DialectName::Llvm => Syntax::Llvm,
            DialectName::Clrx => Syntax::Clrx,
        }
    }
}
