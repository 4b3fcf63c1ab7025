//! `gcn exec --dap`: the client's side of debugging a program. The engine and the adapter run in the program's process.
//! From its first launch on, messages pass between that process and the client. Earlier requests wait.

use std::collections::VecDeque;
use std::io::{self, BufReader, Read};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use gcn_console::dap::{Choices, Received, Request};
use gcn_console::protocol::{FromProgram, SessionKind, ToProgram, receive, send};
use gcn_framing::{read_body, write_value};
use gcn_runtime::error_names::HOST_LIMIT;
use serde_json::{Value, json};
use signal_hook::consts::{SIGINT, SIGKILL, SIGTERM};
use signal_hook::low_level::pipe;
use tempfile::TempDir;

use super::debuggee;
use super::program::start_error;
use crate::Status;
use crate::debug::dap::{Client, Subject, Transport};
use crate::problem::Problem;

/// Maximum number of queued events.
const MAX_EVENTS: usize = 64;
/// Maximum length of a message from the program in bytes.
const MAX_MESSAGE: usize = 256 << 20;
/// Maximum number of requests that wait for the first launch.
const MAX_WAITING: usize = 4096;
/// Size of the buffer for the program's output.
const OUTPUT_BYTES: usize = 1 << 14;
/// Time allowed for the program's remaining messages and output after its exit.
const REST: Duration = Duration::from_secs(1);

/// Event of a session. Messages of the client are polled at each event.
enum Event {
    /// The client has sent a message or has closed its stream.
    Client,
    /// A process of the program has made its first launch.
    Begins(i32, BufReader<UnixStream>, UnixStream),
    /// Message from the program to the client.
    Message(Value),
    /// Output of the program, in a category of the protocol.
    Output(&'static str, String),
    /// A source of messages or output has ended.
    SourceEnds,
    /// The program has exited.
    Exited(io::Result<ExitStatus>),
    /// SIGINT or SIGTERM.
    Signal,
}

/// Serves a client that debugs the program of a command. `command` creates it, with checkers if its argument is true.
/// Returns the exit status: the program's, or 0 if the client has ended it.
///
/// # Errors
/// The port cannot be opened, the client violates the protocol, or the host refuses a thread or a signal handler.
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
            sources: 0,
            events: sender,
        };
        let code = session
            .watch(child, listener)
            .with_context(refused)
            .map(|()| session.run(&events));
        session.kill(SIGKILL);
        let code = code?;
        return client.end().map(|_| code);
    }
    client.end().map(|status| status as u8)
}

/// Starts the program. Its input is empty and its output captured if the client uses the standard streams.
///
/// # Errors
/// The program cannot be executed, or the host cannot create a socket.
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
    /// Process ID and connection of the process that is debugged: the first that has launched a kernel.
    debugged: Option<(i32, UnixStream)>,
    /// Requests that wait for the first launch.
    waiting: VecDeque<Request>,
    /// Number of threads that read messages and output of the program.
    sources: usize,
    events: SyncSender<Event>,
}

