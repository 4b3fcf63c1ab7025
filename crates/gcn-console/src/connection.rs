//! Connection from a debugged program to `gcn exec`, which owns the terminal.

use std::io::{self, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::console::{CommandLine, CommandSource};
use crate::protocol::{FromProgram, SessionKind, ToProgram, receive, send};

/// Connects to the socket at a path. Returns the input stream, the output stream and the session kind.
///
/// # Errors
/// Fails if no process is listening at the path, or if the listener does not start a session.
pub(crate) fn open(path: &Path) -> io::Result<(BufReader<UnixStream>, UnixStream, SessionKind)> {
    let mut out = UnixStream::connect(path)?;
    let mut input = BufReader::new(out.try_clone()?);
    let process = std::process::id();
    send(&mut out, &FromProgram::Begins { process })?;
    match receive(&mut input)? {
        Some(ToProgram::Begin(kind)) => Ok((input, out, kind)),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// Connection to `gcn exec`. A separate thread receives messages, because an interrupt may arrive at any time.
#[derive(Debug)]
pub(crate) struct Connection {
    out: Mutex<UnixStream>,
    commands: Mutex<Receiver<ToProgram>>,
    /// True if output may contain colour escapes.
    pub(crate) has_colours: bool,
}

impl Connection {
    /// Creates the connection for a console session. Receiving [`ToProgram::Interrupt`] sets `interrupt`.
    ///
    /// # Errors
    /// Fails if the thread cannot be spawned.
    pub(crate) fn new(
        (mut input, out): (BufReader<UnixStream>, UnixStream),
        has_colours: bool,
        interrupt: &Arc<AtomicBool>,
    ) -> io::Result<Connection> {
        let (sender, commands) = channel();
        let interrupt = interrupt.clone();
        thread::Builder::new()
            .name("gcn debugger".to_owned())
            .spawn(move || serve(&mut input, &sender, &interrupt))?;
        Ok(Connection {
            out: Mutex::new(out),
            commands: Mutex::new(commands),
            has_colours,
        })
    }

    /// Sends a message. Errors are ignored, because reading the next command detects a closed connection.
    pub(crate) fn tell(&self, message: &FromProgram) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = send(&mut *out, message);
    }

    /// Returns the next message, or `None` once the connection is closed.
    fn next(&self) -> Option<ToProgram> {
        let commands = self.commands.lock().unwrap_or_else(PoisonError::into_inner);
        commands.recv().ok()
    }

    /// Asks `gcn exec` to end the program. Returns only if `gcn exec` itself exits first.
    pub(crate) fn quit(&self) {
        self.tell(&FromProgram::Quits);
        while self.next().is_some() {}
    }
}

/// Receives messages until the connection is closed.
fn serve(input: &mut BufReader<UnixStream>, commands: &Sender<ToProgram>, interrupt: &AtomicBool) {
    while let Ok(Some(message)) = receive(input) {
        if message == ToProgram::Interrupt {
            interrupt.store(true, Relaxed);
        } else if commands.send(message).is_err() {
            return;
        }
    }
}

/// Command source that reads from a connection.
pub(crate) struct RemoteCommands(pub(crate) Arc<Connection>);

impl CommandSource for RemoteCommands {
    fn next(&mut self) -> io::Result<Option<CommandLine>> {
        self.0.tell(&FromProgram::Prompt);
        Ok(match self.0.next() {
            Some(ToProgram::Command { text, is_typed }) => Some(CommandLine { text, is_typed }),
            _ => None,
        })
    }
}

/// Writer that sends its text over a connection when flushed.
pub(crate) struct RemoteOutput {
    connection: Arc<Connection>,
    text: Vec<u8>,
}

impl RemoteOutput {
    pub(crate) fn new(connection: &Arc<Connection>) -> RemoteOutput {
        RemoteOutput {
            connection: connection.clone(),
            text: Vec::new(),
        }
    }
}

impl Write for RemoteOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let text = String::from_utf8_lossy(&std::mem::take(&mut self.text)).into_owned();
        if !text.is_empty() {
            self.connection.tell(&FromProgram::Output(text));
        }
        Ok(())
    }
}
