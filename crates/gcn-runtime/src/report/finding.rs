//! Reports of what checkers have found.

use std::fmt;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use gcn_isa::uses::Space;
use gcn_observe::finding::{Finding, FindingPlace, Severity};
use serde::{Serialize, Serializer};

use super::code_map::{CodeMap, CodePlace, SourceLine};
use super::text::{kernel_name, shown_file};

/// A finding with everything that helps to understand it. [`fmt::Display`] writes it for people, in the form of a compiler's
/// diagnostics; the fields are keys of the JSON that `serde` writes.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
/// # let (device, kernel) = example::add_one_kernel();
/// use gcn_runtime::Checking;
/// use gcn_runtime::settings::CheckSettings;
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
    /// A sentence without a full stop.
    pub message: String,
    /// The kernel's symbol.
    kernel: Option<String>,
    /// The instruction that is wrong.
    #[serde(flatten)]
    pub place: PlaceReport,
    /// The other sides of a conflict.
    pub sides: Vec<PlaceReport>,
    /// The memory that is accessed: `global`, where scratch is too, `lds` or `gds`.
    #[serde(serialize_with = "in_words")]
    memory: Option<Space>,
    /// The first byte of the access: an address in device memory, or an offset in the workgroup's LDS or in GDS.
    address: Option<u64>,
    /// Contents of device memory there.
    buffer: Option<String>,
    notes: Vec<String>,
    help: Option<String>,
    /// Number of the dispatch, from 0 on.
    dispatch: u64,
    /// Times that it happened.
    pub count: u64,
}

/// An instruction of a finding.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
/// # let (device, kernel) = example::add_one_kernel();
/// use gcn_observe::finding::{Finding, FindingPlace, Kind};
/// use gcn_runtime::report::{CodeMap, FindingReport};
/// let place = FindingPlace { pc: 0x1000, text: "s_endpgm".into(), wave: None, lane: None };
/// let finding = Finding { label: "ends".into(), ..Finding::at(Kind::GlobalOutOfBounds, place, "") };
/// let report = FindingReport::new(&finding, &CodeMap::new(kernel.module()));
/// assert_eq!(report.place.text(), "ends: `s_endpgm`, at 0x1000");
/// assert_eq!((report.place.file, report.place.line, report.place.column), (None, None, None));
/// ```
#[derive(Clone, Debug, Serialize)]
pub struct PlaceReport {
    /// A few words about its part.
    label: String,
    /// The instruction; `None` for the host.
    #[serde(flatten)]
    pub code: Option<CodePlace>,
    workgroup: Option<[u32; 3]>,
    wave: Option<u32>,
    lane: Option<u8>,
    /// File of the source, where it is known, as the compiler was given it.
    pub file: Option<String>,
    /// Line of the source, from 1.
    pub line: Option<u32>,
    /// Column in the source, from 1.
    pub column: Option<u32>,
    #[serde(skip)]
    source: Option<SourceLine>,
}

impl PlaceReport {
    fn new(label: &str, place: Option<&FindingPlace>, code: &CodeMap<'_>) -> PlaceReport {
        let source = place.and_then(|place| code.source_line(place.pc));
        let wave = place.and_then(|place| place.wave);
        let at = source.as_ref().map(|source| &source.place);
        PlaceReport {
            label: label.to_owned(),
            code: place.map(|place| code.place(place.pc, Some(place.text.clone()))),
            workgroup: wave.map(|wave| wave.group),
            wave: wave.map(|wave| wave.wave),
            lane: place.and_then(|place| place.lane),
            file: at.map(|at| at.file.to_string()),
            line: at.map(|at| at.line).filter(|line| *line != 0),
            column: source.as_ref().and_then(SourceLine::column),
            source,
        }
    }

    /// The wave that executed it; empty if it was not executed.
    fn wave(&self) -> String {
        let (Some([x, y, z]), Some(wave)) = (self.workgroup, self.wave) else {
            return String::new();
        };
        let lane = self.lane.map(|lane| format!(", lane {lane}"));
        format!(
            "workgroup {x},{y},{z}, wave {wave}{}",
            lane.unwrap_or_default()
        )
    }

    /// Line of source with a label, or where it is.
    fn add_to<'a>(&'a self, group: Group<'a>, kind: AnnotationKind) -> Group<'a> {
        let Some(SourceLine { place, text, .. }) = &self.source else {
            let is_first = kind == AnnotationKind::Primary;
            return match &self.code {
                Some(code) if is_first => group.element(Origin::path(code.symbol())),
                _ => group,
            };
        };
        let file = shown_file(&place.file);
        match text {
            Some(text) => {
                let span = token(text, place.column);
                let snippet = Snippet::source(printable_line(text))
                    .line_start(place.line as usize)
                    .path(file)
                    .annotation(kind.span(span).label(self.label.as_str()));
                group.element(snippet)
            }
            None => group.element(Origin::path(format!(
                "{file}:{}:{}",
                place.line, place.column
            ))),
        }
    }

    /// Part, the instruction, and the wave that executed it.
    pub fn text(&self) -> String {
        let Some(code) = &self.code else {
            return self.label.clone();
        };
        let wave = self.wave();
        let wave = if wave.is_empty() {
            wave
        } else {
            format!(", {wave}")
        };
        let instruction = code.instruction().map(|text| format!(": `{text}`"));
        let inlined = self
            .source
            .as_ref()
            .map_or("", |source| source.inlined.as_str());
        format!(
            "{}{}, {}{inlined}{wave}",
            self.label,
            instruction.unwrap_or_default(),
            code.address(),
        )
    }
}

