//! Listing of the host code compiled for hot blocks of kernels.

use std::io::{self, Write};
use std::path::Path;

use anyhow::Result;
use gcn_runtime::{Code, HostFunction, PreparedLaunch};
use iced_x86::{Decoder, DecoderOptions, FastFormatter};

use crate::{input, outputs};

/// Destination of the listing.
pub struct HostCodeFile<'a> {
    /// `None` for standard output.
    file: Option<&'a Path>,
}

impl HostCodeFile<'_> {
    /// Creates a destination from a path; `-` is standard output.
    ///
    /// # Errors
    /// Fails if a file cannot be created at the path.
    pub fn new(path: &Path) -> Result<HostCodeFile<'_>> {
        let file = (path != Path::new(input::STDIN)).then_some(path);
        file.map_or(Ok(()), outputs::check_place)?;
        Ok(HostCodeFile { file })
    }

    /// Writes the host code of launches that have run.
    ///
    /// # Errors
    /// Fails if the file, or `out` for standard output, cannot be written.
    pub fn write(self, launches: &[PreparedLaunch], out: &mut dyn Write) -> Result<()> {
        match self.file {
            Some(path) => outputs::write(path, |file| list(launches, file)),
            None => Ok(list(launches, out)?),
        }
    }
}

/// Lists the host functions of the launched kernels. A kernel that was launched several times is listed once.
fn list(launches: &[PreparedLaunch], out: &mut dyn Write) -> io::Result<()> {
    for (number, launch) in launches.iter().enumerate() {
        let code = launch.code();
        let mut earlier = launches[..number].iter();
        if earlier.any(|it| std::ptr::eq(it.code(), code)) {
            continue;
        }
        let functions = code.host_functions();
        let name = launch.kernel().name();
        if functions.is_empty() {
            writeln!(out, "; {name}: no host code")?;
        }
        for function in &functions {
            writeln!(
                out,
                "; {name}: {} bytes of host code\n",
                function.code.len()
            )?;
            list_function(function, code, out)?;
        }
    }
    Ok(())
}

/// Lists a function: for each block, its GCN instructions and then its host code.
fn list_function(function: &HostFunction<'_>, code: &Code, out: &mut dyn Write) -> io::Result<()> {
    let mut blocks = function.blocks.iter().peekable();
    let mut formatter = FastFormatter::new();
    let mut text = String::new();
    let bits = usize::BITS;
    let decoder = Decoder::with_ip(bits, function.code, function.address, DecoderOptions::NONE);
    for instruction in decoder {
        let offset = (instruction.ip() - function.address) as usize;
        while let Some(found) = blocks.next_if(|block| block.offset <= offset) {
            let steps = found.block.steps();
            let compiled = found.compiled;
            writeln!(
                out,
                "\n; block of {} instructions, {compiled} of them as host code",
                steps.len()
            )?;
            for step in steps {
                writeln!(
                    out,
                    ";   {:#x}: {}",
                    code.address(step.index),
                    step.inst.text()
                )?;
            }
        }
        text.clear();
        formatter.format(&instruction, &mut text);
        writeln!(out, "{:#x}: {text}", instruction.ip())?;
    }
    Ok(())
}
