//! Symbols and source lines for code addresses.

use std::cell::{OnceCell, RefCell};
use std::fmt;

use gcn_isa::Isa;
use gcn_object::{ObjectKernel, SourceLines, SourcePlace, SymbolKind, SymbolSection};
use gcn_runtime::Module;
use gcn_runtime::hsa::Loaded;
use serde::Serialize;

use super::language::KernelLanguage;
use super::launch::ReportLaunch;
use super::sources::{Sources, inlined};
use super::text::printable;

/// Map from a module's code addresses to symbols and source lines. Debug information is read on first use.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
/// # let (device, kernel) = example::add_one_kernel();
/// use gcn_report::CodeMap;
/// let code = CodeMap::new(kernel.module());
/// let entry = kernel.module().loaded().moved(kernel.description().entry_address);
/// let place = code.place(entry + 12, Some("v_mov_b32 v1, 1".to_owned()));
/// assert_eq!(place.symbol(), "add_one+0xc");
/// assert_eq!(place.to_string(), format!("at {:#x} (add_one+0xc): v_mov_b32 v1, 1", entry + 12));
/// ```
pub struct CodeMap<'a> {
    module: &'a Module,
    lines: OnceCell<Option<SourceLines>>,
    sources: RefCell<Sources>,
    /// Maps of other modules.
    others: Vec<CodeMap<'a>>,
}

/// Instruction and its location. The field names are keys in JSON reports.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
/// # let (device, kernel) = example::add_one_kernel();
/// use gcn_report::CodeMap;
/// let place = CodeMap::new(kernel.module()).place(16, None);
/// assert_eq!(place.symbol(), "0x10", "the address is outside of the code");
/// assert_eq!(place.instruction(), None);
/// assert_eq!(place.source_line("  "), "", "there is no debug information");
/// ```
#[derive(Clone, Debug, Serialize)]
pub struct CodePlace {
    /// Address of the instruction.
    pc: u64,
    /// Preceding symbol and the offset from it, such as `add_one+0xc`.
    place: Option<String>,
    /// Source file, line number and text of the line.
    source: Option<String>,
    instruction: Option<String>,
}

/// Source line of an instruction.
#[derive(Clone, Debug)]
pub(super) struct SourceLine {
    pub(super) place: SourcePlace,
    /// Text of the line, if the file is readable.
    pub(super) text: Option<String>,
    /// Inlining chain of the code, in parentheses. May be empty.
    pub(super) inlined: String,
    /// True if the instruction has no line of its own, and this is the nearest line of its function.
    pub(super) is_nearest: bool,
}

/// Formats a code address as a symbol and an offset.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
/// # let (device, kernel) = example::add_one_kernel();
/// use gcn_report::symbolic;
/// let loaded = kernel.module().loaded();
/// let entry = loaded.symbol("add_one").expect("the symbol exists").address;
/// assert_eq!(symbolic(entry + 12, loaded).as_deref(), Some("add_one+0xc"));
/// assert_eq!(symbolic(16, loaded), None, "the address is outside of the code");
/// ```
pub fn symbolic(pc: u64, loaded: &Loaded) -> Option<String> {
    let symbol = loaded.code_symbol_at(pc)?;
    Some(format!("{}+{:#x}", symbol.name, pc - symbol.address))
}

impl<'a> CodeMap<'a> {
    /// Creates the map for `module`.
    pub fn new(module: &'a Module) -> CodeMap<'a> {
        CodeMap {
            module,
            lines: OnceCell::new(),
            sources: RefCell::default(),
            others: Vec::new(),
        }
    }

    /// Adds other modules that findings may refer to.
    pub(crate) fn beside(self, others: &'a [Module]) -> CodeMap<'a> {
        CodeMap {
            others: others.iter().map(CodeMap::new).collect(),
            ..self
        }
    }

    /// Returns the map of the module that contains an address, or this map if no module does.
    fn of(&self, pc: u64) -> &CodeMap<'a> {
        let mut all = std::iter::once(self).chain(&self.others);
        let has = |map: &&CodeMap<'a>| map.module.addresses().contains(&pc);
        all.find(has).unwrap_or(self)
    }

    /// Returns the instruction set of the code.
    pub(super) fn isa(&self) -> Isa {
        self.module.device().target().isa
    }

    /// Returns the name of the device's target.
    pub(super) fn target(&self) -> &'static str {
        self.module.device().target().name
    }

    /// Formats an address as a symbol and an offset.
    pub(super) fn symbolic(&self, pc: u64) -> Option<String> {
        symbolic(pc, self.of(pc).module.loaded())
    }

    /// Returns the location of an instruction, with its text if known.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// use gcn_report::CodeMap;
    /// let entry = kernel.module().loaded().moved(kernel.description().entry_address);
    /// let place = CodeMap::new(kernel.module()).place(entry + 0x1c, Some("s_endpgm".into()));
    /// assert_eq!(place.instruction(), Some("s_endpgm"));
    /// let json = serde_json::to_value(&place).expect("fields are text and numbers");
    /// assert_eq!(json["place"], "add_one+0x1c");
    /// ```
    pub fn place(&self, pc: u64, instruction: Option<String>) -> CodePlace {
        let place = self.symbolic(pc);
        CodePlace {
            pc,
            source: place.as_ref().and_then(|_| self.of(pc).source(pc)),
            place,
            instruction,
        }
    }

    fn source(&self, pc: u64) -> Option<String> {
        let address = self.module.loaded().linked_address(pc);
        self.sources.borrow_mut().describe(self.lines()?, address)
    }

