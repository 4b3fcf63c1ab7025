//! Profile reports: counts by instruction, source line and kernel, as text, HTML and JSON.

mod table;
mod page;
mod write;

use std::collections::BTreeMap;

use gcn_observe::profile::{Class, Counted, Counts, KernelCounts, Kernels};
use serde::Serialize;

use super::code_map::CodeMap;
use super::text::kernel_name;

pub use page::ProfilePage;

/// Schema version of [`ProfileReport`].
const VERSION: u32 = 1;

/// Profile with symbols and sources. [`std::fmt::Display`] writes tables of the hottest code, and
/// [`ProfilePage`](super::ProfilePage) writes HTML. The field names are the keys of the JSON that `serde` writes;
/// `docs/profile.md` describes them.
///
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
/// # use example::add_one;
/// use gcn_runtime::observe::Observers;
/// use gcn_report::settings::ProfileFormat;
/// use gcn_report::Profiling;
/// use gcn_runtime::{Device, Error};
///
/// let device = Device::new("gfx900")?;
/// let kernel = device.load(&add_one())?.kernel("add_one")?;
/// let numbers = device.buffer("numbers", &[0u32; 64])?;
/// let profiling = Profiling::default();
/// let observers = profiling.watch(&kernel, Observers::none());
/// kernel.launch([64, 1, 1]).arg(&numbers).observers(&observers).run(&device.queue())?;
///
/// let report = profiling.report();
/// assert!(report.to_string().starts_with("kernel add_one: 1 dispatch, 1 workgroup, 1 wave, "));
/// let mut page = Vec::new();
/// report.write(ProfileFormat::Html, &mut page).expect("a vector can be written");
/// assert!(page.starts_with(b"<!DOCTYPE html>"));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Serialize)]
pub struct ProfileReport {
    version: u32,
    /// Kernels, sorted by symbol, then by target.
    kernels: Vec<KernelProfile>,
}

/// Profile of a kernel.
#[derive(Clone, Debug, Serialize)]
struct KernelProfile {
    /// Symbol, if the kernel has one.
    name: Option<String>,
    /// Name of the target.
    target: &'static str,
    dispatches: u64,
    workgroups: u64,
    waves: u64,
    /// Sums over all instructions.
    #[serde(flatten)]
    total: CountsReport,
    /// Number of executed instructions of each class that occurs.
    classes: BTreeMap<&'static str, u64>,
    /// Executed instructions, sorted by address.
    instructions: Vec<InstructionProfile>,
    /// Source lines from debug information, sorted by file and line.
    lines: Vec<LineProfile>,
}

/// Counts, with their names in JSON.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct CountsReport {
    executions: u64,
    vector_executions: u64,
    active_lanes: u64,
    accesses: u64,
    bytes: u64,
    memory_accesses: u64,
    cache_lines: u64,
    bank_conflicts: u64,
}

impl From<Counts> for CountsReport {
    fn from(it: Counts) -> CountsReport {
        CountsReport {
            executions: it.executions,
            vector_executions: it.vector_executions,
            active_lanes: it.active_lanes,
            accesses: it.accesses,
            bytes: it.bytes,
            memory_accesses: it.memory_accesses,
            cache_lines: it.lines,
            bank_conflicts: it.bank_conflicts,
        }
    }
}

impl CountsReport {
    /// Returns the average number of active lanes per vector instruction.
    fn lanes(&self) -> Option<f64> {
        ratio(self.active_lanes, self.vector_executions)
    }

    /// Returns the average number of cache lines per memory access.
    fn lines_per_access(&self) -> Option<f64> {
        ratio(self.cache_lines, self.memory_accesses)
    }
}

/// Returns the ratio of two numbers, or `None` if the denominator is 0.
fn ratio(of: u64, by: u64) -> Option<f64> {
    (by != 0).then(|| of as f64 / by as f64)
}

/// Profile of an instruction.
#[derive(Clone, Debug, Serialize)]
struct InstructionProfile {
    /// Address of the instruction.
    pc: u64,
    /// Preceding symbol and the offset from it.
    place: Option<String>,
    /// Text of the instruction.
    instruction: String,
    class: &'static str,
    #[serde(flatten)]
    counts: CountsReport,
    /// Size in bytes of the unexecuted code between the previous entry and this entry.
    skipped_bytes: u64,
    /// Source file in the debug information, if known.
    file: Option<String>,
    /// Source line number, starting at 1.
    line: Option<u32>,
    /// Inlining chain. Empty if the code was not inlined.
    #[serde(skip)]
    inlined: String,
    /// Text of the line, if the file is readable.
    #[serde(skip)]
    text: Option<String>,
}

