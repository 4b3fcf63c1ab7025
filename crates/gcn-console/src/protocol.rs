//! Messages between a program with a debugger in it and the command that has started it, a line of JSON each.
//!
//! The command listens at a socket, which the program's settings name. Each process of the program that launches kernels connects, says
//! [`FromProgram::Begins`], and is told [`ToProgram::Begin`].

use std::io::{self, BufRead, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Maximum size of a message in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// A message of the program.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "snake_case")]
pub enum FromProgram {
    /// The process launches its first kernel.
    Begins {
        /// Process ID.
        process: u32,
    },
    /// Text to show.
    Output(String),
    /// Names of symbols and buffers, for completion.
    Names(Vec<String>),
    /// The process waits for a command.
    Prompt,
    /// The process goes on: its next command is asked for by another [`FromProgram::Prompt`].
    Resumes,
    /// The user has ended the session: the program is to be ended.
    Quits,
}

/// A message to the program.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "snake_case")]
pub enum ToProgram {
    /// The session begins.
    Begin {
        /// True if text may have colours.
        has_colours: bool,
    },
    /// A command.
    Command {
        /// Text.
        text: String,
        /// True if a user has typed it at a terminal.
        is_typed: bool,
    },
    /// End of the commands.
    End,
    /// The user wants the waves that run to stop.
    Interrupt,
}

/// Writes a message.
///
/// # Errors
/// The other side has closed the connection.
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

/// Reads a message; `None` at the end of the connection.
///
/// # Errors
/// The connection fails, or the text is no message.
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
