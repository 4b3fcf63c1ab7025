//! Messages on a stream: a header with the length, then JSON.

use std::io::{self, BufRead, Read, Write};

use lsp_server::Message;
use serde::Serialize;

/// Longest message that is read, in bytes.
const MAX_MESSAGE: usize = 256 << 20;
/// Longest line of a header, in bytes.
const MAX_HEADER: u64 = 4096;

/// A message that was received.
#[derive(Debug)]
pub(crate) enum Received {
    /// A message.
    Message(Message),
    /// A body that is no message, with the reason.
    Malformed(String),
}

/// The next message; nothing at the end of the stream.
///
/// # Errors
/// The stream cannot be read, or has no header where one must be: the messages behind it cannot be found.
pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Option<Received>> {
    let Some(length) = read_header(input)? else {
        return Ok(None);
    };
    let mut body = Vec::new();
    input.take(length as u64).read_to_end(&mut body)?;
    if body.len() < length {
        return Ok(None);
    }
    Ok(Some(match serde_json::from_slice(&body) {
        Ok(message) => Received::Message(message),
        Err(error) => Received::Malformed(error.to_string()),
    }))
}

/// The length of the body; nothing at the end of the stream.
fn read_header(input: &mut impl BufRead) -> io::Result<Option<usize>> {
    let malformed = |line: &[u8]| {
        let line = String::from_utf8_lossy(line).trim_end().to_owned();
        io::Error::new(
            io::ErrorKind::InvalidData,
            format!("`{}` is not a header of a message", line.escape_debug()),
        )
    };
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if input.take(MAX_HEADER).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let text = line.trim_ascii();
        if text.is_empty() {
            match length {
                Some(length) => return Ok(Some(length)),
                // Blank lines between messages.
                None => continue,
            }
        }
        let colon = text.iter().position(|&byte| byte == b':');
        let Some((name, value)) = colon.and_then(|at| Some((text.get(..at)?, text.get(at + 1..)?)))
        else {
            return Err(malformed(&line));
        };
        if name.eq_ignore_ascii_case(b"content-length") {
            let value = str::from_utf8(value)
                .ok()
                .and_then(|value| value.trim().parse().ok());
            match value {
                Some(value) if value <= MAX_MESSAGE => length = Some(value),
                _ => return Err(malformed(&line)),
            }
        }
    }
}

/// Writes a message.
///
/// # Errors
/// The stream cannot be written.
pub(crate) fn write(output: &mut dyn Write, message: &Message) -> io::Result<()> {
    #[derive(Serialize)]
    struct Versioned<'a> {
        jsonrpc: &'static str,
        #[serde(flatten)]
        message: &'a Message,
    }
    let versioned = Versioned {
        jsonrpc: "2.0",
        message,
    };
    write_value(output, &versioned)
}

/// Writes a value as a message.
///
/// # Errors
/// As [`write`].
pub(crate) fn write_value(output: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    let body = serde_json::to_vec(value)?;
    write!(output, "Content-Length: {}\r\n\r\n", body.len())?;
    output.write_all(&body)?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_bodies_leave_the_stream_readable() {
        let good = r#"{"jsonrpc":"2.0","method":"exit"}"#;
        let text = format!(
            "Content-Length: 3\r\n\r\n{{]}}content-length:{}\r\nContent-Type: x\r\n\r\n{good}",
            good.len()
        );
        let mut input = text.as_bytes();
        assert!(matches!(read(&mut input), Ok(Some(Received::Malformed(_)))));
        assert!(matches!(read(&mut input), Ok(Some(Received::Message(_)))));
        assert!(matches!(read(&mut input), Ok(None)));
    }

    #[test]
    fn headers_without_a_length_are_errors() {
        for text in [
            "hello\r\n\r\n",
            "Content-Length: -1\r\n\r\n",
            "Content-Length: 99999999999999999999\r\n\r\n",
            "Content-Length: 999999999999\r\n\r\n",
        ] {
            assert!(read(&mut text.as_bytes()).is_err(), "{text:?}");
        }
        let cut = "Content-Length: 100\r\n\r\n{}";
        assert!(matches!(read(&mut cut.as_bytes()), Ok(None)));
    }
}
