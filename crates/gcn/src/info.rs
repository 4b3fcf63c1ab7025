//! `gcn info`: describes a code object, as text or JSON.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::builder::TypedValueParser;
use gcn_isa::Target;
use gcn_object::{CodeObject, Feature, KernelDescriptor, ObjectKernel, UserSgpr};
use serde::Serialize;

use crate::file::FileBytes;
use crate::kernel_text::{ARGUMENTS, argument_line, sgprs};
use crate::render::printable;
use crate::{Status, UsageError, driver, input, object, render};

/// Examples for `--help`.
pub const EXAMPLES: &str = "\
Examples:
  gcn info kernel.co
  gcn info --json kernel.co
  gcn info librocsparse.so --target gfx906 --kernel 'axpyi_kernel<256, int, float, float>'";

/// The arguments of `gcn info`.
#[derive(clap::Args)]
pub struct Args {
    /// Code object, file that contains code objects, or binary from Catalyst's OpenCL compiler or from Gallium; `-`
    /// reads standard input.
    input: PathBuf,
    /// Target of the code object to show, in a file that contains several: an offload bundle, or a program or library with
    /// bundles. By default, all of them are listed.
    #[arg(long, value_parser = input::TargetParser.map(|named| named.target), hide_possible_values = true)]
    target: Option<&'static Target>,
    /// Number of the code object to show, as listed.
    #[arg(long, value_name = "NUMBER")]
    entry: Option<usize>,
    /// Show only this kernel: its symbol, or its name in the source, with or without template arguments and parameters.
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Write JSON.
    #[arg(long)]
    pub json: bool,
}

/// Number of VGPRs per block; descriptors count blocks.
const VGPR_BLOCK: u32 = 4;
/// Number of SGPRs per block.
const SGPR_BLOCK: u32 = 8;
/// Maximum number of kernels named per code object when a file's code objects are listed; libraries have hundreds.
const MAX_NAMED: usize = 4;

/// Runs the command.
///
/// # Errors
/// Fails if the input cannot be read, no code object in it matches the options, or `out` cannot be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status> {
    let name = input::name(&args.input);
    let file = FileBytes::open(&args.input)?;
    if let Some(program) = driver::open(&file).with_context(|| name.clone())? {
        if args.entry.is_some() {
            let message = format!(
                "{name} is a {}, which has no numbered code objects",
                program.format
            );
            return Err(UsageError(message).into());
        }
        let kernel = args.kernel.as_deref();
        driver::show(&program, &name, args.target, kernel, args.json, out)?;
        file.check()?;
        return Ok(Status::Success);
    }
    let is_chosen = args.target.is_some() || args.entry.is_some() || args.kernel.is_some();
    if !is_chosen && let Some(list) = entries(&file).with_context(|| name.clone())? {
        return write_entries(&name, &list, args.json, out);
    }
    let choice = object::ObjectChoice {
        target: args.target,
        entry: args.entry,
        kernel: args.kernel.as_deref(),
    };
    let object = object::read(&file, choice).with_context(|| name.clone())?;
    if let Some(asked) = args.target
        && let Some(own) = object::contradicts(&object, asked)
    {
        let message = format!("the code is for {own}, not for {}", asked.name);
        render::warn(&name, &message);
    }
    let mut report = ObjectReport::new(&object);
    if let Some(kernel) = &args.kernel {
        let symbol = &object.find_kernel(kernel)?.name;
        report.kernels.retain(|kernel| kernel.name == *symbol);
    }
    if args.json {
        render::json(&report, out)?;
    } else {
        report.write(&name, out)?;
    }
    file.check()?;
    Ok(Status::Success)
}

/// JSON report of a code object in a file that contains several.
#[derive(Serialize)]
struct EntryReport {
    /// Number starting at 1, as accepted by `--entry`.
    entry: usize,
    /// Entry ID as stored in the file: the kind and the target.
    id: String,
    target: Option<String>,
    bytes: usize,
    /// Names of the kernels; empty if the code object cannot be read.
    kernels: Vec<String>,
}

/// Code objects of a file that contains more than one; `None` for other files.
fn entries(file: &FileBytes) -> Result<Option<Vec<EntryReport>>> {
    let Some(entries) = object::Entries::of(file)? else {
        return Ok(None);
    };
    let mut list = Vec::new();
    for numbered in entries {
        let (number, entry) = numbered?;
        let kernels = entry.kernel_names().unwrap_or_default();
        let kernels = kernels.into_iter().map(Cow::into_owned).collect();
        list.push(EntryReport {
            entry: number,
            target: entry.target().map(str::to_owned),
            bytes: entry.bytes.len(),
            kernels,
            id: entry.id,
        });
    }
    Ok((list.len() > 1).then_some(list))
}