/// Profile of a source line, with counts summed over its instructions.
#[derive(Clone, Debug, Serialize)]
struct LineProfile {
    file: String,
    line: u32,
    /// Text of the line, if the file is readable.
    text: Option<String>,
    #[serde(flatten)]
    counts: CountsReport,
}

impl InstructionProfile {
    fn new(pc: u64, counted: &Counted, code: &CodeMap<'_>) -> InstructionProfile {
        let source = code.source_line(pc);
        let at = source.as_ref().map(|source| &source.place);
        InstructionProfile {
            pc,
            place: code.symbolic(pc),
            instruction: counted.inst.text(),
            class: counted.class.name(),
            counts: counted.counts.into(),
            skipped_bytes: 0,
            file: at.map(|at| at.file.to_string()),
            line: at.map(|at| at.line).filter(|line| *line != 0),
            inlined: source
                .as_ref()
                .map(|source| source.inlined.trim_start().to_owned())
                .unwrap_or_default(),
            text: source.and_then(|source| source.text),
        }
    }
}

impl KernelProfile {
    fn new(name: Option<String>, kernel: &KernelCounts, code: &CodeMap<'_>) -> KernelProfile {
        let mut total = Counts::default();
        let mut classes = BTreeMap::new();
        let mut lines: BTreeMap<(String, u32), (Option<String>, Counts)> = BTreeMap::new();
        let mut instructions = Vec::new();
        // Address of the next entry if no code is skipped.
        let mut following = None;
        for (&pc, counted) in &kernel.code {
            total += counted.counts;
            *classes.entry(counted.class.name()).or_default() += counted.counts.executions;
            let mut instruction = InstructionProfile::new(pc, counted, code);
            if let (Some(file), Some(line)) = (&instruction.file, instruction.line) {
                let line = lines.entry((file.clone(), line));
                let (text, sum) = line.or_default();
                text.clone_from(&instruction.text);
                *sum += counted.counts;
            }
            instruction.skipped_bytes = pc.saturating_sub(following.unwrap_or(pc));
            following = Some(pc.saturating_add(4 * counted.inst.dwords() as u64));
            instructions.push(instruction);
        }
        let lines = lines.into_iter();
        let lines = lines.map(|((file, line), (text, counts))| LineProfile {
            file,
            line,
            text,
            counts: counts.into(),
        });
        KernelProfile {
            name,
            target: code.target(),
            dispatches: kernel.dispatches,
            workgroups: kernel.workgroups,
            waves: kernel.waves,
            total: total.into(),
            classes,
            instructions,
            lines: lines.collect(),
        }
    }

    /// Returns the symbol, followed by the demangled name for a C++ kernel.
    fn title(&self) -> String {
        let name = self.name.as_deref().map(kernel_name);
        name.unwrap_or_else(|| "without a name".to_owned())
    }

    /// Returns the classes that occur and their numbers of executions, in the order of [`Class::ALL`].
    fn mix(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let names = Class::ALL.iter().map(|class| class.name());
        names.filter_map(|name| Some((name, *self.classes.get(name)?)))
    }
}

impl ProfileReport {
    /// Creates the report for the kernels of several code objects.
    pub(crate) fn of_codes<'m>(
        codes: impl Iterator<Item = (CodeMap<'m>, Kernels)>,
    ) -> ProfileReport {
        let mut kernels: Vec<KernelProfile> = codes
            .flat_map(|(code, kernels)| {
                let of_code = |(name, kernel)| KernelProfile::new(name, &kernel, &code);
                kernels.into_iter().map(of_code).collect::<Vec<_>>()
            })
            .collect();
        // The sort is stable: kernels with the same name and target remain in the order of their code objects.
        kernels.sort_by(|a, b| (&a.name, a.target).cmp(&(&b.name, b.target)));
        ProfileReport {
            version: VERSION,
            kernels,
        }
    }

    /// Returns the distinct target names.
    fn targets(&self) -> Vec<&'static str> {
        let mut targets: Vec<_> = self.kernels.iter().map(|kernel| kernel.target).collect();
        targets.sort_unstable();
        targets.dedup();
        targets
    }

    /// Returns the number of executed instructions in all kernels.
    fn executions(&self) -> u64 {
        let executions = self.kernels.iter().map(|kernel| kernel.total.executions);
        executions.sum()
    }
}
