//! Symbols, source lines and source files of the debugged code.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use gcn_isa::Isa;
use gcn_object::{
    CodeObject, LinesError, NamePattern, SourceLines, SourceType, SourceVariable, SymbolKind,
    SymbolSection, TypeRef,
};

/// Maximum size of a source file, in bytes.
const MAX_SOURCE_BYTES: u64 = 16 << 20;

/// Symbol of a loaded code object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// Symbol name.
    pub name: String,
    /// Address in memory.
    pub address: u64,
    /// Size in bytes; 0 if unknown.
    pub size: u64,
    /// True if the symbol is a variable rather than code.
    pub is_data: bool,
}

/// Explicit kernel argument, which corresponds to a source parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct KernelArgument {
    /// Offset in the kernarg segment, in bytes.
    pub offset: u64,
    /// Size in bytes.
    pub bytes: u64,
}

/// Source line.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Line {
    /// Source file.
    pub file: Arc<str>,
    /// Line number, from 1.
    pub line: u32,
}

/// Position in the code: address, symbol, source line and inline stack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// Address in the code.
    pub address: u64,
    /// Preceding symbol and offset, such as `scale+0x10`; `None` outside the code.
    pub symbol: Option<String>,
    /// Source line.
    pub line: Option<Line>,
    /// Inline stack, innermost function first, with each function's current line (in callers, the call site).
    pub frames: Vec<(Option<String>, Option<Line>)>,
}

/// Lines of a file by line number, or `None` if the file cannot be read.
type FileText = Option<Arc<BTreeMap<u32, String>>>;

/// Variables in scope, or the error from reading them.
type Variables = Result<Arc<[SourceVariable]>, LinesError>;

/// Debugged code, with its symbols and source lines.
pub struct Program {
    isa: Isa,
    /// Load bias: offset from code object addresses to memory addresses.
    bias: u64,
    symbols: Vec<Symbol>,
    code: Vec<Range<u64>>,
    /// Explicit arguments of kernels with metadata, by entry address.
    arguments: HashMap<u64, Vec<KernelArgument>>,
    lines: Option<SourceLines>,
    /// Additional directories to search for sources.
    directories: Vec<PathBuf>,
    table: OnceCell<Vec<(Range<u64>, Line)>>,
    files: RefCell<HashMap<Arc<str>, FileText>>,
    variables: RefCell<HashMap<u64, Variables>>,
    types: RefCell<HashMap<TypeRef, Arc<SourceType>>>,
}

impl Program {
    /// Creates a program from a code object that is loaded with an address bias.
    pub fn new(object: &CodeObject<'_>, bias: u64, isa: Isa) -> Program {
        let is_here = |section: &SymbolSection| {
            matches!(
                section,
                SymbolSection::Section(_) | SymbolSection::Common { .. }
            )
        };
        let symbols = object.symbols.iter();
        let symbols = symbols.filter(|it| is_here(&it.section) && !it.name.is_empty());
        let kinds = |kind| matches!(kind, SymbolKind::Section | SymbolKind::File);
        let mut symbols: Vec<Symbol> = symbols
            .filter(|it| !kinds(it.kind))
            .map(|it| Symbol {
                name: it.name.clone(),
                address: it.value.wrapping_add(bias),
                size: it.size,
                is_data: it.kind == SymbolKind::Object,
            })
            .collect();
        symbols.sort_by_key(|symbol| symbol.address);
        let code = object.sections.iter().filter(|section| section.is_code());
        let code = code.map(|it| {
            let begin = it.address.wrapping_add(bias);
            begin..begin.saturating_add(it.size)
        });
        let arguments = object.kernels.iter().filter_map(|kernel| {
            let arguments = kernel.metadata.as_ref()?.args.iter();
            let arguments = arguments.filter(|it| !it.value_kind.is_hidden());
            let arguments = arguments.map(|it| KernelArgument {
                offset: it.offset,
                bytes: it.size,
            });
            let entry = kernel.entry_address.wrapping_add(bias);
            Some((entry, arguments.collect()))
        });
        Program {
            isa,
            bias,
            symbols,
            code: code.collect(),
            arguments: arguments.collect(),
            lines: object.source_lines().ok().flatten(),
            directories: Vec::new(),
            table: OnceCell::new(),
            files: RefCell::default(),
            variables: RefCell::default(),
            types: RefCell::default(),
        }
    }

