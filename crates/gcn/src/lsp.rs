//! `gcn lsp`: the language server for editors, over standard input and output.

use std::io::{self, BufReader, Write};

use anyhow::Result;
use gcn_lsp::SessionEnd;

use crate::Status;
use crate::problem::{INVALID_PROTOCOL, Problem};

/// Examples for `--help`.
pub const EXAMPLES: &str = "\
Examples:
  gcn lsp                      an editor starts it; docs/editors.md shows how";

/// The arguments of `gcn lsp`.
#[derive(clap::Args)]
pub struct Args {
    /// Accepted for editors that pass it: the server always uses standard input and output.
    #[arg(long)]
    stdio: bool,
}

/// Serves an editor until it ends the session. Only protocol messages are written to `out`.
///
/// # Errors
/// Fails if the input does not follow the protocol, or `out` cannot be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status> {
    // `--stdio` selects the only transport.
    let Args { stdio: _ } = args;
    let ending =
        gcn_lsp::serve(BufReader::new(io::stdin()), out).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => Problem::new(
                INVALID_PROTOCOL,
                format!("the input does not follow the protocol: {error}"),
            )
            .into(),
            _ => anyhow::Error::from(error),
        })?;
    Ok(match ending {
        SessionEnd::Requested => Status::Success,
        SessionEnd::Abandoned => Status::BadInput,
    })
}