impl Session<'_> {
    /// Starts the threads that wait for the program, its connections and output, and signals.
    ///
    /// # Errors
    /// The host refuses a thread or a signal handler.
    fn watch(&mut self, mut child: Child, listener: UnixListener) -> io::Result<()> {
        let (mut pressed, signal) = UnixStream::pair()?;
        pipe::register(SIGINT, signal.try_clone()?)?;
        pipe::register(SIGTERM, signal)?;
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
            self.sources += 1;
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

    /// Runs the session until the client disconnects. Returns the exit status.
    fn run(&mut self, events: &Receiver<Event>) -> u8 {
        let mut exit = None;
        // Time until which the program's last output may arrive.
        let mut rest: Option<Instant> = None;
        loop {
            let event = match rest {
                Some(end) => events
                    .recv_timeout(end.saturating_duration_since(Instant::now()))
                    .ok(),
                None => events.recv().ok(),
            };
            let is_late = event.is_none();
            match event {
                Some(Event::Begins(process, input, out)) => self.begin(process, input, out),
                Some(Event::Message(message)) => self.client.connection().send(message),
                Some(Event::Output(category, text)) => {
                    self.client.connection().output(category, &text);
                }
                Some(Event::SourceEnds) => self.sources -= 1,
                Some(Event::Exited(status)) => {
                    self.is_running = false;
                    exit = status.ok();
                    rest = Some(Instant::now() + REST);
                }
                Some(Event::Signal) => return Status::Interrupted as u8,
                Some(Event::Client) | None => {}
            }
            if rest.is_some() && (is_late || self.sources == 0) {
                rest = None;
                self.end(exit);
            }
            if !self.answer_all() {
                return exit.map_or(Status::Success as u8, |it| debuggee::ending(it).1);
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

    /// Begins to debug the first process that launches a kernel.
    fn begin(&mut self, process: i32, mut input: BufReader<UnixStream>, mut out: UnixStream) {
        if self.debugged.is_some() {
            let text = format!(
                "Process {process} of the program runs its kernels without the debugger, which follows one process.\n"
            );
            self.client.connection().output("console", &text);
            return;
        }
        let kind = SessionKind::Client(self.choices);
        if send(&mut out, &ToProgram::Begin(kind)).is_err() {
            return;
        }
        let reads = self.spawn(move |events| {
            while let Ok(Some(body)) = read_body(&mut input, MAX_MESSAGE) {
                let message = serde_json::from_slice(&body).map(Event::Message);
                if message.is_ok_and(|message| events.send(message).is_err()) {
                    return;
                }
            }
            let _ = events.send(Event::SourceEnds);
        });
        if reads.is_err() {
            return;
        }
        self.sources += 1;
        self.debugged = Some((process, out));
        for request in std::mem::take(&mut self.waiting) {
            self.forward(&request);
        }
    }

    /// Answers a request, passes it to the program, or lets it wait for the first launch.
    fn answer(&mut self, request: Request) {
        let answer = match request.command.as_str() {
            _ if !self.is_running => Err("the program has ended".to_owned()),
            "terminate" => {
                self.kill(SIGTERM);
                Ok(Value::Null)
            }
            _ if self.debugged.is_some() => return self.forward(&request),
            _ if self.waiting.len() < MAX_WAITING => return self.waiting.push_back(request),
            _ => Err("too many requests before the first launch".to_owned()),
        };
        self.client.connection().respond(&request, answer);
    }

    /// Passes a request to the program.
    fn forward(&mut self, request: &Request) {
        let Some((_, out)) = &mut self.debugged else {
            return;
        };
        let message = json!({
            "seq": request.seq,
            "type": "request",
            "command": request.command,
            "arguments": request.arguments,
        });
        if write_value(out, &message).is_err() {
            let reason = "the process that is debugged has ended".to_owned();
            self.client.connection().respond(request, Err(reason));
        }
    }

    /// Tells the client that the program has ended.
    fn end(&mut self, exit: Option<ExitStatus>) {
        for request in std::mem::take(&mut self.waiting) {
            let reason = "the program has ended without a launch".to_owned();
            self.client.connection().respond(&request, Err(reason));
        }
        let mut connection = self.client.connection();
        if let Some(exit) = exit {
            let (text, code) = debuggee::ending(exit);
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

    /// Sends a signal to the program and to the process that is debugged, while the program runs.
    fn kill(&self, signal: i32) {
        if self.is_running {
            let debugged = self.debugged.as_ref().map(|it| it.0);
            for process in debugged.into_iter().chain([self.process]) {
                debuggee::send_signal(process, signal);
            }
        }
    }
}

/// Accepts the connections of the program's processes.
fn accept(listener: &UnixListener, events: &SyncSender<Event>) {
    for out in listener.incoming() {
        let begun = out.and_then(|out| {
            let mut input = BufReader::new(out.try_clone()?);
            match receive(&mut input)? {
                Some(FromProgram::Begins { process }) => Ok((process, input, out)),
                _ => Err(io::ErrorKind::InvalidData.into()),
            }
        });
        let Ok((process, input, out)) = begun else {
            continue;
        };
        let process = i32::try_from(process).unwrap_or_default();
        if events.send(Event::Begins(process, input, out)).is_err() {
            return;
        }
    }
}

/// Reads an output stream of the program to its end. Characters are not split between events.
fn read_output(category: &'static str, mut stream: impl Read, events: &SyncSender<Event>) {
    let mut bytes = vec![0; OUTPUT_BYTES];
    let mut begun = 0;
    while let Ok(count) = stream.read(&mut bytes[begun..]) {
        let end = begun + count;
        let complete = match str::from_utf8(&bytes[..end]) {
            // More bytes of the last character may follow.
            Err(error) if count > 0 && error.error_len().is_none() => error.valid_up_to(),
            _ => end,
        };
        let text = String::from_utf8_lossy(&bytes[..complete]).into_owned();
        if !text.is_empty() && events.send(Event::Output(category, text)).is_err() || count == 0 {
            break;
        }
        bytes.copy_within(complete..end, 0);
        begun = end - complete;
    }
    let _ = events.send(Event::SourceEnds);
}
