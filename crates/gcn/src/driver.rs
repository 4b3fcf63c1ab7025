//! Binaries from OpenCL drivers (Catalyst and Gallium), for `gcn info` and `gcn dis`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anyhow::Result;
use gcn_asm::list::{ListedCode, ListedSymbol};
use gcn_isa::{Isa, Target};
use gcn_object::{DriverKernel, DriverProgram, is_driver_program, read_driver_program};
use serde::Serialize;

use crate::file::FileBytes;
use crate::render::printable;
use crate::{UsageError, kernel_text, render};

/// Name of the code section in a listing.
const CODE_SECTION: &str = ".text";
/// Alignment of a kernel's code, in bytes.
const CODE_ALIGN: u64 = 256;

/// Opens a driver program; `None` for other files.
///
/// # Errors
/// Fails if the program is malformed, or is for a CPU.
pub fn open(file: &FileBytes) -> Result<Option<DriverProgram<'static>>> {
    if !is_driver_program(file) {
        return Ok(None);
    }
    let program = read_driver_program(file.shared())?;
    Ok(Some(program))
}

fn own_target(program: &DriverProgram) -> Option<&'static Target> {
    program.processor.as_deref().and_then(Target::named)
}

/// Target for decoding a program: the requested target, or else the program's. Warns if their instruction sets differ.
fn target(
    program: &DriverProgram,
    asked: Option<&'static Target>,
    name: &str,
) -> Option<&'static Target> {
    let own = own_target(program);
    if let (Some(asked), Some(own)) = (asked, own)
        && asked.isa != own.isa
    {
        let message = format!(
            "the code is for {}, but is read as code for {}",
            own.name, asked.name
        );
        render::warn(name, &message);
    }
    asked.or(own)
}

/// Code of a program, or of one of its kernels.
///
/// # Errors
/// Fails if the kernel does not exist, or neither the program nor the command line names a target.
pub fn code<'a>(
    program: &'a DriverProgram,
    name: &str,
    asked: Option<&'static Target>,
    kernel: Option<&str>,
) -> Result<ListedCode<'a>> {
    let only = kernel
        .map(|kernel| program.find_kernel(kernel))
        .transpose()?;
    for warning in &program.warnings {
        render::warn(name, warning);
    }
    let Some(target) = target(program, asked, name) else {
        let message = format!("a {} does not say its chip: add --target", program.format);
        return Err(UsageError(message).into());
    };
    // Kernels may share their code, which is listed once.
    let mut by_place: BTreeMap<usize, Vec<&DriverKernel>> = BTreeMap::new();
    let is_listed = |kernel: &&DriverKernel| {
        !kernel.file.is_empty() && only.is_none_or(|only| only.name == kernel.name)
    };
    for kernel in program.kernels.iter().filter(is_listed) {
        by_place.entry(kernel.file.start).or_default().push(kernel);
    }
    let mut code = ListedCode::raw(target.isa, &[]);
    code.sections.clear();
    for kernels in by_place.values() {
        let Some(first) = kernels.first() else {
            continue;
        };
        let bytes = program.code(first);
        for mut section in ListedCode::raw(target.isa, bytes).sections {
            section.name = Some(CODE_SECTION);
            section.address = first.address;
            section.align = CODE_ALIGN;
            section.symbols = kernels.iter().map(|kernel| symbol(kernel)).collect();
            code.sections.push(section);
        }
    }
    Ok(code)
}

fn symbol(kernel: &DriverKernel) -> ListedSymbol<'_> {
    ListedSymbol {
        name: &kernel.name,
        offset: 0,
        size: 0,
        data: 0,
        global: true,
        function: true,
        before: "",
        data_text: None,
    }
}

/// Prints information about a program, or about one of its kernels.
///
/// # Errors
/// Fails if the kernel does not exist, or the output cannot be written.
pub fn show(
    program: &DriverProgram,
    name: &str,
    asked: Option<&'static Target>,
    kernel: Option<&str>,
    json: bool,
    out: &mut dyn Write,
) -> Result<()> {
    let only = kernel
        .map(|kernel| program.find_kernel(kernel))
        .transpose()?;
    let mut report = DriverReport::new(program, target(program, asked, name));
    if let Some(only) = only {
        report.kernels.retain(|kernel| kernel.name == only.name);
    }
    if json {
        render::json(&report, out)?;
    } else {
        report.write(name, out)?;
    }
    Ok(())
}

