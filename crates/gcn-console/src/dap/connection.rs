//! Connection to a client. A thread reads the messages; responses and events are written in order.

use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use gcn_framing::{read_body, write_value};
use serde_json::{Map, Value, json};

use super::protocol::{Refusal, Request};

/// Maximum length of a message in bytes.
const MAX_MESSAGE: usize = 4 << 20;

/// Maximum number of queued messages. The reader waits while the queue is full.
const MAX_WAITING: usize = 4;

/// Input from the client.
#[derive(Debug)]
pub enum Incoming {
    /// Message body.
    Body(Vec<u8>),
    /// End of the input, with the error that caused it, if any.
    Closed(Option<io::Error>),
}

/// Result of waiting for a request.
pub enum Received {
    /// Request from the client.
    Request(Request),
    /// End of the input.
    Closed,
}

/// Connection to a client.
pub struct Connection {
    incoming: Receiver<Incoming>,
    /// Requests that were put back, in order.
    waiting: VecDeque<Request>,
    out: Box<dyn Write + Send>,
    seq: i64,
    is_closed: bool,
    has_ended: bool,
    /// Error that ended the connection.
    error: Option<io::Error>,
}

impl Connection {
    /// Creates a connection over a reader and a writer. A thread reads messages, and calls `notify` before and after it
    /// queues each one.
    ///
    /// # Errors
    /// Fails if the thread cannot be spawned.
    pub fn new(
        input: impl BufRead + Send + 'static,
        out: Box<dyn Write + Send>,
        notify: impl Fn() + Send + 'static,
    ) -> io::Result<Connection> {
        let (sender, incoming) = sync_channel(MAX_WAITING);
        thread::Builder::new()
            .name("client".to_owned())
            .spawn(move || receive(input, &sender, notify))?;
        Ok(Connection {
            incoming,
            waiting: VecDeque::new(),
            out,
            seq: 0,
            is_closed: false,
            has_ended: false,
            error: None,
        })
    }

    /// Waits for the next request.
    pub fn receive(&mut self) -> Received {
        if let Some(request) = self.waiting.pop_front() {
            return Received::Request(request);
        }
        loop {
            if self.is_closed {
                return Received::Closed;
            }
            let incoming = self.incoming.recv();
            if let Some(request) = self.take(incoming.unwrap_or(Incoming::Closed(None))) {
                return Received::Request(request);
            }
        }
    }

    /// Returns the next request or the end of the input without waiting, or `None` if neither has arrived.
    pub fn poll(&mut self) -> Option<Received> {
        if let Some(request) = self.waiting.pop_front() {
            return Some(Received::Request(request));
        }
        loop {
            if self.is_closed {
                return Some(Received::Closed);
            }
            let incoming = self.incoming.try_recv().ok()?;
            if let Some(request) = self.take(incoming) {
                return Some(Received::Request(request));
            }
        }
    }

    /// Puts a request back at the front of the queue.
    pub fn put_back(&mut self, request: Request) {
        self.waiting.push_front(request);
    }

    /// True if a request was put back and is waiting, or the client has closed its input.
    pub fn has_waiting(&self) -> bool {
        self.is_closed || !self.waiting.is_empty()
    }

    /// Closes the connection at the client's request.
    pub fn close(&mut self) {
        self.is_closed = true;
        self.has_ended = true;
    }

    /// Records that the launches have ended. The client may then disconnect.
    pub fn launches_ended(&mut self) {
        self.has_ended = true;
    }

    /// True if the launches have ended, or the client has disconnected by request.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Takes the error of the connection, if any.
    pub fn error(&mut self) -> Option<io::Error> {
        self.error.take()
    }

    /// Parses a message. Answers an invalid request with an error.
    fn take(&mut self, incoming: Incoming) -> Option<Request> {
        let body = match incoming {
            Incoming::Body(body) => body,
            Incoming::Closed(error) => {
                self.is_closed = true;
                self.error = self.error.take().or(error);
                return None;
            }
        };
        let value: Result<Value, _> = serde_json::from_slice(&body);
        let problem = match value {
            // The adapter makes no requests, so responses and events from the client are ignored.
            Ok(value) if matches!(value["type"].as_str(), Some("response" | "event")) => {
                return None;
            }
            Ok(value) => {
                let seq = value["seq"].as_i64().unwrap_or_default();
                match serde_json::from_value::<Request>(value) {
                    Ok(request) => return Some(request),
                    Err(error) => (seq, error),
                }
            }
            Err(error) => (0, error),
        };
        let (seq, error) = problem;
        let request = Request {
            seq,
            command: String::new(),
            arguments: Value::Null,
        };
        let reason = format!("the message is not a protocol request: {error}");
        self.respond(&request, Err(reason));
        None
    }

    /// Answers a request with a body, or with the reason for refusing it.
    pub fn respond(&mut self, request: &Request, result: Result<Value, Refusal>) {
        let mut message = json!({
            "type": "response",
            "request_seq": request.seq,
            "command": request.command,
            "success": result.is_ok(),
        });
        let (name, value) = match result {
            Ok(body) => ("body", body),
            Err(reason) => {
                message["message"] = json!(reason);
                // Passed as a variable, because `format` interprets braces.
                let error = json!({
                    "id": 1,
                    "format": "{reason}",
                    "variables": {"reason": reason},
                    "showUser": false,
                });
                ("body", json!({"error": error}))
            }
        };
        if !value.is_null() {
            message[name] = value;
        }
        self.send(message);
    }

    /// Sends an event to the client.
    pub fn event(&mut self, name: &str, body: Value) {
        let mut message = json!({"type": "event", "event": name});
        if !body.is_null() {
            message["body"] = body;
        }
        self.send(message);
    }

    /// Shows text to the user. Categories are `console`, `stdout`, `stderr` and `important`.
    pub fn output(&mut self, category: &str, text: &str) {
        if !text.is_empty() {
            self.event("output", json!({"category": category, "output": text}));
        }
    }

    /// Sends a message with the next sequence number.
    pub fn send(&mut self, message: Value) {
        if self.error.is_some() {
            return;
        }
        self.seq += 1;
        let mut message = match message {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        message.insert("seq".to_owned(), json!(self.seq));
        if let Err(error) = write_value(&mut self.out, &message) {
            self.error = Some(error);
            self.is_closed = true;
        }
    }
}

/// Reads messages until the end of the stream.
fn receive(mut input: impl BufRead, to: &SyncSender<Incoming>, notify: impl Fn()) {
    loop {
        let incoming = match read_body(&mut input, MAX_MESSAGE) {
            Ok(Some(body)) => Incoming::Body(body),
            Ok(None) => Incoming::Closed(None),
            Err(error) => Incoming::Closed(Some(error)),
        };
        let is_end = matches!(incoming, Incoming::Closed(_));
        // Notify before sending too, since sending blocks while the queue is full.
        notify();
        let is_sent = to.send(incoming).is_ok();
        notify();
        if is_end || !is_sent {
            return;
        }
    }
}
