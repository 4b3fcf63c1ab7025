//! Server loop: client messages and worker results arrive in a single queue and are handled in order.
//!
//! One thread reads messages, another assembles documents, and the main thread does the rest. Edits are applied
//! immediately and the new version goes to the worker, so only formatting requests wait for assembly. Requests
//! cancelled while they are queued are answered with an error.

use std::collections::{HashSet, VecDeque};
use std::io::{self, BufRead, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use gcn_framing::write_value;
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response, ResponseError};
use lsp_types::{
    CancelParams, DidChangeConfigurationParams, DidCloseTextDocumentParams, MessageType,
    NumberOrString, ShowMessageParams,
};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::session::{Failure, Session, answer, params};
use crate::transport::{self, IncomingMessage};
use crate::worker::{self, Analysis, Queue};

/// Reason why a session ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SessionEnd {
    /// The client sent `shutdown` and then `exit`.
    Requested,
    /// The client sent `exit` without `shutdown`, or closed the stream.
    Abandoned,
}

/// Stack size of the worker thread, in bytes.
const STACK: usize = 8 << 20;

/// Event handled by the server loop.
enum Event {
    Received(IncomingMessage),
    Analyzed(Box<Analysis>),
    /// The stream ended or could not be read.
    Closed(io::Result<()>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Created,
    Initialized,
    ShutDown,
}

/// Runs a session until the client ends it.
///
/// # Errors
/// Fails if a stream cannot be read or written, a header is malformed, or the host cannot create a thread.
pub fn serve(
    input: impl BufRead + Send + 'static,
    output: &mut dyn Write,
) -> io::Result<SessionEnd> {
    let (sender, events) = channel();
    let queue = Queue::default();
    // Neither thread is joined: the reader may be blocked on an idle client, and the assembler may still be working on
    // a source whose result is not needed.
    thread::Builder::new()
        .name("assembler".to_owned())
        .stack_size(STACK)
        .spawn({
            let (sender, queue) = (sender.clone(), queue.clone());
            move || {
                let finished = |analysis| {
                    // The receiver is gone after the session ends.
                    let _ = sender.send(Event::Analyzed(Box::new(analysis)));
                };
                worker::run(&queue, &finished);
            }
        })?;
    thread::Builder::new()
        .name("reader".to_owned())
        .spawn(move || receive(input, &sender))?;
    let mut server = Server {
        session: Session::new(queue.clone()),
        phase: Phase::Created,
        output,
        events,
        waiting: VecDeque::new(),
        cancelled: HashSet::new(),
    };
    let ending = server.run();
    queue.close();
    ending
}

/// Forwards messages to the server loop until the end of the stream.
fn receive(mut input: impl BufRead, events: &Sender<Event>) {
    let end = loop {
        match transport::read(&mut input) {
            Ok(Some(received)) => {
                if events.send(Event::Received(received)).is_err() {
                    return;
                }
            }
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    let _ = events.send(Event::Closed(end));
}

struct Server<'a> {
    session: Session,
    phase: Phase,
    output: &'a mut dyn Write,
    events: Receiver<Event>,
    /// Queued events, in order of arrival.
    waiting: VecDeque<Event>,
    /// IDs of cancelled requests that are still queued.
    cancelled: HashSet<RequestId>,
}

impl Server<'_> {
    fn run(&mut self) -> io::Result<SessionEnd> {
        loop {
            match self.next() {
                Event::Received(IncomingMessage::Malformed(reason)) => {
                    self.send_error(None, ErrorCode::ParseError, reason)?;
                }
                Event::Received(IncomingMessage::Message(Message::Request(request))) => {
                    self.request(request)?
                }
                Event::Received(IncomingMessage::Message(Message::Notification(notification))) => {
                    if notification.method == "exit" {
                        return Ok(match self.phase {
                            Phase::ShutDown => SessionEnd::Requested,
                            Phase::Created | Phase::Initialized => SessionEnd::Abandoned,
                        });
                    }
                    self.notification(notification)?;
                }
                // The server sends no requests.
                Event::Received(IncomingMessage::Message(Message::Response(_))) => {}
                Event::Analyzed(analysis) => {
                    if let Some(published) = self.session.analyzed(*analysis) {
                        self.notify("textDocument/publishDiagnostics", published)?;
                    }
                }
                Event::Closed(result) => return result.map(|()| SessionEnd::Abandoned),
            }
        }
    }

    /// Returns the next event, after recording all cancellations that have arrived.
    fn next(&mut self) -> Event {
        loop {
            while let Ok(event) = self.events.try_recv() {
                self.enqueue(event);
            }
            if let Some(event) = self.waiting.pop_front() {
                return event;
            }
            match self.events.recv() {
                Ok(event) => self.enqueue(event),
                // Unreachable: the worker holds a sender while this loop runs.
                Err(_) => return Event::Closed(Ok(())),
            }
        }
    }

    /// Queues an event. A cancellation is recorded only if its request is still queued.
    fn enqueue(&mut self, event: Event) {
        if let Event::Received(IncomingMessage::Message(Message::Notification(notification))) =
            &event
            && notification.method == "$/cancelRequest"
            && let Ok(CancelParams { id }) = params(notification.params.clone())
        {
            let id = match id {
                NumberOrString::Number(id) => RequestId::from(id),
                NumberOrString::String(id) => RequestId::from(id),
            };
            let is_it = |event: &Event| matches!(event, Event::Received(IncomingMessage::Message(Message::Request(request))) if request.id == id);
            // An answered request cannot be cancelled.
            if self.waiting.iter().any(is_it) {
                self.cancelled.insert(id);
            }
            return;
        }
        self.waiting.push_back(event);
    }

    fn request(&mut self, request: Request) -> io::Result<()> {
        let Request { id, method, params } = request;
        if self.cancelled.remove(&id) {
            return self.send_error(
                Some(id),
                ErrorCode::RequestCanceled,
                "the client cancelled it".to_owned(),
            );
        }
        let result = match (self.phase, method.as_str()) {
            (Phase::Created, "initialize") => match self.session.initialize(params) {
                Ok((result, problems)) => {
                    self.phase = Phase::Initialized;
                    self.respond(id, Ok(result))?;
                    return self.warn(problems);
                }
                Err(failure) => Err(failure),
            },
            (Phase::Created, _) => Err((
                ErrorCode::ServerNotInitialized,
                "`initialize` must come first".to_owned(),
            )),
            (Phase::Initialized, "shutdown") => {
                self.phase = Phase::ShutDown;
                answer(())
            }
            (Phase::Initialized, "initialize") | (Phase::ShutDown, _) => Err((
                ErrorCode::InvalidRequest,
                format!("`{method}` is not allowed now"),
            )),
            (Phase::Initialized, method) => self.session.request(method, params),
        };
        self.respond(id, result)
    }

    /// Handles a notification. Ignores unknown notifications, and warns of invalid ones.
    fn notification(&mut self, notification: Notification) -> io::Result<()> {
        if self.phase != Phase::Initialized {
            return Ok(());
        }
        let value = notification.params;
        match notification.method.as_str() {
            "textDocument/didOpen" => self.with(value, |session, params| {
                session.open(params);
                None
            }),
            "textDocument/didChange" => self.with(value, |session, params| {
                session.change(params);
                None
            }),
            "textDocument/didClose" => {
                self.with(value, |session, params: DidCloseTextDocumentParams| {
                    session.close(&params.text_document.uri)
                })
            }
            "workspace/didChangeWatchedFiles" | "textDocument/didSave" => {
                self.session.files_changed();
                Ok(())
            }
            "workspace/didChangeConfiguration" => {
                match params::<DidChangeConfigurationParams>(value) {
                    Ok(params) => {
                        // Clients that expect the server to request settings send null.
                        let problems = match params.settings {
                            Value::Null => Vec::new(),
                            settings => self.session.configure(&settings),
                        };
                        self.warn(problems)
                    }
                    Err(failure) => self.warn(vec![failure.1]),
                }
            }
            _ => Ok(()),
        }
    }

    fn with<P: serde::de::DeserializeOwned>(
        &mut self,
        value: Value,
        then: impl FnOnce(&mut Session, P) -> Option<lsp_types::PublishDiagnosticsParams>,
    ) -> io::Result<()> {
        match params(value) {
            Ok(params) => match then(&mut self.session, params) {
                Some(published) => self.notify("textDocument/publishDiagnostics", published),
                None => Ok(()),
            },
            Err((_, message)) => self.warn(vec![message]),
        }
    }

    /// Shows warnings in the client.
    fn warn(&mut self, problems: Vec<String>) -> io::Result<()> {
        for message in problems {
            let params = ShowMessageParams {
                typ: MessageType::WARNING,
                message,
            };
            self.notify("window/showMessage", params)?;
        }
        Ok(())
    }

    fn notify(&mut self, method: &str, params: impl serde::Serialize) -> io::Result<()> {
        let params = serde_json::to_value(params)?;
        let method = method.to_owned();
        self.send(&Message::Notification(Notification { method, params }))
    }

    fn respond(&mut self, id: RequestId, result: Result<Box<RawValue>, Failure>) -> io::Result<()> {
        match result {
            Ok(result) => transport::write_result(self.output, &id, &result),
            Err((code, message)) => self.send_error(Some(id), code, message),
        }
    }

    /// Sends an error response, with a null ID if the request's ID could not be read.
    fn send_error(
        &mut self,
        id: Option<RequestId>,
        code: ErrorCode,
        message: String,
    ) -> io::Result<()> {
        let error = ResponseError {
            code: code as i32,
            message,
            data: None,
        };
        match id {
            Some(id) => self.send(&Message::Response(Response {
                id,
                response_result: Err(error),
            })),
            None => write_value(
                self.output,
                &json!({"jsonrpc": "2.0", "id": null, "error": error}),
            ),
        }
    }

    fn send(&mut self, message: &Message) -> io::Result<()> {
        transport::write(self.output, message)
    }
}
