//! `gcn completions`: shell completions, generated from the definition of the command line.

use std::io::Write;

use anyhow::Result;
use clap::Command;
use clap_complete::Shell;

use crate::Status;

/// Examples for `--help`.
pub const EXAMPLES: &str = "\
Examples:
  gcn completions bash > ~/.local/share/bash-completion/completions/gcn
  gcn completions zsh > ~/.zfunc/_gcn
  gcn completions fish > ~/.config/fish/completions/gcn.fish";

/// The arguments of `gcn completions`.
#[derive(clap::Args)]
pub struct Args {
    /// Shell to generate completions for.
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs the command. `command` is the definition of the command line.
///
/// # Errors
/// Fails if the output cannot be written.
pub fn run(args: &Args, mut command: Command, out: &mut dyn Write) -> Result<Status> {
    // Generated in memory, because the generator panics if it cannot write.
    let mut script = Vec::new();
    let name = command.get_name().to_owned();
    clap_complete::generate(args.shell, &mut command, name, &mut script);
    out.write_all(&script)?;
    Ok(Status::Success)
}
