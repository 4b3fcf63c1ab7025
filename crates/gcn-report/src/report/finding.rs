//! Reports of findings.

use std::fmt;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer};
use gcn_isa::uses::Space;
use gcn_observe::finding::{Finding, Kind, Severity};
use serde::{Serialize, Serializer};

use super::code_map::CodeMap;
use super::language::KernelLanguage;
use super::launch::ReportLaunch;
use super::place::PlaceReport;
use super::text::{kernel_name, printable};

/// Finding with all information that helps to understand it. [`fmt::Display`] formats it like a compiler diagnostic.
/// The field names are the keys of the JSON that `serde` writes.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
/// # let (device, kernel) = example::add_one_kernel();
/// use gcn_report::Checking;
/// use gcn_report::settings::CheckSettings;
/// let checking = Checking::new(CheckSettings::default())?;
/// let short = device.buffer("short", &[0u32; 4])?;
/// let observers = checking.launch(kernel.name());
/// let _ = kernel.launch([64, 1, 1]).arg(&short).observers(&observers).run(&device.queue());
/// let report = checking.collect(kernel.module()).remove(0);
/// assert_eq!((report.name, report.severity), ("global-out-of-bounds", "error"));
/// assert_eq!(report.instruction(), Some("global_atomic_add v0, v1, s[0:1]"));
/// assert_eq!((report.kernel(), report.place.line), (Some("add_one"), None), "no debug information");
/// assert!(report.to_string().starts_with("error[global-out-of-bounds]: "), "{report}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize)]
pub struct FindingReport {
    /// Name for `gcn explain`.
    pub name: &'static str,
    /// `error` or `warning`.
    pub severity: &'static str,
    /// Description in one sentence, without the final period.
    pub message: String,
    /// Symbol of the kernel.
    kernel: Option<String>,
    /// Offending instruction.
    #[serde(flatten)]
    pub place: PlaceReport,
    /// Other sides of the finding, such as the second access of a race: instructions or the host.
    pub sides: Vec<PlaceReport>,
    /// Accessed memory: `global` (which includes scratch), `lds` or `gds`.
    #[serde(serialize_with = "in_words")]
    memory: Option<Space>,
    /// First byte that the finding is about: an address in device memory, or an offset in the workgroup's LDS or in GDS.
    address: Option<u64>,
    /// Allocation that contains the address in device memory.
    buffer: Option<String>,
    /// Kernel arguments that point to the memory: their names, or else their indices, starting at 0.
    arguments: Vec<String>,
    /// LDS variable at the offset, and the offset in it.
    variable: Option<String>,
    notes: Vec<String>,
    help: Option<String>,
    /// Dispatch number, starting at 0.
    dispatch: u64,
    /// Number of occurrences.
    pub count: u64,
    /// Number of instructions, or of instruction pairs, merged into this finding because they share source lines.
    pub instructions: u64,
    #[serde(skip)]
    pub(super) kind: Kind,
    #[serde(skip)]
    pub(super) language: KernelLanguage,
}

/// Serializes the name of an address space.
fn in_words<S: Serializer>(space: &Option<Space>, to: S) -> Result<S::Ok, S::Error> {
    match space {
        Some(space) => to.collect_str(space),
        None => to.serialize_none(),
    }
}

impl FindingReport {
    /// Collects all information about a finding.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// use gcn_observe::finding::{Finding, FindingPlace, Kind};
    /// use gcn_report::{CodeMap, FindingReport};
    /// let pc = kernel.module().loaded().moved(kernel.description().entry_address);
    /// let place = FindingPlace { pc, text: "s_endpgm".into(), wave: None, lane: None };
    /// let finding = Finding::at(Kind::GlobalOutOfBounds, place, "something is wrong");
    /// let report = FindingReport::new(&finding, &CodeMap::new(kernel.module()));
    /// assert_eq!((report.message.as_str(), report.count), ("something is wrong", 1));
    /// assert!(report.place.text().contains(" (add_one+0x0)"));
    /// ```
    pub fn new(finding: &Finding, code: &CodeMap<'_>) -> FindingReport {
        let about = finding.kind.about();
        let pc = finding.place.pc;
        let language = code.language(pc, finding.kernel.as_deref());
        let launch = ReportLaunch {
            launch: finding.launch.as_deref(),
            kernel: code.kernel(pc, finding.kernel.as_deref()),
            language,
        };
        let sides = finding.sides.iter();
        let at = |space: Space| finding.address.filter(|it| it.space == space);
        let global = at(Space::Global).map(|it| it.at);
        FindingReport {
            name: about.name,
            severity: match about.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            message: finding.message.clone(),
            kernel: finding.kernel.clone(),
            place: PlaceReport::new(&finding.label, Some(&finding.place), launch, code),
            sides: sides
                .map(|side| PlaceReport::new(&side.label, side.place.as_ref(), launch, code))
                .collect(),
            memory: finding.address.map(|it| it.space),
            address: finding.address.map(|it| it.at),
            buffer: global.and_then(|at| code.allocation(at)),
            arguments: global.map_or_else(Vec::new, |at| code.arguments(pc, at, launch)),
            variable: at(Space::Lds).and_then(|it| code.lds_variable(pc, it.at)),
            notes: finding.notes.clone(),
            help: finding.help.as_ref().map(|help| match language {
                KernelLanguage::Assembly => help.machine.clone(),
                KernelLanguage::OpenCl => help.opencl.clone(),
                KernelLanguage::Hip => help.hip.clone(),
            }),
            dispatch: finding.dispatch,
            count: finding.count,
            instructions: 1,
            kind: finding.kind,
            language,
        }
    }

