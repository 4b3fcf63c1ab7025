//! Client of `gcn debug --dap`, which sends requests and waits for responses and events.

use std::collections::VecDeque;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// Time limit of a session, after which it is killed.
const LONGEST: Duration = Duration::from_secs(120);

pub struct Client {
    process: Arc<Mutex<Child>>,
    to: Option<Box<dyn Write + Send>>,
    from: Box<dyn BufRead + Send>,
    /// Ends the thread that kills hanging sessions when dropped.
    _watchdog: mpsc::Sender<()>,
    seq: i64,
    last_seq: i64,
    events: VecDeque<Value>,
    /// Directory of the session's files.
    pub directory: TempDir,
}

impl Client {
    /// Starts `gcn debug` in a directory with a kernel of `tests/`, stripped of its expectations, and its launch file
    /// `launch.toml`.
    pub fn start(kernel: &str, arguments: &[&str]) -> Client {
        let directory = tempfile::tempdir().expect("a directory");
        prepare(directory.path(), kernel);
        let mut process = command(directory.path(), arguments)
            .spawn()
            .expect("gcn starts");
        let to = Box::new(process.stdin.take().expect("a pipe"));
        let from = Box::new(BufReader::new(process.stdout.take().expect("a pipe")));
        Client::new(directory, process, to, from)
    }

    pub fn new(
        directory: TempDir,
        process: Child,
        to: Box<dyn Write + Send>,
        from: Box<dyn BufRead + Send>,
    ) -> Client {
        let process = Arc::new(Mutex::new(process));
        let (watchdog, ended) = mpsc::channel();
        let watched = process.clone();
        thread::spawn(move || {
            if ended.recv_timeout(LONGEST) == Err(RecvTimeoutError::Timeout) {
                let _ = watched
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .kill();
            }
        });
        Client {
            process,
            to: Some(to),
            from,
            _watchdog: watchdog,
            seq: 0,
            last_seq: 0,
            events: VecDeque::new(),
            directory,
        }
    }