/// Writes a memory's name.
fn in_words<S: Serializer>(space: &Option<Space>, to: S) -> Result<S::Ok, S::Error> {
    match space {
        Some(space) => to.collect_str(space),
        None => to.serialize_none(),
    }
}

/// Facts by which findings are one, wherever their code is loaded.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct FindingIdentity {
    name: &'static str,
    kernel: Option<String>,
    /// Symbols and texts of the instructions.
    places: Vec<Option<(String, Option<String>)>>,
    detail: u64,
}

impl SourceLine {
    /// The column, from 1: that of the line's first word where none is known. `None` where the line is not known either.
    fn column(&self) -> Option<u32> {
        let column = self.place.column;
        match &self.text {
            Some(text) => u32::try_from(token(text, column).start + 1).ok(),
            None => (column != 0).then_some(column),
        }
    }
}

/// A line whose control characters take one column each.
fn printable_line(text: &str) -> String {
    let printable = |c: char| if c.is_control() && c != '\t' { ' ' } else { c };
    text.chars().map(printable).collect()
}

/// The bytes of the word at a column, which is counted from 1 in bytes.
fn token(text: &str, column: u32) -> std::ops::Range<usize> {
    let boundary = |at: &usize| text.is_char_boundary(*at);
    let first = text.len() - text.trim_start().len();
    let start = (column as usize)
        .checked_sub(1)
        .unwrap_or(first)
        .min(text.len());
    let start = (0..=start).rev().find(boundary).unwrap_or(0);
    let rest = &text[start..];
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    let length = if word == 0 {
        rest.chars().next().map_or(0, char::len_utf8)
    } else {
        word
    };
    start..start + length
}

impl FindingReport {
    /// Collects what is known about a finding of code.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// use gcn_observe::finding::{Finding, FindingPlace, Kind};
    /// use gcn_runtime::report::{CodeMap, FindingReport};
    /// let pc = kernel.module().loaded().moved(kernel.description().entry_address);
    /// let place = FindingPlace { pc, text: "s_endpgm".into(), wave: None, lane: None };
    /// let finding = Finding::at(Kind::GlobalOutOfBounds, place, "something is wrong");
    /// let report = FindingReport::new(&finding, &CodeMap::new(kernel.module()));
    /// assert_eq!((report.message.as_str(), report.count), ("something is wrong", 1));
    /// assert!(report.place.text().contains(" (add_one+0x0)"));
    /// ```
    pub fn new(finding: &Finding, code: &CodeMap<'_>) -> FindingReport {
        let about = finding.kind.about();
        let sides = finding.sides.iter();
        FindingReport {
            name: about.name,
            severity: match about.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            message: finding.message.clone(),
            kernel: finding.kernel.clone(),
            place: PlaceReport::new(&finding.label, Some(&finding.place), code),
            sides: sides
                .map(|side| PlaceReport::new(&side.label, side.place.as_ref(), code))
                .collect(),
            memory: finding.address.map(|it| it.space),
            address: finding.address.map(|it| it.at),
            buffer: finding.address.and_then(|it| {
                let is_device_memory = it.space == Space::Global;
                is_device_memory.then(|| code.allocation(it.at)).flatten()
            }),
            notes: finding.notes.clone(),
            help: finding.help.clone(),
            dispatch: finding.dispatch,
            count: finding.count,
        }
    }

    /// Facts by which it is the same finding as another; `detail` is that of its key.
    pub(crate) fn identity(&self, detail: u64) -> FindingIdentity {
        let place = |it: &PlaceReport| {
            let code = it.code.as_ref()?;
            Some((code.symbol(), code.instruction().map(str::to_owned)))
        };
        let places = std::iter::once(&self.place).chain(&self.sides);
        FindingIdentity {
            name: self.name,
            kernel: self.kernel.clone(),
            places: places.map(place).collect(),
            detail,
        }
    }

    /// Symbol of the kernel, where it is known.
    pub fn kernel(&self) -> Option<&str> {
        self.kernel.as_deref()
    }

    /// Text of the instruction.
    pub fn instruction(&self) -> Option<&str> {
        self.place.code.as_ref()?.instruction()
    }

    /// Further facts, a sentence each.
    fn remarks(&self) -> impl Iterator<Item = String> {
        // Messages and labels have the place in LDS and GDS.
        let is_device_memory = self.memory == Some(Space::Global);
        let address = self.address.filter(|_| is_device_memory).map(|address| {
            let buffer = self.buffer.as_ref().map(|it| format!(": {it}"));
            format!("address {address:#x}{}", buffer.unwrap_or_default())
        });
        address.into_iter().chain(self.notes.iter().cloned())
    }

    /// The message, further facts and the help, a line each.
    pub(super) fn full_message(&self) -> String {
        let help = self.help.iter().map(|help| format!("help: {help}"));
        let message = [self.message.clone()].into_iter();
        let lines: Vec<String> = message.chain(self.remarks()).chain(help).collect();
        lines.join("\n")
    }

    /// Writes the finding with the colours of a renderer.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// use annotate_snippets::Renderer;
    /// use gcn_observe::finding::{Finding, FindingPlace, Kind};
    /// use gcn_runtime::report::{CodeMap, FindingReport};
    /// let place = FindingPlace { pc: 0, text: "s_endpgm".into(), wave: None, lane: None };
    /// let finding = Finding::at(Kind::GlobalOutOfBounds, place, "something is wrong");
    /// let report = FindingReport::new(&finding, &CodeMap::new(kernel.module()));
    /// assert!(report.render(&Renderer::styled()).contains("\u{1b}["), "it has colours");
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