    fn lines(&self) -> Option<&SourceLines> {
        // Invalid debug information counts as missing, so findings are still reported, without lines.
        let lines = || self.module.object().source_lines().ok().flatten();
        self.lines.get_or_init(lines).as_ref()
    }

    /// Returns the source line of an instruction, or else the nearest line in its function.
    pub(super) fn source_line(&self, pc: u64) -> Option<SourceLine> {
        self.symbolic(pc)?;
        let map = self.of(pc);
        let loaded = map.module.loaded();
        let address = loaded.linked_address(pc);
        let lines = map.lines()?;
        let frames = lines.frames(address).ok()?;
        let own = frames.first().and_then(|frame| frame.place.clone());
        let own = own.filter(|place| place.line != 0);
        let is_nearest = own.is_none();
        let nearest = || {
            let symbol = loaded.code_symbol_at(pc)?;
            let begin = loaded.linked_address(symbol.address);
            let end = begin.saturating_add(symbol.size).max(address + 1);
            lines.nearest(address, begin..end).ok().flatten()
        };
        let place = own.or_else(nearest)?;
        let mut sources = map.sources.borrow_mut();
        Some(SourceLine {
            text: sources.whole_line(lines, &place).map(str::to_owned),
            inlined: inlined(&frames),
            place,
            is_nearest,
        })
    }

    /// Returns the source language of the code at an address.
    pub(super) fn language(&self, pc: u64, kernel: Option<&str>) -> KernelLanguage {
        let map = self.of(pc);
        let address = map.module.loaded().linked_address(pc);
        let unit = map.lines().and_then(|lines| lines.language(address).ok());
        let metadata = map.kernel(pc, kernel);
        let metadata = metadata.and_then(|kernel| kernel.metadata.as_ref());
        KernelLanguage::new(unit.flatten(), kernel.unwrap_or_default(), metadata)
    }

    /// Finds a kernel by symbol in the module that contains an address.
    pub(super) fn kernel(&self, pc: u64, symbol: Option<&str>) -> Option<&ObjectKernel> {
        let mut kernels = self.of(pc).module.object().kernels.iter();
        kernels.find(|it| Some(&*it.name) == symbol)
    }

    /// Returns the kernel arguments that point to the allocation that contains `address`, or else to the nearest one. The
    /// kernel belongs to the module that contains the instruction at `pc`.
    pub(super) fn arguments(&self, pc: u64, address: u64, launch: ReportLaunch<'_>) -> Vec<String> {
        let memory = self.module.device().memory();
        let Some(allocation) = memory.nearest(address) else {
            return Vec::new();
        };
        let range = allocation.base..allocation.base.saturating_add(allocation.len);
        let names = |kernel: &ObjectKernel| {
            let names = self.of(pc).lines()?.parameters(kernel.entry_address);
            names.ok()
        };
        launch.arguments(
            |pointer| range.contains(&pointer),
            |kernel| names(kernel).unwrap_or_default(),
        )
    }

    /// Finds the variable at an LDS offset in the module that contains the code address `pc`. Returns its name and the
    /// offset in it, or `None` if no symbol covers the offset: Clang merges a kernel's variables into one unnamed structure.
    pub(super) fn lds_variable(&self, pc: u64, place: u64) -> Option<String> {
        let mut symbols = self.of(pc).module.object().symbols.iter();
        let symbol = symbols.find(|it| {
            let is_variable =
                it.kind == SymbolKind::Object && it.section == SymbolSection::Absolute;
            is_variable && (it.value..it.value.saturating_add(it.size)).contains(&place)
        })?;
        let name = printable(&symbol.name);
        Some(match place - symbol.value {
            0 => name,
            distance => format!("{name}+{distance:#x}"),
        })
    }

    /// Describes the allocation that contains a device address, if there is one.
    pub(super) fn allocation(&self, address: u64) -> Option<String> {
        let nearest = self.module.device().memory().nearest(address)?;
        let offset = address.checked_sub(nearest.base)?;
        let freed = if nearest.is_freed {
            ", which has been freed"
        } else {
            ""
        };
        (offset < nearest.len).then(|| {
            format!(
                "byte {offset} of {} ({} bytes){freed}",
                printable(&nearest.name),
                nearest.len
            )
        })
    }
}

impl CodePlace {
    /// Returns the text of the instruction, if known.
    pub fn instruction(&self) -> Option<&str> {
        self.instruction.as_deref()
    }

    /// Formats the address with symbol and offset, such as `at 0x100001300 (scale+0x10)`.
    pub(super) fn address(&self) -> String {
        let place = self
            .place
            .as_ref()
            .map(|place| format!(" ({})", printable(place)));
        format!("at {:#x}{}", self.pc, place.unwrap_or_default())
    }

    /// Returns the symbol and offset, or else the address.
    pub fn symbol(&self) -> String {
        let place = self.place.as_deref().map(printable);
        place.unwrap_or_else(|| format!("{:#x}", self.pc))
    }

    /// Returns the source line, preceded by a line break and the indentation, or empty text if the line is unknown.
    pub fn source_line(&self, indentation: &str) -> String {
        let line = |source: &String| format!("\n{indentation}--> {}", printable(source));
        self.source.as_ref().map(line).unwrap_or_default()
    }
}

/// Writes the address, symbol and instruction, but not the source line.
impl fmt::Display for CodePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.address())?;
        if let Some(instruction) = &self.instruction {
            write!(f, ": {instruction}")?;
        }
        Ok(())
    }
}
