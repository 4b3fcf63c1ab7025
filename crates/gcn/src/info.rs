//! `gcn info`: what a code object holds, for people and as JSON.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::builder::TypedValueParser;
use gcn_isa::Target;
use gcn_object::{BundleEntry, CodeObject, Feature, Kernel, KernelDescriptor, UserSgpr};
use serde::Serialize;

use crate::render::printable;
use crate::{Status, input, object, render};

/// For `--help`.
pub const EXAMPLES: &str = "\
Examples:
  gcn info kernel.co
  gcn info --json kernel.co";

/// The arguments of `gcn info`.
#[derive(clap::Args)]
pub struct Args {
    /// The code object; `-` reads standard input.
    input: PathBuf,
    /// Which object of a file that holds several: an offload bundle, or a host program with bundles. Without it
    /// they are listed.
    #[arg(long, value_parser = input::TargetParser.map(|named| named.target), hide_possible_values = true)]
    target: Option<&'static Target>,
    /// Which object of a file that holds several, by the number in the list.
    #[arg(long, value_name = "NUMBER")]
    entry: Option<usize>,
    /// Write JSON.
    #[arg(long)]
    json: bool,
}

/// VGPRs are allocated in blocks of this many.
const VGPR_BLOCK: u32 = 4;
/// SGPRs are allocated in blocks of this many.
const SGPR_BLOCK: u32 = 8;

/// Carries the command out.
///
/// # Errors
/// The input cannot be read or is no code object.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status> {
    let name = input::name(&args.input);
    let bytes = input::read(&args.input)?;
    let is_chosen = args.target.is_some() || args.entry.is_some();
    if !is_chosen
        && let Some(devices) = object::devices(&bytes).with_context(|| name.clone())?
        && devices.len() > 1
    {
        return list(&name, &devices, args.json, out);
    }
    let choice = object::Choice {
        target: args.target,
        entry: args.entry,
        kernel: None,
    };
    let object = object::read(bytes, choice).with_context(|| name.clone())?;
    if let Some(asked) = args.target
        && let Some(own) = object::contradicts(&object, asked)
    {
        let message = format!("the code is for {own}, not for {}", asked.name);
        render::warn(&name, &message);
    }
    let report = Report::new(&object);
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &report).map_err(io::Error::from)?;
        writeln!(out)?;
    } else {
        report.write(&name, out)?;
    }
    Ok(Status::Success)
}

/// A code object of a file that holds several.
#[derive(Serialize)]
struct EntryReport<'a> {
    /// Counted from 1; `--entry` takes it.
    entry: usize,
    /// Kind and target as the file has them.
    id: &'a str,
    target: Option<&'a str>,
    bytes: usize,
    /// Names of its kernels; none if it is no code object that can be read.
    kernels: Vec<String>,
}

/// Lists the code objects of a file that holds several.
fn list(name: &str, devices: &[BundleEntry], json: bool, out: &mut dyn Write) -> Result<Status> {
    let report = |(index, device): (usize, &BundleEntry)| {
        let kernels = device.read().map(|object| object.kernels);
        let names = kernels.unwrap_or_default().into_iter();
        (index + 1, names.map(|kernel| kernel.name).collect())
    };
    let found: Vec<(usize, Vec<String>)> = devices.iter().enumerate().map(report).collect();
    let reports: Vec<EntryReport> = devices
        .iter()
        .zip(found)
        .map(|(device, (entry, kernels))| EntryReport {
            entry,
            id: &device.id,
            target: device.target(),
            bytes: device.bytes.len(),
            kernels,
        })
        .collect();
    if json {
        serde_json::to_writer_pretty(&mut *out, &reports).map_err(io::Error::from)?;
        writeln!(out)?;
        return Ok(Status::Success);
    }
    writeln!(out, "{}: {} code objects", printable(name), reports.len())?;
    for report in &reports {
        let kernels: Vec<_> = report.kernels.iter().map(|name| printable(name)).collect();
        writeln!(
            out,
            "{:>4}  {:24}  {:>9} bytes  {}",
            report.entry,
            printable(report.target.unwrap_or("")).to_string(),
            report.bytes,
            kernels.join(", ")
        )?;
    }
    writeln!(
        out,
        "choose one with --target, or with --entry and its number"
    )?;
    Ok(Status::Success)
}

/// What is reported; the fields are the keys of the JSON.
#[derive(Serialize)]
struct Report {
    /// LLVM's name of the processor.
    target: Option<String>,
    /// `GCN 1.4`; nothing for processors that are not GCN.
    isa: Option<&'static str>,
    code_object_version: u8,
    /// `unsupported`, `any`, `off` or `on`.
    xnack: &'static str,
    sramecc: &'static str,
    linked: bool,
    kernels: Vec<KernelReport>,
    /// What is wrong with the file without standing in the way.
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
    /// As the compiler counts them; as allocated where it does not say.
    sgprs: Option<u64>,
    vgprs: Option<u64>,
    /// Processors that are not GCN allocate otherwise.
    sgprs_allocated: Option<u32>,
    vgprs_allocated: Option<u32>,
    /// What the first SGPRs hold.
    user_sgprs: Vec<UserSgprReport>,
    /// Without the dynamic part.
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

impl Report {
    fn new(object: &CodeObject) -> Report {
        let target = object::target(object).ok();
        Report {
            target: target
                .map(|target| target.name)
                .or(object.processor())
                .map(str::to_owned),
            isa: target.map(|target| target.isa.version()),
            code_object_version: object.version.number(),
            // Versions 2 and 3 say "off" of what the processor does not have.
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
    fn new(kernel: &Kernel, target: Option<&Target>) -> KernelReport {
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
            let last = user.first + user.count - 1;
            let registers = if user.count == 1 {
                format!("s{last}")
            } else {
                format!("s[{}:{last}]", user.first)
            };
            writeln!(out, "  {registers:10} {:?}", user.holds)?;
        }
        writeln!(out, "  arguments  {} bytes", self.argument_bytes)?;
        if !self.arguments.is_empty() {
            writeln!(
                out,
                "    offset   size  kind                      name: type"
            )?;
        }
        for argument in &self.arguments {
            let what = match (&argument.name, &argument.r#type) {
                (Some(name), Some(r#type)) => format!("{name}: {type}"),
                (Some(one), None) | (None, Some(one)) => one.clone(),
                (None, None) => String::new(),
            };
            let line = format!(
                "    {:6} {:6}  {:25} {}",
                argument.offset,
                argument.size,
                printable(&argument.kind),
                printable(&what)
            );
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// How many registers of a kind a kernel uses and gets.
fn registers(kind: &str, used: Option<u64>, allocated: Option<u32>) -> String {
    let used = used.map_or("?".to_owned(), |used| used.to_string());
    match allocated {
        Some(allocated) => format!("{used} {kind} ({allocated} allocated)"),
        None => format!("{used} {kind}"),
    }
}

/// A setting of a processor that does not have it.
const UNSUPPORTED: &str = "unsupported";

/// A setting as JSON and text have it.
fn setting(feature: Feature, exists: bool) -> &'static str {
    match feature {
        _ if !exists => UNSUPPORTED,
        Feature::Unsupported => UNSUPPORTED,
        Feature::Any => "any",
        Feature::Off => "off",
        Feature::On => "on",
    }
}

/// SGPRs that the descriptor asks for. From GCN 1.2 on they come in pairs of blocks; LLVM's descriptors for
/// GCN 1.2 and 1.4 count single blocks with an even number of them.
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