    /// Sends bytes that need not be a valid message.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let to = self.to.as_mut().expect("the input is open");
        // The adapter may have ended already.
        let _ = to.write_all(bytes).and_then(|()| to.flush());
    }

    /// Closes the adapter's input.
    pub fn close(&mut self) {
        self.to = None;
    }

    /// Sends a request, and returns its number.
    pub fn send(&mut self, command: &str, arguments: Value) -> i64 {
        self.seq += 1;
        let mut message = json!({"seq": self.seq, "type": "request", "command": command});
        if !arguments.is_null() {
            message["arguments"] = arguments;
        }
        let body = message.to_string();
        let message = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        self.send_bytes(message.as_bytes());
        self.seq
    }

    /// Receives the next message; `None` at the end.
    pub fn receive(&mut self) -> Option<Value> {
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
        let message: Value = serde_json::from_slice(&body).expect("JSON");
        let seq = message["seq"].as_i64().expect("a number");
        assert_eq!(seq, self.last_seq + 1, "messages are numbered");
        self.last_seq = seq;
        Some(message)
    }

    /// Waits for the response to a request.
    pub fn response(&mut self, seq: i64) -> Value {
        loop {
            let message = self.receive().expect("a response");
            if message["type"] == "response" {
                assert_eq!(message["request_seq"], seq, "{message}");
                return message;
            }
            self.events.push_back(message);
        }
    }

    /// Sends a request that must succeed, and returns the body of the response.
    #[track_caller]
    pub fn ask(&mut self, command: &str, arguments: Value) -> Value {
        let seq = self.send(command, arguments);
        let mut response = self.response(seq);
        assert_eq!(response["success"], true, "{response}");
        assert_eq!(response["command"], command, "{response}");
        response["body"].take()
    }

    /// Sends a request that must be refused, and returns the reason.
    #[track_caller]
    pub fn refused(&mut self, command: &str, arguments: Value) -> String {
        let seq = self.send(command, arguments);
        let response = self.response(seq);
        assert_eq!(response["success"], false, "{response}");
        let reason = response["message"].as_str().expect("a reason").to_owned();
        let error = &response["body"]["error"];
        assert_eq!(error["variables"]["reason"], reason, "{response}");
        reason
    }

    /// Waits for the next event.
    pub fn next_event(&mut self) -> Value {
        match self.events.pop_front() {
            Some(message) => message,
            None => self.receive().expect("an event"),
        }
    }

    /// Waits for an event, skipping others, and returns its body.
    pub fn event(&mut self, name: &str) -> Value {
        loop {
            let message = self.next_event();
            if message["event"] == name {
                return message["body"].clone();
            }
        }
    }

    /// Waits for the next stop, which must have this reason.
    #[track_caller]
    pub fn stopped(&mut self, reason: &str) -> Value {
        let stop = self.event("stopped");
        assert_eq!(stop["reason"], reason, "{stop}");
        assert_eq!(stop["allThreadsStopped"], true, "{stop}");
        stop
    }

    /// Sends a request that resumes execution, and waits for the stop.
    #[track_caller]
    pub fn go(&mut self, command: &str, thread: &Value, reason: &str) -> Value {
        self.ask(command, json!({"threadId": thread}));
        self.stopped(reason)
    }

    /// Initialises and launches, up to the event after which breakpoints can be set.
    pub fn launch(&mut self, arguments: Value) -> Value {
        let features = self.ask("initialize", json!({"adapterID": "gcn"}));
        let mut all = json!({"program": "launch.toml"});
        for (key, value) in arguments.as_object().expect("an object") {
            all[key] = value.clone();
        }
        self.ask("launch", all);
        self.event("initialized");
        features
    }

    /// Innermost frame of a wave.
    #[track_caller]
    pub fn frame(&mut self, thread: &Value) -> Value {
        let stack = self.ask("stackTrace", json!({"threadId": thread}));
        stack["stackFrames"][0].clone()
    }

    /// Variables in a scope of a wave, with the reference of the scope.
    #[track_caller]
    pub fn scope(&mut self, thread: &Value, name: &str) -> (Value, Vec<Value>) {
        let frame = self.frame(thread)["id"].clone();
        let scopes = self.ask("scopes", json!({"frameId": frame}));
        let scopes = scopes["scopes"].as_array().expect("a list");
        let scope = scopes.iter().find(|scope| scope["name"] == name);
        let reference = scope.expect("the scope")["variablesReference"].clone();
        let variables = self.variables(&reference);
        (reference, variables)
    }

    /// Children of a scope or a variable.
    #[track_caller]
    pub fn variables(&mut self, reference: &Value) -> Vec<Value> {
        let found = self.ask("variables", json!({"variablesReference": reference}));
        found["variables"].as_array().expect("a list").clone()
    }

    /// Evaluates an expression.
    #[track_caller]
    pub fn value(&mut self, expression: &str) -> String {
        let found = self.ask("evaluate", json!({"expression": expression}));
        found["result"].as_str().expect("text").to_owned()
    }

    /// Sends a signal to the process.
    pub fn signal(&self, name: &str) {
        let process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        let mut kill = Command::new("kill");
        let status = kill.args(["-s", name, &process.id().to_string()]).status();
        assert!(status.expect("kill starts").success());
    }

    /// Closes the adapter's input, and waits until it exits. Returns the exit status and standard error.
    pub fn end(mut self) -> (ExitStatus, String) {
        self.to = None;
        while self.receive().is_some() {}
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        let mut said = String::new();
        let mut stderr = process.stderr.take().expect("a pipe");
        stderr.read_to_string(&mut said).expect("text");
        (process.wait().expect("it ends"), said)
    }

    /// Disconnects and checks that the session ended successfully.
    #[track_caller]
    pub fn ends_well(mut self) {
        self.ask("disconnect", json!({}));
        let (status, said) = self.end();
        assert!(status.success() && said.is_empty(), "{status} {said}");
    }
}

/// Writes a kernel of `tests/` and its launch file.
pub fn prepare(directory: &Path, kernel: &str) {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let text = fs::read_to_string(tests.join(kernel)).expect("the kernel is there");
    let launch: String = text
        .lines()
        .filter_map(|line| line.strip_prefix("//! "))
        .map(|line| format!("{line}\n"))
        .collect();
    let launch = format!("file = \"kernel.s\"\ntarget = \"gfx900\"\n{launch}");
    fs::write(directory.join("launch.toml"), launch).expect("written");
    let code: String = text
        .lines()
        .filter(|line| !line.starts_with("//"))
        .map(|line| format!("{line}\n"))
        .collect();
    fs::write(directory.join("kernel.s"), code).expect("written");
}

/// `gcn debug` command in a directory.
pub fn command(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gcn"));
    command
        .arg("debug")
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}