    /// Adds a directory to search for source files that do not exist at their recorded paths.
    #[must_use]
    pub fn with_directory(mut self, directory: &Path) -> Program {
        self.directories.push(directory.to_owned());
        self
    }

    /// Returns the instruction set of the code.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// True if the debug information contains source lines.
    pub fn has_lines(&self) -> bool {
        self.lines.is_some()
    }

    /// True if an address is inside the code.
    pub fn has_code(&self, address: u64) -> bool {
        self.code.iter().any(|range| range.contains(&address))
    }

    /// Returns the symbols in ascending address order.
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// Returns the symbol with a given name.
    pub fn symbol(&self, name: &str) -> Option<&Symbol> {
        self.symbols.iter().find(|symbol| symbol.name == name)
    }

    /// Returns the code symbol with the given name, or else all functions whose demangled C++ name matches. Namespaces,
    /// parameters and template arguments are optional.
    pub fn functions(&self, name: &str) -> Vec<&Symbol> {
        let code = || self.symbols.iter().filter(|symbol| !symbol.is_data);
        if let Some(symbol) = code().find(|symbol| symbol.name == name) {
            return vec![symbol];
        }
        let pattern = NamePattern::new(name);
        code().filter(|it| pattern.denotes(&it.name)).collect()
    }

    /// Returns the last code symbol at or before an address, in the same section.
    pub fn symbol_at(&self, address: u64) -> Option<&Symbol> {
        let range = self.code.iter().find(|range| range.contains(&address))?;
        let mut before = self.symbols.iter().rev();
        before.find(|it| !it.is_data && it.address <= address && it.address >= range.start)
    }

    /// Returns the start of the function that contains the code just before an address, or else the start of the
    /// section.
    pub(crate) fn function_before(&self, address: u64) -> Option<u64> {
        let before = address.checked_sub(1)?;
        let range = self.code.iter().find(|range| range.contains(&before))?;
        let symbol = self.symbol_at(before);
        Some(symbol.map_or(range.start, |it| it.address.max(range.start)))
    }

    /// Formats an address as a symbol and an offset.
    pub fn symbolic(&self, address: u64) -> Option<String> {
        let symbol = self.symbol_at(address)?;
        Some(match address - symbol.address {
            0 => symbol.name.clone(),
            distance => format!("{}+{distance:#x}", symbol.name),
        })
    }

    /// Formats an address as a number, followed by the symbol and offset if known.
    pub fn describe(&self, address: u64) -> String {
        match self.symbolic(address) {
            Some(symbol) => format!("{address:#x} <{symbol}>"),
            None => format!("{address:#x}"),
        }
    }

    /// Returns the line table, in ascending address order.
    fn table(&self) -> &[(Range<u64>, Line)] {
        self.table.get_or_init(|| {
            let mut table = Vec::new();
            for range in &self.code {
                let linked = range.start.wrapping_sub(self.bias)..range.end.wrapping_sub(self.bias);
                let found = self.lines.as_ref().and_then(|it| it.ranges(linked).ok());
                for it in found.into_iter().flatten().filter(|it| it.place.line != 0) {
                    let moved = |address: u64| address.wrapping_add(self.bias);
                    let line = Line {
                        file: it.place.file,
                        line: it.place.line,
                    };
                    table.push((moved(it.addresses.start)..moved(it.addresses.end), line));
                }
            }
            table.sort_by_key(|(range, _)| range.start);
            table
        })
    }

