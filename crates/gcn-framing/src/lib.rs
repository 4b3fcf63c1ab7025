//! Message framing for the Language Server Protocol and the Debug Adapter Protocol: a header with the body length,
//! followed by a JSON body.
//!
//! ```
//! use gcn_framing::{read_body, write_value};
//! let mut stream = Vec::new();
//! write_value(&mut stream, &"hello")?;
//! assert_eq!(stream, b"Content-Length: 7\r\n\r\n\"hello\"");
//! assert_eq!(read_body(&mut &stream[..], 1024)?.as_deref(), Some(&b"\"hello\""[..]));
//! # Ok::<(), std::io::Error>(())
//! ```

#![forbid(unsafe_code)]

use std::io::{self, BufRead, Read, Write};

use serde::Serialize;

/// Maximum length of a header line in bytes.
const MAX_HEADER: u64 = 4096;

/// Reads the body of the next message, or returns `None` if the stream ends first. Memory is allocated as bytes arrive,
/// so that a wrong length in the header cannot exhaust it.
///
/// # Errors
/// Fails if the stream cannot be read, a header line is malformed, the header has no length, or the body exceeds `most`
/// bytes. After an error, the start of the next message is unknown.
///
/// # Examples
/// ```
/// use gcn_framing::read_body;
/// let mut input = "Content-Length: 2\r\n\r\n{}".as_bytes();
/// assert_eq!(read_body(&mut input, 1024)?.as_deref(), Some(&b"{}"[..]));
/// assert_eq!(read_body(&mut input, 1024)?, None);
/// assert!(read_body(&mut "Content-Length: 2000\r\n\r\n".as_bytes(), 1024).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn read_body(input: &mut impl BufRead, most: usize) -> io::Result<Option<Vec<u8>>> {
    let Some(length) = read_header(input, most)? else {
        return Ok(None);
    };
    let mut body = Vec::new();
    input.take(length as u64).read_to_end(&mut body)?;
    Ok((body.len() == length).then_some(body))
}

/// Reads a header and returns the body length, or `None` at the end of the stream.
fn read_header(input: &mut impl BufRead, most: usize) -> io::Result<Option<usize>> {
    let malformed = |line: &[u8]| {
        let line = String::from_utf8_lossy(line).trim_end().to_owned();
        io::Error::new(
            io::ErrorKind::InvalidData,
            format!("`{}` is not a header of a message", line.escape_debug()),
        )
    };
    let mut length = None;
    let mut has_fields = false;
    loop {
        let mut line = Vec::new();
        if input.take(MAX_HEADER).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let text = line.trim_ascii();
        if text.is_empty() {
            match length {
                Some(length) => return Ok(Some(length)),
                // Skip blank lines between messages.
                None if !has_fields => continue,
                None => {
                    let message = "a message has no `Content-Length`";
                    return Err(io::Error::new(io::ErrorKind::InvalidData, message));
                }
            }
        }
        has_fields = true;
        let colon = text.iter().position(|&byte| byte == b':');
        let Some((name, value)) = colon.and_then(|at| Some((text.get(..at)?, text.get(at + 1..)?)))
        else {
            return Err(malformed(&line));
        };
        // Field names contain no whitespace. Text that is not a header may still contain a colon.
        if name.iter().any(u8::is_ascii_whitespace) {
            return Err(malformed(&line));
        }
        if name.eq_ignore_ascii_case(b"content-length") {
            let value = str::from_utf8(value)
                .ok()
                .and_then(|value| value.trim().parse().ok());
            match value {
                Some(value) if value <= most => length = Some(value),
                _ => return Err(malformed(&line)),
            }
        }
    }
}

/// Writes a header and the value as JSON in a single write, and flushes the output.
///
/// # Errors
/// Fails if the value cannot be serialized or the stream cannot be written.
///
/// # Examples
/// ```
/// let mut stream = Vec::new();
/// gcn_framing::write_value(&mut stream, &[1, 2])?;
/// assert_eq!(stream, b"Content-Length: 5\r\n\r\n[1,2]");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_value(output: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    let body = serde_json::to_vec(value)?;
    let mut message = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    message.extend(body);
    output.write_all(&message)?;
    output.flush()
}
