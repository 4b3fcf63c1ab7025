//! Client of the language server, which sends messages and waits for responses and notifications.

use std::collections::VecDeque;
use std::io::{BufRead, Write};

use serde::Deserialize;
use serde_json::{Value, json};

/// URI of the document in most tests.
pub const URI: &str = "file:///nowhere/kernel.s";

pub struct Client<W, R> {
    pub to: W,
    pub from: R,
    next: i32,
    /// Notifications that were received but not awaited yet.
    notified: VecDeque<Value>,
}

impl<W: Write, R: BufRead> Client<W, R> {
    pub fn new(to: W, from: R) -> Client<W, R> {
        Client {
            to,
            from,
            next: 0,
            notified: VecDeque::new(),
        }
    }

    /// Sends bytes, which need not be valid, as a message.
    pub fn send_bytes(&mut self, body: &[u8]) {
        write!(self.to, "Content-Length: {}\r\n\r\n", body.len()).expect("the server reads");
        self.to.write_all(body).expect("the server reads");
        self.to.flush().expect("the server reads");
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        self.send_bytes(message.to_string().as_bytes());
    }

    /// Sends a request, and returns the whole response.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let body = self.ask_bytes(method, params);
        serde_json::from_slice(&body).expect("JSON")
    }

    /// Sends a request, and returns the whole response as text.
    pub fn ask_bytes(&mut self, method: &str, params: Value) -> Vec<u8> {
        #[derive(Deserialize)]
        struct Head {
            id: Option<Value>,
        }
        self.next += 1;
        let id = self.next;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send_bytes(message.to_string().as_bytes());
        loop {
            let body = self.receive_bytes().expect("an answer");
            let head: Head = serde_json::from_slice(&body).expect("JSON");
            if head.id.is_some_and(|it| it == id) {
                return body;
            }
            let message = serde_json::from_slice(&body).expect("JSON");
            self.notified.push_back(message);
        }
    }

    /// Sends a request that must succeed, and returns the result.
    #[track_caller]
    pub fn result(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.ask(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    /// Receives the next message; `None` at the end.
    pub fn receive(&mut self) -> Option<Value> {
        let body = self.receive_bytes()?;
        Some(serde_json::from_slice(&body).expect("JSON"))
    }

    fn receive_bytes(&mut self) -> Option<Vec<u8>> {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if self.from.read_line(&mut line).expect("a header") == 0 {
                return None;
            }
            let line = line.strip_suffix("\r\n").expect("a line of a header");
            if line.is_empty() {
                break;
            }
            let value = line.strip_prefix("Content-Length: ").expect("a header");
            length = value.parse().expect("a length");
        }
        let mut body = vec![0; length];
        self.from.read_exact(&mut body).expect("a body");
        Some(body)
    }

    /// Waits for a notification that `accepts` returns true for, and returns its parameters. Others are kept for
    /// later.
    pub fn wait_for(&mut self, method: &str, accepts: impl Fn(&Value) -> bool) -> Value {
        let is_it = |message: &Value| message["method"] == method && accepts(&message["params"]);
        if let Some(index) = self.notified.iter().position(is_it) {
            let message = self.notified.remove(index).expect("it is there");
            return message["params"].clone();
        }
        loop {
            let message = self.receive().expect("a notification");
            if is_it(&message) {
                return message["params"].clone();
            }
            self.notified.push_back(message);
        }
    }

    /// Starts the session with initialisation options, and returns the server's capabilities.
    pub fn initialize(&mut self, options: Value) -> Value {
        let capabilities = json!({
            "general": {"positionEncodings": ["utf-16"]},
            "textDocument": {
                "hover": {"contentFormat": ["markdown"]},
                "publishDiagnostics": {"relatedInformation": true},
            },
        });
        let params = json!({"capabilities": capabilities, "initializationOptions": options});
        let result = self.result("initialize", params);
        self.notify("initialized", json!({}));
        result
    }

    pub fn open(&mut self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "gcn", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    /// Replaces a range (start line and character, end line and character), or the whole document.
    pub fn change(&mut self, uri: &str, version: i32, range: Option<[u32; 4]>, text: &str) {
        let mut change = json!({"text": text});
        if let Some([line, character, end_line, end]) = range {
            change["range"] = json!({
                "start": {"line": line, "character": character},
                "end": {"line": end_line, "character": end},
            });
        }
        let params = json!({
            "textDocument": {"uri": uri, "version": version},
            "contentChanges": [change],
        });
        self.notify("textDocument/didChange", params);
    }

    /// Diagnostics of a version of a document.
    pub fn diagnostics(&mut self, uri: &str, version: i32) -> Vec<Value> {
        let is_it = |params: &Value| params["uri"] == uri && params["version"] == version;
        let params = self.wait_for("textDocument/publishDiagnostics", is_it);
        params["diagnostics"].as_array().expect("a list").clone()
    }

    /// Sends a request about a position in a document.
    #[track_caller]
    pub fn at(&mut self, method: &str, uri: &str, line: u32, character: u32) -> Value {
        self.result(method, json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}))
    }
}
