//! Session state (settings, open documents and results) and request handlers.

use std::collections::HashMap;
use std::sync::Arc;

use gcn_asm::{SymbolPlace, assemble_with};
use lsp_server::ErrorCode;
use lsp_types::{
    ClientCapabilities, CompletionItem, CompletionOptions, CompletionParams,
    DidChangeTextDocumentParams, DidOpenTextDocumentParams, DocumentFormattingParams,
    DocumentRangeFormattingParams, DocumentSymbolParams, GotoDefinitionParams, HoverParams,
    HoverProviderCapability, InitializeParams, Location, MarkupKind, OneOf, Position,
    PublishDiagnosticsParams, SemanticTokens, SemanticTokensDelta, SemanticTokensDeltaParams,
    SemanticTokensFullOptions, SemanticTokensLegend, SemanticTokensOptions, SemanticTokensParams,
    SemanticTokensRangeParams, ServerCapabilities, TextDocumentPositionParams,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextEdit, Uri,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::assembled::{Assembled, Snapshot};
use crate::context::Context;
use crate::document::Document;
use crate::files::{OpenTexts, SourceFiles};
use crate::outline::Outline;
use crate::settings::Settings;
use crate::text::Encoding;
use crate::worker::{Analysis, Queue};
use crate::{completion, definition, format, hover, semantic, symbols, uri};

/// Code and message of an error response.
pub(crate) type Failure = (ErrorCode, String);

/// Capabilities of the client.
#[derive(Clone, Copy, Debug, Default)]
struct Client {
    shows_markdown: bool,
    shows_related: bool,
}

pub(crate) struct Session {
    client: Client,
    encoding: Encoding,
    settings: Arc<Settings>,
    /// Open documents, by URI.
    documents: HashMap<String, Document>,
    /// Latest assembly of each document, by URI.
    assembled: HashMap<String, Arc<Assembled>>,
    /// Messages of the assembler diagnostics that the client shows, by URI.
    shown_errors: HashMap<String, Vec<String>>,
    /// Semantic tokens last sent to the client, with their result IDs, by URI.
    tokens: HashMap<String, (u64, SemanticTokens)>,
    token_results: u64,
    queue: Queue,
}

/// Deserializes the parameters of a request or a notification.
///
/// # Errors
/// Fails if the parameters have the wrong structure. The message says where.
pub(crate) fn params<P: DeserializeOwned>(value: Value) -> Result<P, Failure> {
    serde_json::from_value(value).map_err(|error| (ErrorCode::InvalidParams, error.to_string()))
}

/// Serializes the result of a request to JSON text.
pub(crate) fn answer(value: impl Serialize) -> Result<Box<RawValue>, Failure> {
    to_raw_value(&value).map_err(|error| (ErrorCode::InternalError, error.to_string()))
}

impl Session {
    pub(crate) fn new(queue: Queue) -> Session {
        Session {
            client: Client::default(),
            encoding: Encoding::default(),
            settings: Arc::default(),
            documents: HashMap::new(),
            assembled: HashMap::new(),
            shown_errors: HashMap::new(),
            tokens: HashMap::new(),
            token_results: 0,
            queue,
        }
    }

    /// Handles `initialize`. Returns the response, and warnings about invalid settings.
    pub(crate) fn initialize(
        &mut self,
        value: Value,
    ) -> Result<(Box<RawValue>, Vec<String>), Failure> {
        let params: InitializeParams = params(value)?;
        let ClientCapabilities {
            general,
            text_document,
            ..
        } = params.capabilities;
        let encodings = general.and_then(|general| general.position_encodings);
        self.encoding = Encoding::negotiate(encodings.as_deref());
        let text_document = text_document.unwrap_or_default();
        let formats = text_document.hover.and_then(|hover| hover.content_format);
        let publish = text_document.publish_diagnostics.unwrap_or_default();
        self.client = Client {
            shows_markdown: formats.is_some_and(|formats| formats.contains(&MarkupKind::Markdown)),
            shows_related: publish.related_information.unwrap_or(false),
        };
        let problems = self.configure(&params.initialization_options.unwrap_or_default());
        let result = answer(json!({
            "capabilities": capabilities(self.encoding),
            "serverInfo": { "name": "gcn lsp", "version": env!("CARGO_PKG_VERSION") },
        }))?;
        Ok((result, problems))
    }

    /// Applies settings, which may be nested in a `gcn` section. Returns warnings about invalid settings.
    pub(crate) fn configure(&mut self, value: &Value) -> Vec<String> {
        let (settings, problems) = Settings::read(value.get("gcn").unwrap_or(value));
        self.settings = Arc::new(settings);
        self.documents
            .values_mut()
            .for_each(Document::discard_derived);
        let all: Vec<String> = self.documents.keys().cloned().collect();
        all.iter().for_each(|uri| self.analyze(uri));
        problems
    }

    pub(crate) fn open(&mut self, params: DidOpenTextDocumentParams) {
        let document = params.text_document;
        let uri = document.uri.as_str().to_owned();
        let opened = Document::new(document.uri, document.version, document.text);
        self.documents.insert(uri.clone(), opened);
        self.changed(&uri);
    }

    pub(crate) fn change(&mut self, params: DidChangeTextDocumentParams) {
        let uri = params.text_document.uri.as_str().to_owned();
        // Ignore edits to documents that are not open.
        if let Some(document) = self.documents.get_mut(&uri) {
            document.edit(
                params.text_document.version,
                params.content_changes,
                self.encoding,
            );
            self.changed(&uri);
        }
    }

    /// Closes a document and clears its diagnostics.
    pub(crate) fn close(&mut self, uri: &Uri) -> Option<PublishDiagnosticsParams> {
        let key = uri.as_str();
        self.documents.remove(key)?;
        self.assembled.remove(key);
        self.shown_errors.remove(key);
        self.tokens.remove(key);
        self.includers_changed(key);
        Some(PublishDiagnosticsParams::new(uri.clone(), Vec::new(), None))
    }

    /// Reassembles all documents that include files, after files changed on disk.
    pub(crate) fn files_changed(&mut self) {
        self.includers_changed("");
    }

    fn changed(&mut self, uri: &str) {
        self.analyze(uri);
        self.includers_changed(uri);
    }

    /// Reassembles all documents that include files, except the given one.
    fn includers_changed(&mut self, uri: &str) {
        let others = self.documents.iter().filter(|(other, _)| *other != uri);
        let includes =
            |document: &Document| !document.outline(&self.settings).inclusions.is_empty();
        let others = others.filter(|(_, document)| includes(document));
        let others: Vec<String> = others.map(|(uri, _)| uri.clone()).collect();
        others.iter().for_each(|uri| self.analyze(uri));
    }

    fn analyze(&self, uri: &str) {
        if let Some(document) = self.documents.get(uri) {
            self.queue.push(self.snapshot(document));
        }
    }

    fn open_texts(&self) -> OpenTexts {
        let documents = self.documents.values();
        let texts = documents
            .filter_map(|document| Some((document.path.clone()?, Arc::clone(&document.text))));
        texts.collect()
    }

    fn snapshot(&self, document: &Document) -> Snapshot {
        Snapshot {
            uri: document.uri.clone(),
            name: document.name(),
            version: document.version,
            text: Arc::clone(&document.text),
            settings: Arc::clone(&self.settings),
            open: Arc::new(self.open_texts()),
            encoding: self.encoding,
        }
    }

    /// Stores a result and returns the diagnostics to publish, if any. Ignores results for closed or edited documents.
    pub(crate) fn analyzed(&mut self, analysis: Analysis) -> Option<PublishDiagnosticsParams> {
        let Analysis {
            assembled,
            mut diagnostics,
            is_complete,
        } = analysis;
        let snapshot = &assembled.snapshot;
        let document = self.documents.get(snapshot.uri.as_str())?;
        if document.version != snapshot.version || document.text != snapshot.text {
            return None;
        }
        let key = snapshot.uri.as_str().to_owned();
        // Keep showing the old findings until the new ones are known, unless the errors have changed.
        let messages: Vec<String> = diagnostics.iter().map(|it| it.message.clone()).collect();
        if !is_complete {
            let shown = self.shown_errors.insert(key.clone(), messages.clone());
            if shown.unwrap_or_default() == messages {
                self.assembled.insert(key, assembled);
                return None;
            }
        } else if assembled.object.is_none() {
            self.shown_errors.insert(key.clone(), messages);
        }
        if !self.client.shows_related {
            for found in &mut diagnostics {
                for related in found.related_information.take().unwrap_or_default() {
                    let line = related.location.range.start.line + 1;
                    let at = related.location.uri.as_str();
                    let place = match uri::to_path(at) {
                        _ if at == snapshot.uri.as_str() => format!("line {line}"),
                        Some(path) => format!("{}:{line}", path.display()),
                        None => format!("{at}:{line}"),
                    };
                    found
                        .message
                        .push_str(&format!("\nnote: {} ({place})", related.message));
                }
            }
        }
        let published = PublishDiagnosticsParams::new(
            snapshot.uri.clone(),
            diagnostics,
            Some(snapshot.version),
        );
        self.assembled
            .insert(snapshot.uri.as_str().to_owned(), assembled);
        Some(published)
    }

    fn document(&self, uri: &Uri) -> Result<&Document, Failure> {
        self.documents.get(uri.as_str()).ok_or_else(|| {
            let message = format!("{} is not open", uri.as_str());
            (ErrorCode::InvalidParams, message)
        })
    }

    /// Handles a request.
    ///
    /// # Errors
    /// Fails if the parameters are invalid, the document is not open, or the method is unknown.
    pub(crate) fn request(&mut self, method: &str, value: Value) -> Result<Box<RawValue>, Failure> {
        match method {
            "textDocument/hover" => {
                let params: HoverParams = params(value)?;
                let at = params.text_document_position_params;
                let assembled = self.assembled_now(&at.text_document.uri)?;
                let kind = match self.client.shows_markdown {
                    true => MarkupKind::Markdown,
                    false => MarkupKind::PlainText,
                };
                self.at(&at, |context| {
                    answer(hover::hover(context, assembled.as_deref(), kind))
                })
            }
            "textDocument/completion" => {
                let params: CompletionParams = params(value)?;
                self.at(&params.text_document_position, |context| {
                    answer(completion::complete(context))
                })
            }
            "completionItem/resolve" => {
                let item: CompletionItem = params(value)?;
                answer(completion::resolve(item))
            }
            "textDocument/definition" => {
                let params: GotoDefinitionParams = params(value)?;
                self.at(&params.text_document_position_params, |context| {
                    let found = definition::find(context);
                    let places: Vec<Location> = found
                        .iter()
                        .map(|it| it.location(context.encoding))
                        .collect();
                    answer(places)
                })
            }
            "textDocument/documentSymbol" => {
                let params: DocumentSymbolParams = params(value)?;
                let document = self.document(&params.text_document.uri)?;
                answer(symbols::symbols(
                    document,
                    document.outline(&self.settings),
                    self.encoding,
                ))
            }
            "textDocument/semanticTokens/full" => {
                let params: SemanticTokensParams = params(value)?;
                answer(self.tokens(&params.text_document.uri)?)
            }
            "textDocument/semanticTokens/full/delta" => {
                let params: SemanticTokensDeltaParams = params(value)?;
                self.tokens_delta(&params)
            }
            "textDocument/semanticTokens/range" => {
                let params: SemanticTokensRangeParams = params(value)?;
                let at = start_of(&params.text_document.uri);
                let lines = (params.range.start.line, params.range.end.line);
                self.at(&at, |context| {
                    answer(semantic::tokens(context, Some(lines)))
                })
            }
            "textDocument/formatting" => {
                let params: DocumentFormattingParams = params(value)?;
                answer(self.format(&params)?)
            }
            "textDocument/rangeFormatting" => {
                let params: DocumentRangeFormattingParams = params(value)?;
                let range = params.range;
                let whole = DocumentFormattingParams {
                    text_document: params.text_document,
                    options: params.options,
                    work_done_progress_params: params.work_done_progress_params,
                };
                let mut edits = self.format(&whole)?;
                edits.retain(|edit| range.start <= edit.range.start && edit.range.end <= range.end);
                answer(edits)
            }
            _ => Err((ErrorCode::MethodNotFound, format!("`{method}` is unknown"))),
        }
    }

    /// Calls a function with the context for a position.
    fn at<T>(
        &self,
        place: &TextDocumentPositionParams,
        then: impl FnOnce(&Context<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let document = self.document(&place.text_document.uri)?;
        let open = self.open_texts();
        then(&Context {
            document,
            settings: &self.settings,
            open: &open,
            encoding: self.encoding,
            outline: document.outline(&self.settings),
            isa: document.source(&self.settings).target.isa,
            offset: document.text.offset(place.position, self.encoding),
        })
    }

    /// Returns the assembly of a document if it is up to date.
    fn assembled_now(&self, uri: &Uri) -> Result<Option<Arc<Assembled>>, Failure> {
        let document = self.document(uri)?;
        let assembled = self.assembled.get(uri.as_str());
        let is_current = |it: &&Arc<Assembled>| {
            it.snapshot.version == document.version
                && Arc::ptr_eq(&it.snapshot.text, &document.text)
        };
        Ok(assembled.filter(is_current).cloned())
    }

    /// Classifies the tokens of a document, and stores them for the next delta.
    fn tokens(&mut self, uri: &Uri) -> Result<&SemanticTokens, Failure> {
        let mut tokens = self.at(&start_of(uri), |context| {
            Ok(semantic::tokens(context, None))
        })?;
        self.token_results += 1;
        tokens.result_id = Some(self.token_results.to_string());
        let entry = self.tokens.entry(uri.as_str().to_owned());
        let (_, tokens) = entry.insert_entry((self.token_results, tokens)).into_mut();
        Ok(&*tokens)
    }

    fn tokens_delta(
        &mut self,
        params: &SemanticTokensDeltaParams,
    ) -> Result<Box<RawValue>, Failure> {
        let uri = &params.text_document.uri;
        let known = self.tokens.remove(uri.as_str());
        let tokens = self.tokens(uri)?;
        match known.filter(|(number, _)| number.to_string() == params.previous_result_id) {
            Some((_, old)) => answer(SemanticTokensDelta {
                edits: semantic::difference(&old.data, &tokens.data),
                result_id: tokens.result_id.clone(),
            }),
            None => answer(tokens),
        }
    }

    /// Returns the edits that format a document.
    ///
    /// # Errors
    /// Fails if the document is not open, or (a bug in this server) if the formatted text would assemble differently.
    fn format(&self, params: &DocumentFormattingParams) -> Result<Vec<TextEdit>, Failure> {
        let document = self.document(&params.text_document.uri)?;
        let settings = &self.settings;
        let outline: &Outline = document.outline(settings);
        let text = document.text.as_str();
        let changes = format::changes(text, outline, settings, &params.options);
        let formatted = format::apply(text, &changes);
        let snapshot = self.snapshot(document);
        if assembles_to(&snapshot, text) != assembles_to(&snapshot, &formatted) {
            let message = format!(
                "formatting would change what {} is assembled to; nothing is changed",
                snapshot.name
            );
            return Err((ErrorCode::RequestFailed, message));
        }
        Ok(format::edits(&document.text, changes, self.encoding))
    }
}

/// Assembly output that formatting must preserve.
#[derive(PartialEq)]
struct Output {
    sections: Vec<(String, Vec<u8>)>,
    symbols: Vec<(String, SymbolPlace)>,
    kernels: Vec<String>,
    metadata: Option<String>,
    errors: Vec<&'static str>,
}

fn assembles_to(snapshot: &Snapshot, text: &str) -> Output {
    let source = snapshot.settings.of_source(text);
    let files = SourceFiles::new(&snapshot.settings.directories, &snapshot.open);
    let named = gcn_asm::Source {
        name: &snapshot.name,
        text,
    };
    let assembly = assemble_with(&named, &snapshot.settings.options(source), &files);
    let program = assembly.program;
    let kernels = program.kernels.iter();
    Output {
        kernels: kernels
            .map(|kernel| format!("{} {:?}", kernel.name, kernel.descriptor))
            .collect(),
        metadata: program.metadata.map(|metadata| metadata.yaml),
        symbols: program
            .symbols
            .into_iter()
            .map(|it| (it.name, it.place))
            .collect(),
        sections: program
            .sections
            .into_iter()
            .map(|it| (it.name, it.bytes))
            .collect(),
        errors: assembly.diagnostics.iter().map(|it| it.name()).collect(),
    }
}

/// Returns the position at the start of a document.
fn start_of(uri: &Uri) -> TextDocumentPositionParams {
    TextDocumentPositionParams {
        text_document: lsp_types::TextDocumentIdentifier::new(uri.clone()),
        position: Position::new(0, 0),
    }
}

fn capabilities(encoding: Encoding) -> ServerCapabilities {
    let tokens = SemanticTokensOptions {
        legend: SemanticTokensLegend {
            token_types: semantic::TYPES.to_vec(),
            token_modifiers: semantic::MODIFIERS.to_vec(),
        },
        range: Some(true),
        full: Some(SemanticTokensFullOptions::Delta { delta: Some(true) }),
        ..SemanticTokensOptions::default()
    };
    ServerCapabilities {
        position_encoding: Some(encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Kind(
            TextDocumentSyncKind::INCREMENTAL,
        )),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            resolve_provider: Some(true),
            trigger_characters: Some([".", ",", " ", "[", ":"].map(str::to_owned).to_vec()),
            ..CompletionOptions::default()
        }),
        definition_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        semantic_tokens_provider: Some(tokens.into()),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_range_formatting_provider: Some(OneOf::Left(true)),
        ..ServerCapabilities::default()
    }
}