/// JSON report of a program.
#[derive(Serialize)]
struct DriverReport {
    format: String,
    /// Width of the ELF file, 32 or 64.
    bits: u8,
    /// AMD's chip name.
    chip: Option<&'static str>,
    /// LLVM's processor name.
    target: Option<String>,
    isa: Option<&'static str>,
    producer: Option<String>,
    compile_options: Option<String>,
    constant_bytes: usize,
    kernels: Vec<DriverKernelReport>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct DriverKernelReport {
    name: String,
    /// Offset of the first instruction in its section.
    entry: u64,
    code_bytes: usize,
    /// Number of SGPRs; like the following fields, `None` if the program does not state it.
    sgprs: Option<u32>,
    vgprs: Option<u32>,
    lds_bytes: Option<u64>,
    scratch_bytes_per_lane: Option<u64>,
    required_workgroup: Option<[u32; 3]>,
    user_sgprs: Vec<DriverUserSgprReport>,
    arguments: Vec<DriverArgumentReport>,
}

#[derive(Serialize)]
struct DriverUserSgprReport {
    holds: String,
    first: u32,
    count: u32,
}

#[derive(Serialize)]
struct DriverArgumentReport {
    name: Option<String>,
    kind: String,
    r#type: Option<String>,
    offset: Option<u32>,
    size: Option<u32>,
}

impl DriverReport {
    fn new(program: &DriverProgram, target: Option<&'static Target>) -> DriverReport {
        let kernels = program.kernels.iter();
        DriverReport {
            format: program.format.to_string(),
            bits: program.bits,
            chip: program.chip.map(|chip| chip.name),
            target: program.processor.clone(),
            isa: own_target(program).map(|target| target.isa.version()),
            producer: program.producer.clone(),
            compile_options: program.compile_options.clone(),
            constant_bytes: program.constant_bytes,
            kernels: kernels
                .map(|kernel| DriverKernelReport::new(kernel, target))
                .collect(),
            warnings: program.warnings.iter().map(ToString::to_string).collect(),
        }
    }

    fn write(&self, name: &str, out: &mut dyn Write) -> io::Result<()> {
        let chip = self.chip.map(str::to_owned);
        let names: Vec<String> = chip.into_iter().chain(self.target.clone()).collect();
        let chip = match &names[..] {
            [] => "an unknown chip".to_owned(),
            _ => names.join(", "),
        };
        write!(
            out,
            "{}: {} for {}",
            printable(name),
            self.format,
            printable(&chip)
        )?;
        if let Some(isa) = self.isa {
            write!(out, " ({isa})")?;
        }
        writeln!(out, ", {} bits", self.bits)?;
        for (what, text) in [
            ("made by", &self.producer),
            ("options", &self.compile_options),
        ] {
            if let Some(text) = text.as_ref().filter(|text| !text.is_empty()) {
                writeln!(out, "{what} {}", printable(text))?;
            }
        }
        if self.constant_bytes > 0 {
            writeln!(out, "constant data of {} bytes", self.constant_bytes)?;
        }
        for warning in &self.warnings {
            writeln!(out, "warning: {}", printable(warning))?;
        }
        if self.kernels.is_empty() {
            writeln!(out, "no kernels")?;
        }
        self.kernels.iter().try_for_each(|kernel| kernel.write(out))
    }
}

/// LDS size in bytes requested by RSRC2, which counts blocks of a chip-dependent size.
fn lds_bytes(kernel: &DriverKernel, target: Option<&Target>) -> Option<u64> {
    let blocks = kernel.rsrc2?.granulated_lds_size();
    let block = if target?.isa == Isa::Si { 256 } else { 512 };
    Some(u64::from(blocks) * block)
}

impl DriverKernelReport {
    fn new(kernel: &DriverKernel, target: Option<&Target>) -> DriverKernelReport {
        let user_data = kernel.user_data.iter();
        let arguments = kernel.arguments.iter();
        DriverKernelReport {
            name: kernel.name.clone(),
            entry: kernel.address,
            code_bytes: kernel.file.len(),
            sgprs: kernel.sgprs,
            vgprs: kernel.vgprs,
            lds_bytes: kernel.lds_bytes.or_else(|| lds_bytes(kernel, target)),
            scratch_bytes_per_lane: kernel.scratch_bytes_per_lane,
            required_workgroup: kernel.required_workgroup,
            user_sgprs: user_data
                .map(|data| DriverUserSgprReport {
                    holds: data.class.to_string(),
                    first: data.first,
                    count: data.count,
                })
                .collect(),
            arguments: arguments
                .map(|argument| DriverArgumentReport {
                    name: argument.name.clone(),
                    kind: argument.kind.to_string(),
                    r#type: argument.type_name.clone(),
                    offset: argument.offset,
                    size: argument.size,
                })
                .collect(),
        }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let number = |number: Option<u64>| number.map_or("?".to_owned(), |n| n.to_string());
        writeln!(out, "\nkernel {}", printable(&self.name))?;
        writeln!(
            out,
            "  code       {} bytes at {:#x}",
            self.code_bytes, self.entry
        )?;
        writeln!(
            out,
            "  registers  {} SGPRs, {} VGPRs",
            number(self.sgprs.map(u64::from)),
            number(self.vgprs.map(u64::from))
        )?;
        writeln!(out, "  LDS        {} bytes", number(self.lds_bytes))?;
        let scratch = number(self.scratch_bytes_per_lane);
        writeln!(out, "  scratch    {scratch} bytes a lane")?;
        if let Some([x, y, z]) = self.required_workgroup {
            writeln!(out, "  workgroup  {x} x {y} x {z}, required")?;
        }
        for user in &self.user_sgprs {
            let registers = kernel_text::sgprs(user.first, user.count);
            writeln!(out, "  {registers:10} {}", printable(&user.holds))?;
        }
        if !self.arguments.is_empty() {
            writeln!(out, "  arguments")?;
            writeln!(out, "{}", kernel_text::ARGUMENTS)?;
        }
        for argument in &self.arguments {
            let line = kernel_text::argument_line(
                &number(argument.offset.map(u64::from)),
                &number(argument.size.map(u64::from)),
                &argument.kind,
                [argument.name.as_deref(), argument.r#type.as_deref()],
            );
            writeln!(out, "{line}")?;
        }
        Ok(())
    }
}
