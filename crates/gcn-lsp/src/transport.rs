//! Language Server Protocol messages on a stream.

use std::io::{self, BufRead, Write};

use gcn_framing::{read_body, write_value};
use lsp_server::{Message, RequestId};
use serde::Serialize;
use serde_json::value::RawValue;

/// Maximum message length in bytes.
const MAX_MESSAGE: usize = 256 << 20;

/// Message received from the client.
#[derive(Debug)]
pub(crate) enum IncomingMessage {
    /// Valid message.
    Message(Message),
    /// Invalid message body, with the reason.
    Malformed(String),
}

/// Reads the next message, or returns `None` at the end of the stream.
///
/// # Errors
/// Fails if the stream cannot be read, or if a header is malformed. The next message cannot be located after an error.
pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Option<IncomingMessage>> {
    let Some(body) = read_body(input, MAX_MESSAGE)? else {
        return Ok(None);
    };
    Ok(Some(match serde_json::from_slice(&body) {
        Ok(message) => IncomingMessage::Message(message),
        Err(error) => IncomingMessage::Malformed(error.to_string()),
    }))
}

/// Writes a message.
///
/// # Errors
/// Fails if the stream cannot be written.
pub(crate) fn write(output: &mut dyn Write, message: &Message) -> io::Result<()> {
    #[derive(Serialize)]
    struct WithVersion<'a> {
        jsonrpc: &'static str,
        #[serde(flatten)]
        message: &'a Message,
    }
    let versioned = WithVersion {
        jsonrpc: "2.0",
        message,
    };
    write_value(output, &versioned)
}

/// Writes the response to a request that succeeded.
///
/// # Errors
/// Fails if the stream cannot be written.
pub(crate) fn write_result(
    output: &mut dyn Write,
    id: &RequestId,
    result: &RawValue,
) -> io::Result<()> {
    #[derive(Serialize)]
    struct ResultResponse<'a> {
        jsonrpc: &'static str,
        id: &'a RequestId,
        result: &'a RawValue,
    }
    let response = ResultResponse {
        jsonrpc: "2.0",
        id,
        result,
    };
    write_value(output, &response)
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
        assert!(matches!(
            read(&mut input),
            Ok(Some(IncomingMessage::Malformed(_)))
        ));
        assert!(matches!(
            read(&mut input),
            Ok(Some(IncomingMessage::Message(_)))
        ));
        assert!(matches!(read(&mut input), Ok(None)));
    }

    #[test]
    fn headers_without_a_length_are_errors() {
        for text in [
            "hello\r\n\r\n",
            "Content-Type: text/plain\r\n\r\n",
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
