//! Messages between a debugged program and `gcn exec`, which started it. Each message is one line of JSON.
//!
//! `gcn exec` listens on a socket named in the program's settings. Each process of the program that launches kernels
//! connects, sends [`FromProgram::Begins`], and receives [`ToProgram::Begin`].

use std::io::{self, BufRead, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::dap::Choices;

/// Maximum size of a message in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// Message from the program.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "snake_case")]
pub enum FromProgram {
    /// Announcement of a process before its first kernel launch.
    Begins {
        /// Process ID.
        process: u32,
    },
    /// Text to print.
    Output(String),
    /// Names of symbols and buffers, for tab completion.
    Names(Vec<String>),
    /// Request for the next command.
    Prompt,
    /// Notification that the run has resumed. Another [`FromProgram::Prompt`] requests the next command.
    Resumes,
    /// Notification that the user ended the session. `gcn exec` should end the program.
    Quits,
}

/// Message to the program.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "snake_case")]
pub enum ToProgram {
    /// Start of the session.
    Begin(SessionKind),
    /// Command from the user.
    Command {
        /// Command text.
        text: String,
        /// True if the command was typed at a terminal.
        is_typed: bool,
    },
    /// End of the command input.
    End,
    /// Request to stop the running waves.
    Interrupt,
}

/// Front end that a session uses.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "snake_case")]
pub enum SessionKind {
    /// Console that sends the user's commands as [`ToProgram::Command`].
    Console {
        /// True if output may contain colour escapes.
        has_colours: bool,
    },
    /// Client of the Debug Adapter Protocol that has sent `launch`. The rest of the connection carries messages of that
    /// protocol.
    Client(Choices),
}

/// Sends a message.
///
/// # Errors
/// Fails if the message cannot be written.
///
/// # Examples
/// ```
/// use gcn_console::protocol::{FromProgram, receive, send};
/// let mut bytes = Vec::new();
/// send(&mut bytes, &FromProgram::Prompt)?;
/// send(&mut bytes, &FromProgram::Output("a line\n".into()))?;
/// let mut reader = &bytes[..];
/// assert_eq!(receive(&mut reader)?, Some(FromProgram::Prompt));
/// assert_eq!(receive(&mut reader)?, Some(FromProgram::Output("a line\n".into())));
/// assert_eq!(receive::<FromProgram>(&mut reader)?, None);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn send(out: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    out.write_all(&line)?;
    out.flush()
}

/// Receives a message, or returns `None` if the connection is closed.
///
/// # Errors
/// Fails if the connection cannot be read, or if the line is not a valid message.
pub fn receive<M: DeserializeOwned>(input: &mut impl BufRead) -> io::Result<Option<M>> {
    let mut line = Vec::new();
    if input
        .by_ref()
        .take(MAX_BYTES)
        .read_until(b'\n', &mut line)?
        == 0
    {
        return Ok(None);
    }
    Ok(Some(serde_json::from_slice(&line)?))
}