    /// Returns the symbol of the kernel, if known.
    pub fn kernel(&self) -> Option<&str> {
        self.kernel.as_deref()
    }

    /// Returns the text of the instruction, if known.
    pub fn instruction(&self) -> Option<&str> {
        self.place.code.as_ref()?.instruction()
    }

    /// Returns additional facts, one sentence each.
    fn remarks(&self) -> impl Iterator<Item = String> {
        let address = self.address.and_then(|address| match self.memory {
            Some(Space::Global) => {
                let buffer = self.buffer.as_ref().map(|it| format!(": {it}"));
                let buffer = buffer.unwrap_or_default();
                Some(format!(
                    "address {address:#x}{buffer}{}",
                    self.of_arguments()
                ))
            }
            // Messages and labels already contain offsets in LDS and GDS.
            _ => {
                let variable = self.variable.as_ref()?;
                Some(format!("address {address:#x} of LDS: {variable}"))
            }
        });
        address.into_iter().chain(self.notes.iter().cloned())
    }

    /// Lists the arguments that point to the memory, after a comma. Omits an argument if the text already names its buffer.
    fn of_arguments(&self) -> String {
        let is_buffer = |name: &&String| {
            let buffer = self
                .buffer
                .iter()
                .any(|it| it.contains(&format!(" of {name} (")));
            let nearest = format!("nearest is {name}:");
            buffer || self.notes.iter().any(|note| note.starts_with(&nearest))
        };
        let shown = |name: &String| match name.parse::<usize>() {
            Ok(number) => number.to_string(),
            Err(_) => format!("`{}`", printable(name)),
        };
        let others = self.arguments.iter().filter(|name| !is_buffer(name));
        let names: Vec<String> = others.map(shown).collect();
        let near = if self.buffer.is_some() { "" } else { "near " };
        match &names[..] {
            [] => String::new(),
            [one] => format!(", {near}argument {one}"),
            several => format!(", {near}arguments {}", several.join(", ")),
        }
    }

    /// Describes the number of merged instructions, if there are several.
    fn merged(&self) -> Option<String> {
        let instructions = if self.sides.is_empty() {
            "instructions"
        } else {
            "pairs of instructions"
        };
        let count = self.instructions;
        (count > 1).then(|| format!("reported once for {count} {instructions} on these lines"))
    }

    /// Returns the message, additional facts and help, one per line.
    pub(super) fn full_message(&self) -> String {
        let help = self.help.iter().map(|help| format!("help: {help}"));
        let message = [self.message.clone()].into_iter();
        let facts = self.remarks().chain(self.merged());
        let lines: Vec<String> = message.chain(facts).chain(help).collect();
        lines.join("\n")
    }

    /// Renders the finding with the colours of `renderer`.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// use annotate_snippets::Renderer;
    /// use gcn_observe::finding::{Finding, FindingPlace, Kind};
    /// use gcn_report::{CodeMap, FindingReport};
    /// let place = FindingPlace { pc: 0, text: "s_endpgm".into(), wave: None, lane: None };
    /// let finding = Finding::at(Kind::GlobalOutOfBounds, place, "something is wrong");
    /// let report = FindingReport::new(&finding, &CodeMap::new(kernel.module()));
    /// assert!(report.render(&Renderer::styled()).contains("\u{1b}["), "the text is coloured");
    /// assert_eq!(report.render(&Renderer::plain()), report.to_string());
    /// ```
    pub fn render(&self, renderer: &Renderer) -> String {
        let level = if self.severity == "error" {
            Level::ERROR
        } else {
            Level::WARNING
        };
        let mut group = Group::with_title(level.primary_title(self.message.as_str()).id(self.name));
        group = self.place.add_to(group, AnnotationKind::Primary);
        for side in &self.sides {
            group = side.add_to(group, AnnotationKind::Context);
        }
        let mut notes = vec![self.place.text()];
        notes.extend(self.sides.iter().map(PlaceReport::text));
        notes.extend(self.remarks());
        if let Some(kernel) = &self.kernel {
            let times = match self.count {
                1 => "once".to_owned(),
                2 => "twice".to_owned(),
                count => format!("{count} times"),
            };
            notes.push(format!("kernel {}, {times}", kernel_name(kernel)));
        }
        notes.extend(self.merged());
        let notes = notes.into_iter().map(|note| Level::NOTE.message(note));
        let help = self
            .help
            .iter()
            .map(|help| Level::HELP.message(help.as_str()));
        renderer.render(&[group.elements(notes).elements(help)])
    }
}

impl fmt::Display for FindingReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(&Renderer::plain()))
    }
}