fn write_entries(
    name: &str,
    list: &[EntryReport],
    json: bool,
    out: &mut dyn Write,
) -> Result<Status> {
    if json {
        render::json(list, out)?;
        return Ok(Status::Success);
    }
    writeln!(out, "{}: {} code objects", printable(name), list.len())?;
    for report in list {
        let mut kernels: Vec<_> = report
            .kernels
            .iter()
            .take(MAX_NAMED)
            .map(short_name)
            .collect();
        if let more @ 1.. = report.kernels.len().saturating_sub(MAX_NAMED) {
            kernels.push(format!("{more} more"));
        }
        writeln!(
            out,
            "{:>4}  {:24}  {:>9} bytes  {}",
            report.entry,
            printable(report.target.as_deref().unwrap_or("")),
            report.bytes,
            kernels.join(", ")
        )?;
    }
    writeln!(
        out,
        "choose one with --target, with --entry and its number, or with --kernel"
    )?;
    Ok(Status::Success)
}

/// Source name of a kernel without parameters, as accepted by `--kernel`.
fn short_name(symbol: &String) -> String {
    let name = gcn_object::source_name(symbol);
    printable(name.as_ref().unwrap_or(symbol))
}

/// JSON report of a code object.
#[derive(Serialize)]
struct ObjectReport {
    /// LLVM's processor name.
    target: Option<String>,
    /// GCN version, such as `GCN 1.4`; `None` for processors that are not GCN.
    isa: Option<&'static str>,
    code_object_version: u8,
    /// XNACK setting: `unsupported`, `any`, `off` or `on`.
    xnack: &'static str,
    sramecc: &'static str,
    linked: bool,
    kernels: Vec<KernelReport>,
    /// Defects of the file that do not prevent loading.
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct KernelReport {
    name: String,
    /// Address of the first instruction.
    entry: u64,
    code_bytes: u64,
    arguments: Vec<ArgumentReport>,
    argument_bytes: u64,
    argument_alignment: Option<u64>,
    /// Number of SGPRs that the compiler states, or else the number allocated.
    sgprs: Option<u64>,
    vgprs: Option<u64>,
    /// Allocated SGPRs; `None` for processors that are not GCN.
    sgprs_allocated: Option<u32>,
    vgprs_allocated: Option<u32>,
    /// Contents of the user SGPRs.
    user_sgprs: Vec<UserSgprReport>,
    /// Static LDS in bytes.
    lds_bytes: u64,
    scratch_bytes_per_lane: u64,
    uses_dynamic_stack: bool,
    required_workgroup: Option<[u64; 3]>,
    max_workgroup: Option<u64>,
    language: Option<String>,
}

#[derive(Serialize)]
struct ArgumentReport {
    name: Option<String>,
    kind: String,
    r#type: Option<String>,
    address_space: Option<String>,
    offset: u64,
    size: u64,
    hidden: bool,
}

#[derive(Serialize)]
struct UserSgprReport {
    holds: UserSgpr,
    first: u32,
    count: u32,
}

impl ObjectReport {
    fn new(object: &CodeObject) -> ObjectReport {
        let target = object::target(object).ok();
        ObjectReport {
            target: target
                .map(|target| target.name)
                .or(object.processor())
                .map(str::to_owned),
            isa: target.map(|target| target.isa.version()),
            code_object_version: object.version.number(),
            // Code object versions 2 and 3 represent an unsupported feature as off.
            xnack: setting(object.flags.xnack, target.is_none_or(|target| target.xnack)),
            sramecc: setting(
                object.flags.sramecc,
                target.is_none_or(|target| target.sramecc),
            ),
            linked: object.linked,
            kernels: object
                .kernels
                .iter()
                .map(|kernel| KernelReport::new(kernel, target))
                .collect(),
            warnings: object.warnings.iter().map(ToString::to_string).collect(),
        }
    }

