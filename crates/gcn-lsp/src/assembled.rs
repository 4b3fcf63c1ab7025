//! Assembles a document with its included files, and maps spans to locations.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use gcn_asm::{Assembly, Diagnostic, Source, assemble_with};
use lsp_types::{Location, Uri};

use crate::files::{OpenTexts, SourceFiles};
use crate::settings::{Settings, SourceSettings};
use crate::text::{Encoding, Text};
use crate::uri;

/// Document version, with all other inputs of its assembly.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    pub uri: Uri,
    /// Path or URI, used in messages and to resolve includes.
    pub name: String,
    pub version: i32,
    pub text: Arc<Text>,
    pub settings: Arc<Settings>,
    pub open: Arc<OpenTexts>,
    pub encoding: Encoding,
}

/// Result of assembling a document.
#[derive(Debug)]
pub(crate) struct Assembled {
    pub snapshot: Snapshot,
    pub source: SourceSettings,
    pub assembly: Assembly,
    /// Code object, unless there are errors.
    pub object: Option<Vec<u8>>,
    /// Assembler and linker diagnostics.
    pub diagnostics: Vec<Diagnostic>,
    /// Contents of included files, by name.
    texts: HashMap<String, Arc<Text>>,
}

impl Assembled {
    pub(crate) fn new(snapshot: Snapshot) -> Assembled {
        let source = snapshot.settings.of_source(snapshot.text.as_str());
        let files = SourceFiles::new(&snapshot.settings.directories, &snapshot.open);
        let assembly = assemble_with(
            &Source {
                name: &snapshot.name,
                text: snapshot.text.as_str(),
            },
            &snapshot.settings.options(source),
            &files,
        );
        let texts = files.into_texts();
        let (object, diagnostics) = assembly.to_object(None);
        Assembled {
            source,
            assembly,
            object,
            diagnostics,
            texts,
            snapshot,
        }
    }

    /// Maps a span to the document. A span in an included file maps to the document's `.include` that leads to it.
    pub(crate) fn own_span(&self, span: &Range<usize>) -> Range<usize> {
        let own = self.snapshot.text.as_str().len();
        let mut span = span.clone();
        // An including text starts at a lower position than the text it includes.
        while span.start > own {
            match self.inclusion(span.start) {
                Some(inclusion) if inclusion.from.start < span.start => {
                    span = inclusion.from.clone()
                }
                _ => return 0..0,
            }
        }
        span
    }

    fn inclusion(&self, position: usize) -> Option<&gcn_asm::Inclusion> {
        let inclusions = &self.assembly.inclusions;
        let behind = inclusions.partition_point(|it| it.start <= position);
        inclusions.get(behind.checked_sub(1)?)
    }

    /// Converts a span to a range in the document.
    pub(crate) fn range(&self, span: &Range<usize>) -> lsp_types::Range {
        let Snapshot { text, encoding, .. } = &self.snapshot;
        text.range(&self.own_span(span), *encoding)
    }

    /// Returns the location of a span, in the document or in an included file.
    pub(crate) fn location(&self, span: &Range<usize>) -> Location {
        let Snapshot { text, encoding, .. } = &self.snapshot;
        if span.start > text.as_str().len()
            && let Some(inclusion) = self.inclusion(span.start)
            && let Some(text) = self.texts.get(&inclusion.name)
            && let Some(uri) = uri::from_path(Path::new(&inclusion.name))
        {
            let inside = span.start - inclusion.start..span.end.saturating_sub(inclusion.start);
            return Location {
                uri,
                range: text.range(&inside, *encoding),
            };
        }
        Location {
            uri: self.snapshot.uri.clone(),
            range: self.range(span),
        }
    }

    /// True if a span is in the document itself.
    pub(crate) fn is_own(&self, span: &Range<usize>) -> bool {
        span.start <= self.snapshot.text.as_str().len()
    }
}
