//! Finds definitions of labels, symbols, macros and macro parameters, in a document and its included files.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gcn_asm::syntax::TokenKind;
use lsp_types::{Location, Uri};

use crate::context::Context;
use crate::files::SourceFiles;
use crate::outline::{Definition, DefinitionKind, Outline};
use crate::text::{Encoding, Text};
use crate::uri;

/// Maximum number of included files to search.
const MAX_FILES: usize = 256;

/// Definition and the text that contains it.
pub(crate) struct FoundDefinition {
    pub uri: Uri,
    text: Arc<Text>,
    span: Range<usize>,
}

impl FoundDefinition {
    pub(crate) fn location(&self, encoding: Encoding) -> Location {
        Location {
            uri: self.uri.clone(),
            range: self.text.range(&self.span, encoding),
        }
    }

    /// Returns the line that contains the definition.
    pub(crate) fn line(&self) -> &str {
        let line = self.text.line(self.text.line_of(self.span.start));
        self.text.as_str().get(line).unwrap_or_default().trim()
    }

    /// Returns the comment lines directly above the definition.
    pub(crate) fn comment_above(&self) -> String {
        let mut lines = Vec::new();
        for line in (0..self.text.line_of(self.span.start)).rev() {
            let content = self
                .text
                .as_str()
                .get(self.text.line(line))
                .unwrap_or_default()
                .trim();
            let marks = ["//", ";", "#"];
            let Some(mark) = marks.into_iter().find(|mark| content.starts_with(mark)) else {
                break;
            };
            lines.push(content.trim_start_matches(mark).trim());
        }
        lines.reverse();
        lines.join("\n")
    }
}

/// Finds the definitions of the name at the cursor.
pub(crate) fn find(context: &Context<'_>) -> Vec<FoundDefinition> {
    let Some(token) = context.token() else {
        return Vec::new();
    };
    let own = |span: &Range<usize>| FoundDefinition {
        uri: context.document.uri.clone(),
        text: Arc::clone(&context.document.text),
        span: span.clone(),
    };
    let word = context.slice(token);
    let outline = context.outline;
    if let Some(inclusion) = outline.inclusions.iter().find(|it| it.span == token.span) {
        let files = SourceFiles::new(&context.settings.directories, context.open);
        let path = files.find(&inclusion.name, Path::new(&context.document.name()));
        let found = path.and_then(|path| {
            Some(FoundDefinition {
                uri: uri::from_path(&path)?,
                // The location is the start of the file, so the text (which may be binary) is not needed.
                text: Arc::new(Text::new(String::new())),
                span: 0..0,
            })
        });
        return found.into_iter().collect();
    }
    match token.kind {
        TokenKind::Number => numeric_label(context, word)
            .as_ref()
            .map(own)
            .into_iter()
            .collect(),
        TokenKind::Parameter => parameter(context, token.span.start, word.trim_start_matches('\\'))
            .as_ref()
            .map(own)
            .into_iter()
            .collect(),
        TokenKind::Label
        | TokenKind::Assigned
        | TokenKind::Mnemonic
        | TokenKind::Word
        | TokenKind::String => {
            let name = word.trim_matches('"');
            let mut found: Vec<FoundDefinition> = outline
                .definitions_of(name)
                .map(|it| own(&it.span))
                .collect();
            each_included(context, &mut |uri, text, outline| {
                found.extend(outline.definitions_of(name).map(|it| FoundDefinition {
                    uri: uri.clone(),
                    text: Arc::clone(text),
                    span: it.span.clone(),
                }));
            });
            found
        }
        TokenKind::Directive
        | TokenKind::Comment
        | TokenKind::Separator
        | TokenKind::Text
        | TokenKind::Operator => Vec::new(),
    }
}

/// Finds the label that `1b` or `1f` refers to.
fn numeric_label(context: &Context<'_>, word: &str) -> Option<Range<usize>> {
    let mut definitions = context.outline.definitions.iter();
    let here = context.offset;
    if let Some(name) = word.strip_suffix('f') {
        return definitions
            .find(|it| it.name == name && it.span.start > here)
            .map(|it| it.span.clone());
    }
    let name = word.strip_suffix('b').unwrap_or(word);
    let is_it = |it: &&Definition| {
        it.name == name && it.kind == DefinitionKind::Label && it.span.start <= here
    };
    definitions.rev().find(is_it).map(|it| it.span.clone())
}

/// Finds a parameter of the macro that contains a position.
fn parameter(context: &Context<'_>, offset: usize, name: &str) -> Option<Range<usize>> {
    let parameters = &context.outline.macro_around(offset)?.rest;
    let tokens = context.outline.tokens.iter();
    let mut inside = tokens.filter(|it| parameters.contains(&it.span.start));
    inside
        .find(|it| context.slice(it).eq_ignore_ascii_case(name))
        .map(|it| it.span.clone())
}

/// Calls `visit` once for each file that the document includes, directly or indirectly.
pub(crate) fn each_included(
    context: &Context<'_>,
    visit: &mut dyn FnMut(&Uri, &Arc<Text>, &Outline),
) {
    let files = SourceFiles::new(&context.settings.directories, context.open);
    let dialect = context.document.source(context.settings).dialect;
    let mut visited: HashSet<PathBuf> = HashSet::new();
    let of = |outline: &Outline, from: &Path| -> Vec<(String, PathBuf)> {
        let names = outline.inclusions.iter();
        names.map(|it| (it.name.clone(), from.to_owned())).collect()
    };
    let mut waiting = of(context.outline, Path::new(&context.document.name()));
    while let Some((name, from)) = waiting.pop() {
        let Some(path) = files.find(&name, &from) else {
            continue;
        };
        if visited.len() >= MAX_FILES || !visited.insert(path.clone()) {
            continue;
        }
        let (Some(text), Some(uri)) = (files.text(&path), uri::from_path(&path)) else {
            continue;
        };
        let outline = Outline::new(text.as_str(), dialect);
        waiting.extend(of(&outline, &path));
        visit(&uri, &text, &outline);
    }
}

/// Lists the names of all macros.
pub(crate) fn macros(context: &Context<'_>) -> Vec<String> {
    let names = names(context);
    let macros = names
        .into_iter()
        .filter(|(_, kind)| *kind == DefinitionKind::Macro);
    macros.map(|(name, _)| name).collect()
}

/// Returns all names defined in the document and its included files, except numeric labels.
pub(crate) fn names(context: &Context<'_>) -> HashMap<String, DefinitionKind> {
    fn add(names: &mut HashMap<String, DefinitionKind>, outline: &Outline) {
        for it in &outline.definitions {
            if !it.name.starts_with(|c: char| c.is_ascii_digit()) && !it.name.is_empty() {
                names.insert(it.name.clone(), it.kind);
            }
        }
    }
    let mut names = HashMap::new();
    each_included(context, &mut |_, _, outline| add(&mut names, outline));
    add(&mut names, context.outline);
    names
}
