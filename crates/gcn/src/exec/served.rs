//! `gcn exec --dap`: debugs a program for a client. The engine and the adapter run in the program's process. From its
//! first launch on, this process relays messages between that process and the client; earlier requests are queued.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, BufReader, Read};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use gcn_console::dap::{Choices, Received, Request};
use gcn_console::protocol::{SessionKind, ToProgram, send};
use gcn_framing::{read_body, write_value};
use gcn_runtime::error_names::HOST_LIMIT;
use serde_json::{Value, json};
use signal_hook::consts::{SIGHUP, SIGINT, SIGKILL, SIGTERM};
use signal_hook::flag;
use signal_hook::low_level::pipe;
use tempfile::TempDir;

use super::debuggee;
use super::program::start_error;
use crate::Status;
use crate::debug::dap::{Client, Subject, Transport, whole_characters};
use crate::problem::Problem;

/// Maximum number of queued events.
const MAX_EVENTS: usize = 64;
/// Maximum length of a message from the program in bytes.
const MAX_MESSAGE: usize = 256 << 20;
/// Maximum number of unanswered requests.
const MAX_WAITING: usize = 4096;
/// Size of the buffer for the program's output, in bytes.
const OUTPUT_BYTES: usize = 1 << 14;
/// Time allowed for the program's remaining messages and output after its exit.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

/// Reason for refusing requests after the debugged process has ended.
const PROCESS_ENDED: &str = "the process that was debugged has ended";

/// Event of a session. After each one, the session polls the client for messages.
enum Event {
    /// The client has sent a message or has closed its stream.
    Client,
    /// A process of the program has made its first launch.
    Begins(i32, BufReader<UnixStream>, UnixStream),
    /// Message from the program to the client.
    Message(Value),
    /// The debugged process has closed its connection.
    Closed,
    /// Output of the program, in a category of the protocol.
    Output(&'static str, String),
    /// An output stream of the program has ended.
    OutputEnds,
    /// The program has exited.
    Exited(io::Result<ExitStatus>),
    /// SIGINT, SIGTERM or SIGHUP.
    Signal,
}

/// Serves a client that debugs a program. `command` creates the program's command, with checkers if its argument is
/// true. Returns the program's exit status, 0 if the client disconnects first, or 130 after a signal.
///
/// # Errors
/// Fails if the port cannot be opened, the client violates the protocol, or no thread or signal handler can be created.
pub fn serve(transport: Transport, command: impl Fn(bool) -> Result<Command>) -> Result<u8> {
    let refused = || Problem::new(HOST_LIMIT, "cannot serve a client");
    let (sender, events) = sync_channel(MAX_EVENTS);
    let arrivals = sender.clone();
    // If the queue is full, another event makes the session poll the client.
    let notify = move || drop(arrivals.try_send(Event::Client));
    let mut client = Client::connect(transport, Subject::Program, notify)?;
    let is_captured = transport == Transport::Standard;
    while let Some(wanted) = client.wanted() {
        let started = command(wanted.check).and_then(|command| start(command, is_captured));
        let (child, listener, _directory) = match started {
            Ok(started) => started,
            Err(error) => {
                client.refuse(&wanted, error);
                continue;
            }
        };
        client.accept(&wanted);
        let mut session = Session {
            client: &client,
            choices: wanted.choices,
            process: i32::try_from(child.id()).unwrap_or_default(),
            is_running: true,
            debugged: None,
            waiting: VecDeque::new(),
            forwarded: BTreeMap::new(),
            outputs: 0,
            events: sender,
        };
        let code = session
            .watch(child, listener)
            .with_context(refused)
            .map(|()| session.run(&events));
        session.kill(SIGKILL);
        if code.is_err() {
            session.end(None);
        }
        let code = code?;
        return client.end().map(|_| code);
    }
    client.end().map(|status| status as u8)
}

/// Starts the program. If the client uses the standard streams, the program's input is empty and its output captured.
///
/// # Errors
/// Fails if the program cannot be executed, or the host cannot create a socket.
fn start(mut command: Command, is_captured: bool) -> Result<(Child, UnixListener, TempDir)> {
    let (directory, listener) = debuggee::listen(&mut command)?;
    if is_captured {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    }
    let name = command.get_program().to_owned();
    let child = command
        .spawn()
        .map_err(|error| start_error(&name, error).0)?;
    Ok((child, listener, directory))
}

/// Session with a client and a program.
struct Session<'a> {
    client: &'a Client,
    choices: Choices,
    /// Process ID of the program.
    process: i32,
    is_running: bool,
    /// Process to which requests are forwarded; `None` before the first launch.
    debugged: Option<Debugged>,
    /// Requests waiting for the first launch.
    waiting: VecDeque<Request>,
    /// Requests that the program has not answered, by their sequence numbers.
    forwarded: BTreeMap<i64, Request>,
    /// Number of the program's output streams still being read.
    outputs: usize,
    events: SyncSender<Event>,
}