    fn write(&self, name: &str, out: &mut dyn Write) -> io::Result<()> {
        let target = self.target.as_deref().unwrap_or("an unknown processor");
        write!(
            out,
            "{}: code object v{} for {}",
            printable(name),
            self.code_object_version,
            printable(target)
        )?;
        if let Some(isa) = self.isa {
            write!(out, " ({isa})")?;
        }
        for (name, feature) in [("xnack", self.xnack), ("sramecc", self.sramecc)] {
            if feature != UNSUPPORTED {
                write!(out, ", {name} {feature}")?;
            }
        }
        writeln!(out, "{}", if self.linked { "" } else { ", not linked" })?;
        for warning in &self.warnings {
            writeln!(out, "warning: {}", printable(warning))?;
        }
        if self.kernels.is_empty() {
            writeln!(out, "no kernels")?;
        }
        self.kernels.iter().try_for_each(|kernel| kernel.write(out))
    }
}

impl KernelReport {
    fn new(kernel: &ObjectKernel, target: Option<&Target>) -> KernelReport {
        let descriptor = &kernel.descriptor;
        let metadata = kernel.metadata.as_ref();
        let sgprs_allocated = target.map(|target| sgprs_allocated(descriptor, target));
        let vgpr_blocks = descriptor
            .compute_pgm_rsrc1
            .granulated_workitem_vgpr_count()
            + 1;
        let vgprs_allocated = target.map(|_| vgpr_blocks * VGPR_BLOCK);
        let arguments = metadata.map_or(&[][..], |metadata| &metadata.args);
        KernelReport {
            name: kernel.name.clone(),
            entry: kernel.entry_address,
            code_bytes: kernel.code_size,
            arguments: arguments
                .iter()
                .map(|argument| ArgumentReport {
                    name: argument.name.clone(),
                    kind: argument.value_kind.name().to_owned(),
                    r#type: argument.type_name.clone(),
                    address_space: argument
                        .address_space
                        .as_ref()
                        .map(|space| space.name().to_owned()),
                    offset: argument.offset,
                    size: argument.size,
                    hidden: argument.value_kind.is_hidden(),
                })
                .collect(),
            argument_bytes: metadata.map_or(u64::from(descriptor.kernarg_size), |metadata| {
                metadata.kernarg_segment_size
            }),
            argument_alignment: metadata.map(|metadata| metadata.kernarg_segment_align),
            sgprs: metadata
                .and_then(|metadata| metadata.sgpr_count)
                .or(sgprs_allocated.map(u64::from)),
            vgprs: metadata
                .and_then(|metadata| metadata.vgpr_count)
                .or(vgprs_allocated.map(u64::from)),
            sgprs_allocated,
            vgprs_allocated,
            user_sgprs: descriptor
                .kernel_code_properties
                .user_sgprs()
                .map(|(holds, first, count)| UserSgprReport {
                    holds,
                    first,
                    count,
                })
                .collect(),
            lds_bytes: u64::from(descriptor.group_segment_fixed_size),
            scratch_bytes_per_lane: u64::from(descriptor.private_segment_fixed_size),
            uses_dynamic_stack: descriptor.kernel_code_properties.uses_dynamic_stack(),
            required_workgroup: metadata.and_then(|metadata| metadata.reqd_workgroup_size),
            max_workgroup: metadata.and_then(|metadata| metadata.max_flat_workgroup_size),
            language: metadata.and_then(|metadata| metadata.language.clone()),
        }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "\nkernel {}", printable(&self.name))?;
        if let Some(declaration) = gcn_object::declaration(&self.name) {
            writeln!(out, "  source     {}", printable(&declaration))?;
        }
        writeln!(
            out,
            "  code       {} bytes at {:#x}",
            self.code_bytes, self.entry
        )?;
        writeln!(
            out,
            "  registers  {}, {}",
            registers("SGPRs", self.sgprs, self.sgprs_allocated),
            registers("VGPRs", self.vgprs, self.vgprs_allocated)
        )?;
        writeln!(out, "  LDS        {} bytes", self.lds_bytes)?;
        let stack = if self.uses_dynamic_stack {
            ", and a stack of unknown depth"
        } else {
            ""
        };
        writeln!(
            out,
            "  scratch    {} bytes a lane{stack}",
            self.scratch_bytes_per_lane
        )?;
        if let Some([x, y, z]) = self.required_workgroup {
            writeln!(out, "  workgroup  {x} x {y} x {z}, required")?;
        } else if let Some(most) = self.max_workgroup {
            writeln!(out, "  workgroup  at most {most} work-items")?;
        }
        for user in &self.user_sgprs {
            let registers = sgprs(user.first, user.count);
            writeln!(out, "  {registers:10} {:?}", user.holds)?;
        }
        writeln!(out, "  arguments  {} bytes", self.argument_bytes)?;
        if !self.arguments.is_empty() {
            writeln!(out, "{ARGUMENTS}")?;
        }
        for argument in &self.arguments {
            let line = argument_line(
                &argument.offset.to_string(),
                &argument.size.to_string(),
                &argument.kind,
                [argument.name.as_deref(), argument.r#type.as_deref()],
            );
            writeln!(out, "{line}")?;
        }
        Ok(())
    }
}

/// Formats the numbers of used and allocated registers.
fn registers(kind: &str, used: Option<u64>, allocated: Option<u32>) -> String {
    let used = used.map_or("?".to_owned(), |used| used.to_string());
    match allocated {
        Some(allocated) => format!("{used} {kind} ({allocated} allocated)"),
        None => format!("{used} {kind}"),
    }
}

/// Setting of a feature that the processor does not have.
const UNSUPPORTED: &str = "unsupported";

/// Formats a feature's setting; `exists` is false if the processor does not have the feature.
fn setting(feature: Feature, exists: bool) -> &'static str {
    match feature {
        _ if !exists => UNSUPPORTED,
        Feature::Unsupported => UNSUPPORTED,
        Feature::Any => "any",
        Feature::Off => "off",
        Feature::On => "on",
    }
}

/// Number of SGPRs that hardware allocates for a kernel. Since GCN 1.2, hardware allocates pairs of the blocks that the
/// descriptor counts.
fn sgprs_allocated(descriptor: &KernelDescriptor, target: &Target) -> u32 {
    let blocks = descriptor
        .compute_pgm_rsrc1
        .granulated_wavefront_sgpr_count()
        + 1;
    let pairs = target.isa >= gcn_isa::Isa::Vi;
    (if pairs {
        blocks.next_multiple_of(2)
    } else {
        blocks
    }) * SGPR_BLOCK
}