    /// Returns the source line of an instruction.
    pub fn line(&self, address: u64) -> Option<&Line> {
        let table = self.table();
        let behind = table.partition_point(|(range, _)| range.start <= address);
        let (range, line) = table.get(behind.checked_sub(1)?)?;
        range.contains(&address).then_some(line)
    }

    /// Returns the location of an instruction.
    pub fn location(&self, address: u64) -> Location {
        let frames = self.lines.as_ref().and_then(|lines| {
            let linked = address.wrapping_sub(self.bias);
            lines.frames(linked).ok()
        });
        let frames = frames.unwrap_or_default().into_iter().map(|frame| {
            let place = frame.place.filter(|place| place.line != 0);
            let line = place.map(|place| Line {
                file: place.file,
                line: place.line,
            });
            (frame.function, line)
        });
        Location {
            address,
            symbol: self.symbolic(address),
            line: self.line(address).cloned(),
            frames: frames.collect(),
        }
    }

    /// Returns the memory address of an address in the code object.
    pub(crate) fn loaded(&self, address: u64) -> u64 {
        address.wrapping_add(self.bias)
    }

    /// Returns the source variables in scope at an instruction, innermost scope first.
    pub(crate) fn variables(&self, address: u64) -> Variables {
        let mut variables = self.variables.borrow_mut();
        let read = || {
            let linked = address.wrapping_sub(self.bias);
            match &self.lines {
                Some(lines) => lines.variables(linked).map(Arc::from),
                None => Ok(Arc::default()),
            }
        };
        variables.entry(address).or_insert_with(read).clone()
    }

    /// Returns the explicit arguments of the kernel that contains an address; empty outside of kernels.
    pub(crate) fn arguments(&self, address: u64) -> &[KernelArgument] {
        let function = self.symbol_at(address).map(|it| it.address);
        let found = function.and_then(|entry| self.arguments.get(&entry));
        found.map_or(&[], Vec::as_slice)
    }

    /// Returns a type from the debug information.
    pub(crate) fn source_type(&self, ty: TypeRef) -> Result<Arc<SourceType>, LinesError> {
        if let Some(known) = self.types.borrow().get(&ty) {
            return Ok(known.clone());
        }
        let lines = self.lines.as_ref();
        let missing = || LinesError::Dwarf("there is no debug information".to_owned());
        let found = Arc::new(lines.ok_or_else(missing)?.source_type(ty)?);
        self.types.borrow_mut().insert(ty, found.clone());
        Ok(found)
    }

    /// Returns the source files of the line table, in code order.
    pub fn files(&self) -> Vec<Arc<str>> {
        let mut files: Vec<Arc<str>> = Vec::new();
        for (_, line) in self.table() {
            if !files.contains(&line.file) {
                files.push(line.file.clone());
            }
        }
        files
    }

