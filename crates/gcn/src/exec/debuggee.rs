//! Processes of a debugged program. A process connects to a socket at its first launch.
//!
//! This module may use `unsafe`, to configure the program's process before exec and to send signals.

use std::io::{self, BufReader};
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus};

use anyhow::{Context, Result};
use gcn_console::protocol::{FromProgram, receive};
use gcn_report::settings::DEBUG;
use gcn_runtime::error_names::HOST_LIMIT;
use signal_hook::consts::{SIGINT, SIGKILL};
use signal_hook::low_level::signal_name;
use tempfile::TempDir;

use crate::problem::Problem;

/// File name of the socket in its directory.
const SOCKET: &str = "debugger";
/// Exit status offset for a program killed by a signal, as in shells.
const SIGNALLED: i32 = 128;

/// Creates a socket, and configures a command to connect to it, to ignore Ctrl-C, and to be killed when this process
/// exits. Returns the directory of the socket and its listener.
///
/// # Errors
/// Fails if the host cannot create a socket.
pub fn listen(command: &mut Command) -> Result<(TempDir, UnixListener)> {
    let refused = || Problem::new(HOST_LIMIT, "cannot listen for the program");
    let directory = tempfile::tempdir().with_context(refused)?;
    let path = directory.path().join(SOCKET);
    let listener = UnixListener::bind(&path).with_context(refused)?;
    command.env(DEBUG, path);
    let prepare = || {
        // SAFETY: the calls only change how the process reacts to a signal and to the exit of its parent.
        let refused = unsafe {
            libc::signal(SIGINT, libc::SIG_IGN);
            libc::prctl(libc::PR_SET_PDEATHSIG, SIGKILL) != 0
        };
        if refused {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    };
    // SAFETY: the function makes two system calls, both async-signal-safe.
    unsafe { command.pre_exec(prepare) };
    Ok((directory, listener))
}

/// Receives the first message from a process of the program. Returns the process ID and a reader for further messages.
///
/// # Errors
/// Fails if the connection is broken, or the message is invalid.
pub fn handshake(connection: &UnixStream) -> io::Result<(i32, BufReader<UnixStream>)> {
    let mut input = BufReader::new(connection.try_clone()?);
    let process = match receive(&mut input)? {
        Some(FromProgram::Begins { process }) => i32::try_from(process).ok(),
        _ => None,
    };
    // `kill` takes smaller numbers as process groups, and 1 is the init process.
    let process = process.filter(|process| *process > 1);
    Ok((process.ok_or(io::ErrorKind::InvalidData)?, input))
}

/// Sends a signal to a process, which may already have exited.
pub fn send_signal(process: i32, signal: i32) {
    // SAFETY: the call has no effect on this process's memory.
    unsafe { libc::kill(process, signal) };
}

/// Describes how a program ended. Returns the description and the exit status for `gcn exec`.
pub fn describe_exit(status: ExitStatus) -> (String, u8) {
    match (status.code(), status.signal()) {
        (Some(code), _) => (
            format!("The program ended with status {code}"),
            u8::try_from(code).unwrap_or(u8::MAX),
        ),
        (None, signal) => {
            let signal = signal.unwrap_or_default();
            let name = signal_name(signal).unwrap_or("unknown");
            (
                format!("The program was ended by signal {signal} ({name})"),
                u8::try_from(SIGNALLED + signal).unwrap_or(u8::MAX),
            )
        }
    }
}
