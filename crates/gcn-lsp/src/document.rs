//! Open documents.

use std::cell::OnceCell;
use std::path::PathBuf;
use std::sync::Arc;

use lsp_types::{TextDocumentContentChangeEvent, Uri};

use crate::outline::Outline;
use crate::settings::{Settings, SourceSettings};
use crate::text::{Encoding, Text};
use crate::uri;

/// Open document, with data derived from its text.
#[derive(Debug)]
pub(crate) struct Document {
    pub uri: Uri,
    /// File path; `None` if the document is not a file.
    pub path: Option<PathBuf>,
    pub version: i32,
    pub text: Arc<Text>,
    source: OnceCell<SourceSettings>,
    outline: OnceCell<Outline>,
}

impl Document {
    pub(crate) fn new(uri: Uri, version: i32, text: String) -> Document {
        Document {
            path: uri::to_path(uri.as_str()),
            uri,
            version,
            text: Arc::new(Text::new(text)),
            source: OnceCell::new(),
            outline: OnceCell::new(),
        }
    }

    /// Returns the path or URI, used in messages and to resolve includes.
    pub(crate) fn name(&self) -> String {
        match &self.path {
            Some(path) => path.display().to_string(),
            None => self.uri.as_str().to_owned(),
        }
    }

    /// Applies edits in order.
    pub(crate) fn edit(
        &mut self,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) {
        let text = Arc::make_mut(&mut self.text);
        for change in changes {
            text.replace(change.range, &change.text, encoding);
        }
        self.version = version;
        self.discard_derived();
    }

    /// Discards data derived from the settings and the text.
    pub(crate) fn discard_derived(&mut self) {
        self.source = OnceCell::new();
        self.outline = OnceCell::new();
    }

    pub(crate) fn source(&self, settings: &Settings) -> SourceSettings {
        *self
            .source
            .get_or_init(|| settings.of_source(self.text.as_str()))
    }

    pub(crate) fn outline(&self, settings: &Settings) -> &Outline {
        let dialect = self.source(settings).dialect;
        self.outline
            .get_or_init(|| Outline::new(self.text.as_str(), dialect))
    }
}
