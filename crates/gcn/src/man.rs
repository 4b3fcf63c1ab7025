//! `gcn man`: manual pages, generated from the definition of the command line.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Command;
use clap_mangen::Man;

use crate::{Status, UsageError, outputs};

/// Examples for `--help`.
pub const EXAMPLES: &str = "\
Examples:
  gcn man asm | man -l -
  gcn man --output ~/.local/share/man/man1";

/// The arguments of `gcn man`.
#[derive(clap::Args)]
pub struct Args {
    /// Command whose page is printed; by default, gcn itself.
    #[arg(conflicts_with = "output")]
    command: Option<String>,
    /// Directory to write the pages of all commands to; created if it does not exist.
    #[arg(short, long, value_name = "DIRECTORY")]
    output: Option<PathBuf>,
}

/// Runs the command. `command` is the definition of the command line.
///
/// # Errors
/// Fails if the command does not exist, or the output cannot be written.
pub fn run(args: &Args, command: Command, out: &mut dyn Write) -> Result<Status> {
    let mut gcn = command.disable_help_subcommand(true);
    gcn.build();
    if let Some(directory) = &args.output {
        fs::create_dir_all(directory).with_context(|| outputs::unwritable(directory))?;
        write_pages(gcn, directory)?;
        return Ok(Status::Success);
    }
    let command = match &args.command {
        None => gcn,
        Some(name) => gcn
            .find_subcommand(name)
            .cloned()
            .ok_or_else(|| UsageError(format!("there is no command `{name}`")))?,
    };
    Man::new(command).render(out)?;
    Ok(Status::Success)
}

/// Writes the pages of a command and its subcommands.
fn write_pages(command: Command, directory: &Path) -> Result<()> {
    for command in command.get_subcommands() {
        write_pages(command.clone(), directory)?;
    }
    let page = Man::new(command);
    let path = directory.join(page.get_filename());
    outputs::write(&path, |file| page.render(file))
}