    /// Finds a source file by its path in the debug information, or by the trailing components of the path.
    pub fn file(&self, name: &str) -> Option<Arc<str>> {
        let files = self.files();
        let ends = |file: &str| {
            let rest = file.strip_suffix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        files.into_iter().find(|file| ends(file))
    }

    /// Finds the code of a line, or of the next line that has code. Returns the line found and the start of each
    /// contiguous range of its code.
    pub fn addresses(&self, file: &str, line: u32) -> Option<(Line, Vec<u64>)> {
        let table = self.table();
        let of_file = |it: &&(Range<u64>, Line)| &*it.1.file == file && it.1.line >= line;
        let nearest = table.iter().filter(of_file).map(|it| it.1.line).min()?;
        let mut addresses = Vec::new();
        let mut previous: Option<&Line> = None;
        for (range, it) in table {
            let is_it = |it: &Line| &*it.file == file && it.line == nearest;
            if is_it(it) && !previous.is_some_and(is_it) {
                addresses.push(range.start);
            }
            previous = Some(it);
        }
        let line = Line {
            file: file.into(),
            line: nearest,
        };
        Some((line, addresses))
    }

    /// Returns the absolute path of a file named in the debug information, if the file exists.
    pub fn path(&self, file: &str) -> Option<PathBuf> {
        let found = self.paths(Path::new(file)).find(|it| it.is_file())?;
        normalized(&std::path::absolute(found).ok()?)
    }

    /// Finds the source file in the debug information for a path on disk: the same file, or else the unique file that
    /// shares the most trailing path components.
    pub fn file_at(&self, path: &Path) -> Option<Arc<str>> {
        let files = self.files();
        let wanted = fs::canonicalize(path).ok();
        let is_same = |file: &Arc<str>| {
            let known = self.path(file).and_then(|it| fs::canonicalize(it).ok());
            known.is_some() && known == wanted
        };
        if let Some(same) = files.iter().find(|file| is_same(file)) {
            return Some(same.clone());
        }
        let common = |file: &Arc<str>| {
            let parts = Path::new(&**file).components().rev();
            let pairs = parts.zip(path.components().rev());
            pairs.take_while(|(one, other)| one == other).count()
        };
        let most = files.iter().map(common).max().filter(|most| *most > 0)?;
        let mut nearest = files.iter().filter(|file| common(file) == most);
        let first = nearest.next()?;
        nearest.next().is_none().then(|| first.clone())
    }

    /// Returns the lines in a range that have code, in ascending order.
    pub fn lines_with_code(&self, file: &str, lines: Range<u32>) -> Vec<u32> {
        let table = self.table().iter();
        let of_file = table.filter(|(_, it)| &*it.file == file && lines.contains(&it.line));
        let mut found: Vec<u32> = of_file.map(|(_, it)| it.line).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns the paths at which a source file may exist.
    fn paths(&self, path: &Path) -> impl Iterator<Item = PathBuf> {
        let elsewhere = self.directories.iter().flat_map(move |directory| {
            let name = path.file_name().unwrap_or_default();
            [directory.join(path), directory.join(name)]
        });
        std::iter::once(path.to_owned()).chain(elsewhere)
    }

    /// Returns the lines of a file by line number, or `None` if the file is neither embedded in the debug information
    /// nor on disk.
    pub fn text(&self, file: &Arc<str>) -> Option<Arc<BTreeMap<u32, String>>> {
        let mut files = self.files.borrow_mut();
        let read = || {
            let embedded = self.lines.as_ref().and_then(|it| it.embedded_lines(file));
            let path = Path::new(&**file);
            let lines = embedded.or_else(|| self.paths(path).find_map(|path| read(&path)))?;
            Some(Arc::new(lines))
        };
        files.entry(file.clone()).or_insert_with(read).clone()
    }

    /// Returns the text of a line.
    pub fn line_text(&self, line: &Line) -> Option<String> {
        self.text(&line.file)?.get(&line.line).cloned()
    }
}

/// Reads the lines of a source file. The path comes from the code object and may name a pipe or a device, so only
/// regular files are read.
fn read(path: &Path) -> Option<BTreeMap<u32, String>> {
    let metadata = fs::metadata(path).ok()?;
    let is_readable = metadata.is_file() && metadata.len() <= MAX_SOURCE_BYTES;
    let bytes = is_readable.then(|| fs::read(path).ok()).flatten()?;
    let text = String::from_utf8(bytes).ok()?;
    Some((1..).zip(text.lines().map(str::to_owned)).collect())
}

/// Removes `.` and `..` from an absolute path, as editors do. Resolves symbolic links if the shortened path would
/// refer to another file.
fn normalized(path: &Path) -> Option<PathBuf> {
    let mut short = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                short.pop();
            }
            other => short.push(other),
        }
    }
    let real = fs::canonicalize(path).ok()?;
    let is_same = fs::canonicalize(&short).is_ok_and(|it| it == real);
    Some(if is_same { short } else { real })
}