/// First process of the program that has launched a kernel.
struct Debugged {
    /// Process ID; `None` once the process has closed its connection.
    process: Option<i32>,
    /// Queue to a thread that sends requests, since the process may not read them immediately.
    requests: Sender<Value>,
}

impl Session<'_> {
    /// Starts the threads that wait for the program, its connections and output, and signals.
    ///
    /// # Errors
    /// Fails if a socket, a thread or a signal handler cannot be created.
    fn watch(&mut self, mut child: Child, listener: UnixListener) -> io::Result<()> {
        let (mut pressed, signal) = UnixStream::pair()?;
        // A second signal exits immediately, since the session may be blocked on a client that does not read.
        let is_signalled = Arc::<AtomicBool>::default();
        for number in [SIGINT, SIGTERM, SIGHUP] {
            let status = Status::Interrupted as i32;
            flag::register_conditional_shutdown(number, status, is_signalled.clone())?;
            flag::register(number, is_signalled.clone())?;
            pipe::register(number, signal.try_clone()?)?;
        }
        let streams = [
            child
                .stdout
                .take()
                .map(|it| ("stdout", Box::new(it) as Box<dyn Read + Send>)),
            child
                .stderr
                .take()
                .map(|it| ("stderr", Box::new(it) as Box<dyn Read + Send>)),
        ];
        for (category, stream) in streams.into_iter().flatten() {
            self.outputs += 1;
            self.spawn(move |events| read_output(category, stream, events))?;
        }
        self.spawn(move |events| {
            while pressed.read_exact(&mut [0]).is_ok() && events.send(Event::Signal).is_ok() {}
        })?;
        self.spawn(move |events| accept(&listener, events))?;
        self.spawn(move |events| {
            let status = child.wait();
            let _ = events.send(Event::Exited(status));
        })
    }

    fn spawn(&self, work: impl FnOnce(&SyncSender<Event>) + Send + 'static) -> io::Result<()> {
        let events = self.events.clone();
        thread::Builder::new()
            .spawn(move || work(&events))
            .map(drop)
    }

    /// Runs the session until the client disconnects or a signal arrives. Returns the exit status.
    fn run(&mut self, events: &Receiver<Event>) -> u8 {
        let mut exit = None;
        // Deadline for the program's remaining messages and output.
        let mut drain_until: Option<Instant> = None;
        loop {
            let event = match drain_until {
                Some(end) => events
                    .recv_timeout(end.saturating_duration_since(Instant::now()))
                    .ok(),
                None => events.recv().ok(),
            };
            let is_late = event.is_none();
            match event {
                Some(Event::Begins(process, input, out)) => self.begin(process, input, out),
                Some(Event::Message(message)) => {
                    if let Some(number) = message["request_seq"].as_i64() {
                        self.forwarded.remove(&number);
                    }
                    self.client.connection().send(message);
                }
                Some(Event::Closed) => self.close(),
                Some(Event::Output(category, text)) => {
                    self.client.connection().output(category, &text);
                }
                Some(Event::OutputEnds) => self.outputs -= 1,
                Some(Event::Exited(status)) => {
                    self.is_running = false;
                    exit = status.ok();
                    drain_until = Some(Instant::now() + DRAIN_TIMEOUT);
                }
                Some(Event::Signal) => {
                    self.kill(SIGKILL);
                    self.end(None);
                    return Status::Interrupted as u8;
                }
                Some(Event::Client) | None => {}
            }
            let is_connected = self
                .debugged
                .as_ref()
                .is_some_and(|it| it.process.is_some());
            let is_drained = self.outputs == 0 && !is_connected;
            if drain_until.is_some() && (is_late || is_drained) {
                drain_until = None;
                self.end(exit);
            }
            if !self.answer_all() {
                return exit.map_or(Status::Success as u8, |it| debuggee::describe_exit(it).1);
            }
        }
    }

    /// Answers the requests that have arrived. Returns false at the end of the session.
    fn answer_all(&mut self) -> bool {
        loop {
            let received = self.client.connection().poll();
            match received {
                None => return true,
                Some(Received::Request(request)) if request.command == "disconnect" => {
                    let mut connection = self.client.connection();
                    connection.respond(&request, Ok(Value::Null));
                    connection.close();
                    return false;
                }
                Some(Received::Request(request)) => self.answer(request),
                Some(Received::Closed) => return false,
            }
        }
    }

    /// Debugs a process that has made its first launch, unless the session debugs another already.
    fn begin(&mut self, process: i32, mut input: BufReader<UnixStream>, mut out: UnixStream) {
        if self.debugged.is_some() {
            let text = format!(
                "Process {process} of the program runs its kernels without the debugger, which follows one process.\n"
            );
            self.client.connection().output("console", &text);
            return;
        }
        let (requests, queued) = channel();
        let kind = SessionKind::Client(self.choices);
        let started = self
            .spawn(move |events| {
                while let Ok(Some(body)) = read_body(&mut input, MAX_MESSAGE) {
                    let message = serde_json::from_slice(&body).map(Event::Message);
                    if message.is_ok_and(|message| events.send(message).is_err()) {
                        return;
                    }
                }
                let _ = events.send(Event::Closed);
            })
            .and_then(|()| {
                self.spawn(move |_| {
                    let mut begun = send(&mut out, &ToProgram::Begin(kind));
                    while begun.is_ok()
                        && let Ok(message) = queued.recv()
                    {
                        begun = write_value(&mut out, &message);
                    }
                })
            });
        if let Err(error) = started {
            let text = format!("Process {process} cannot be debugged: {error}\n");
            return self.client.connection().output("console", &text);
        }
        self.debugged = Some(Debugged {
            process: Some(process),
            requests,
        });
        for request in std::mem::take(&mut self.waiting) {
            self.forward(request);
        }
    }

    /// Handles a closed connection: refuses the requests that the process has not answered.
    fn close(&mut self) {
        if let Some(debugged) = &mut self.debugged {
            debugged.process = None;
        }
        for request in std::mem::take(&mut self.forwarded).into_values() {
            let reason = PROCESS_ENDED.to_owned();
            self.client.connection().respond(&request, Err(reason));
        }
    }

    /// Answers a request, passes it to the program, or queues it until the first launch.
    fn answer(&mut self, request: Request) {
        let answer = match request.command.as_str() {
            _ if !self.is_running => Err("the program has ended".to_owned()),
            "terminate" => {
                self.kill(SIGTERM);
                Ok(Value::Null)
            }
            "restart" => Err("restart: start another session".to_owned()),
            _ if self.waiting.len() + self.forwarded.len() >= MAX_WAITING => {
                Err(format!("{MAX_WAITING} requests wait for responses"))
            }
            _ => match &self.debugged {
                None => return self.waiting.push_back(request),
                Some(debugged) if debugged.process.is_some() => return self.forward(request),
                Some(_) => Err(PROCESS_ENDED.to_owned()),
            },
        };
        self.client.connection().respond(&request, answer);
    }

    /// Passes a request to the program.
    fn forward(&mut self, request: Request) {
        let Some(debugged) = &self.debugged else {
            return;
        };
        let message = json!({
            "seq": request.seq,
            "type": "request",
            "command": request.command,
            "arguments": request.arguments,
        });
        // If the thread has ended, so has the process, and `close` refuses the request.
        let _ = debugged.requests.send(message);
        self.forwarded.insert(request.seq, request);
    }

    /// Notifies the client that the program has ended, unless the client already knows.
    fn end(&mut self, exit: Option<ExitStatus>) {
        if self.client.connection().has_ended() {
            return;
        }
        self.close();
        for request in std::mem::take(&mut self.waiting) {
            let reason = "the program has ended without a launch".to_owned();
            self.client.connection().respond(&request, Err(reason));
        }
        let mut connection = self.client.connection();
        if let Some(exit) = exit {
            let (text, code) = debuggee::describe_exit(exit);
            let launches = match self.debugged {
                Some(_) => "",
                None => " and launched no kernel on an emulated device",
            };
            connection.output("console", &format!("{text}{launches}.\n"));
            connection.event("exited", json!({"exitCode": code}));
        }
        connection.event("terminated", Value::Null);
        connection.launches_ended();
    }

    /// Sends a signal to the program and to the debugged process, unless they have ended.
    fn kill(&self, signal: i32) {
        let debugged = self.debugged.as_ref().and_then(|it| it.process);
        let program = self.is_running.then_some(self.process);
        for process in debugged.into_iter().chain(program) {
            debuggee::send_signal(process, signal);
        }
    }
}

/// Accepts the connections of the program's processes. Each has its own thread, since a process may stall before its
/// first message.
fn accept(listener: &UnixListener, events: &SyncSender<Event>) {
    for out in listener.incoming() {
        let events = events.clone();
        let _ = out.and_then(|out| {
            thread::Builder::new().spawn(move || {
                if let Ok((process, input)) = debuggee::handshake(&out) {
                    let _ = events.send(Event::Begins(process, input, out));
                }
            })
        });
    }
}

/// Reads an output stream of the program to its end. Valid UTF-8 is split into events only between characters.
fn read_output(category: &'static str, mut stream: impl Read, events: &SyncSender<Event>) {
    let mut bytes = vec![0; OUTPUT_BYTES];
    let mut filled = 0;
    while let Ok(count) = stream.read(&mut bytes[filled..]) {
        let end = filled + count;
        let complete = if count > 0 {
            whole_characters(&bytes[..end])
        } else {
            end
        };
        let text = String::from_utf8_lossy(&bytes[..complete]).into_owned();
        if !text.is_empty() && events.send(Event::Output(category, text)).is_err() || count == 0 {
            break;
        }
        bytes.copy_within(complete..end, 0);
        filled = end - complete;
    }
    let _ = events.send(Event::OutputEnds);
}
