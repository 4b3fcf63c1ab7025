//! Entry points of the assembler, and its result.

use gcn_isa::Target;
use gcn_object::{Binding, SymbolKind};

use crate::assembler::Assembler;
use crate::assembler::expansion::ExpandedTexts;
use crate::assembler::lines;
use crate::assembler::names::Names;
use crate::assembler::parser::Parser;
use crate::assembler::reader::SourceReader;
use crate::diagnostic::{Diagnostic, Severity};
use crate::directive::clrx;
use crate::directive::target;
use crate::ids;
use crate::inputs::files::{Files, NoFiles};
use crate::inputs::options::{Inclusion, Options, Source, SourceFile};
use crate::program::{Program, ProgramSection, ProgramSymbol, SymbolPlace};
use crate::statement;
use crate::symbols::{SymbolDefinition, SymbolEntry};
use crate::value::{ExprValue, SymbolId, Term};

/// Maximum source length in bytes; some positions are stored in 32 bits.
const MAX_SOURCE: usize = u32::MAX as usize / 2;

/// Result of assembling a source.
///
/// # Examples
/// ```
/// use gcn_asm::{Options, Source, assemble};
/// let target = gcn_isa::Target::named("gfx900").expect("a target");
/// let assembly = assemble(&Source { name: "a.s", text: "s_nop 0\ns_noop 1\n" }, &Options::new(target));
/// assert!(assembly.has_errors() && assembly.files.is_empty());
/// assert_eq!(assembly.program.to_raw().len(), 4, "the first instruction is still assembled");
/// assert_eq!(assembly.diagnostics.len(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct Assembly {
    /// Assembled program, as complete as the errors allow.
    pub program: Program,
    /// Errors, warnings and notes, in source order.
    pub diagnostics: Vec<Diagnostic>,
    /// Included files that the diagnostics point into, ordered by start position.
    pub files: Vec<SourceFile>,
    /// All file inclusions, ordered by start position.
    pub inclusions: Vec<Inclusion>,
}

impl Assembly {
    /// Returns true if any diagnostic is an error, in which case the program is incomplete.
    ///
    /// # Examples
    /// ```
    /// use gcn_asm::{Options, Severity, Source, assemble};
    /// let target = gcn_isa::Target::named("gfx900").expect("a target");
    /// let source = Source { name: "a.s", text: ".warning \"not for gfx803\"\ns_endpgm\n" };
    /// let assembly = assemble(&source, &Options::new(target));
    /// assert_eq!(assembly.diagnostics[0].severity, Severity::Warning);
    /// assert!(!assembly.has_errors(), "a warning is not an error");
    /// ```
    pub fn has_errors(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|d| d.severity == Severity::Error)
    }
}

/// Assembles a source without access to other files. Never panics; all errors are reported as diagnostics.
///
/// # Examples
/// ```
/// use gcn_asm::{Options, Source, assemble};
/// let target = gcn_isa::Target::named("gfx803").expect("a target");
/// let assembly = assemble(&Source { name: "a.s", text: "s_endpgm" }, &Options::new(target));
/// assert!(!assembly.has_errors());
/// assert_eq!(assembly.program.to_raw(), 0xbf81_0000_u32.to_le_bytes());
/// ```
pub fn assemble(source: &Source<'_>, options: &Options<'_>) -> Assembly {
    assemble_with(source, options, &NoFiles)
}

/// Like [`assemble`], but reads included files through `files`.
///
/// # Examples
/// ```
/// use gcn_asm::{File, Files, Options, Source, assemble_with};
/// struct Ends;
/// impl Files for Ends {
///     fn read(&self, name: &str, _: &str) -> Result<File, String> {
///         Ok(File { name: name.to_owned(), bytes: b"s_endpgm\n".to_vec() })
///     }
/// }
/// let target = gcn_isa::Target::named("gfx900").expect("a target");
/// let source = Source { name: "a.s", text: "s_nop 0\n.include \"end.s\"\n" };
/// let assembly = assemble_with(&source, &Options::new(target), &Ends);
/// assert!(!assembly.has_errors());
/// assert_eq!(assembly.program.to_raw()[4..], 0xbf81_0000_u32.to_le_bytes());
/// ```
pub fn assemble_with(source: &Source<'_>, options: &Options<'_>, files: &dyn Files) -> Assembly {
    let texts = ExpandedTexts::default();
    if source.text.len() > MAX_SOURCE {
        let error = Diagnostic::error(&ids::SOURCE_LIMIT, 0..0, "the source is too long")
            .help(format!("at most {} bytes are possible", MAX_SOURCE));
        let empty = Source {
            text: "",
            ..*source
        };
        let assembler = Assembler::new(&empty, options, &texts, files);
        let undebugged = Options {
            debug: None,
            ..*options
        };
        let (program, ..) = into_program(assembler, &undebugged);
        return Assembly {
            program,
            diagnostics: vec![error],
            files: Vec::new(),
            inclusions: Vec::new(),
        };
    }
    let mut assembler = Assembler::new(source, options, &texts, files);
    statement::run(&mut assembler);
    let inclusions = assembler.reader.expansion.files.iter();
    let inclusions = inclusions.map(|file| Inclusion {
        name: file.name.to_owned(),
        start: file.start,
        from: file.from.clone(),
    });
    let inclusions = inclusions.collect();
    let (program, diagnostics, files) = into_program(assembler, options);
    Assembly {
        program,
        diagnostics,
        files,
        inclusions,
    }
}

/// Target that a source names: the first known one in an `.amdgcn_target`, `.gpu` or `.arch` directive.
///
/// # Examples
/// ```
/// use gcn_asm::named_target;
/// let source = ".text\n.amdgcn_target \"amdgcn-amd-amdhsa--gfx906:xnack-\"\ns_endpgm\n";
/// assert_eq!(named_target(source).map(|target| target.name), Some("gfx906"));
/// assert!(named_target("s_endpgm").is_none());
/// ```
pub fn named_target(text: &str) -> Option<&'static Target> {
    let of_line = |line: &str| {
        let (directive, rest) = line.trim_start().split_once([' ', '\t'])?;
        match directive {
            ".amdgcn_target" => {
                let triple = rest.trim_start().strip_prefix('"')?.split('"').next()?;
                Target::named(target::processor(triple))
            }
            _ if [".gpu", ".arch"]
                .iter()
                .any(|name| name.eq_ignore_ascii_case(directive)) =>
            {
                clrx::clrx_target(rest.split_whitespace().next()?)
            }
            _ => None,
        }
    };
    text.lines().find_map(of_line)
}

/// Builds the program, with line information if the options request it.
fn into_program(
    asm: Assembler<'_>,
    options: &Options<'_>,
) -> (Program, Vec<Diagnostic>, Vec<SourceFile>) {
    let Assembler { reader, mut output } = asm;
    let SourceReader { parser, expansion } = reader;
    let Parser {
        mut names,
        mut diagnostics,
        ..
    } = parser;
    let mut places = Vec::new();
    for id in names.symbols.ids() {
        let place = symbol_place(&mut names, &mut diagnostics, id);
        let size = size_of(&mut names, &mut diagnostics, id);
        places.push((place, size));
    }
    expansion.sort_diagnostics(&mut diagnostics);
    let files = expansion.named_files(&diagnostics);
    let symbols = names.symbols.into_entries().into_iter().zip(places);
    let symbols = symbols.map(|(entry, (place, size))| ProgramSymbol {
        binding: entry.binding.unwrap_or(match place {
            SymbolPlace::Undefined | SymbolPlace::Common { .. } => Binding::Global,
            _ => Binding::Local,
        }),
        kind: match place {
            SymbolPlace::Common { .. } => SymbolKind::Object,
            _ => entry.kind,
        },
        visibility: entry.visibility,
        is_builtin: entry.builtin,
        name: entry.name,
        place,
        size,
        span: entry.span,
    });
    let sections = names.layout.sections;
    output
        .contents
        .resize_with(sections.len(), Default::default);
    let sections = sections.into_iter().zip(output.contents);
    let sections = sections.map(|(section, contents)| ProgramSection {
        name: section.name,
        kind: section.kind,
        flags: section.flags,
        align: section.align,
        address: section.address,
        bytes: contents.bytes,
        size: section.size,
        relocations: contents.relocations,
    });
    let mut program = Program {
        target: names.target,
        xnack: output.features.xnack,
        sramecc: output.features.sramecc,
        code_object_version: output.code_object_version,
        sections: sections.collect(),
        symbols: symbols.collect(),
        kernels: output.kernels.finished,
        metadata: output.metadata,
        identifications: output.identifications,
        marks: output.marks,
        lines: None,
    };
    program.lines = options
        .debug
        .map(|directory| lines::find(&expansion, &program, directory, options));
    (program, diagnostics, files)
}

fn symbol_place(names: &mut Names, diagnostics: &mut Vec<Diagnostic>, id: SymbolId) -> SymbolPlace {
    let value = match names.symbols.defined(id) {
        SymbolDefinition::No => return SymbolPlace::Undefined,
        SymbolDefinition::Common { align } => return SymbolPlace::Common { align },
        SymbolDefinition::Label { section, offset } => {
            return SymbolPlace::Section {
                section: section as usize,
                offset,
            };
        }
        SymbolDefinition::Value(value) => Ok(value),
        SymbolDefinition::Expr(expr) => names.exprs.eval(expr, &names.symbols, true),
    };
    let span = names.symbols.get(id).map_or(0..0, |e| e.span.clone());
    match value {
        Ok(ExprValue {
            plus: None,
            minus: None,
            constant,
            ..
        }) => SymbolPlace::Absolute(constant),
        Ok(ExprValue {
            plus:
                Some(Term {
                    place: Some((section, offset)),
                    ..
                }),
            minus: None,
            constant,
            ..
        }) => SymbolPlace::Section {
            section: section as usize,
            offset: offset.wrapping_add_signed(constant),
        },
        // A code object cannot represent an alias for a symbol defined elsewhere. If the alias is local, it can be
        // dropped: fields that use it refer to the other symbol directly.
        Ok(ExprValue { minus: None, .. })
            if !names.symbols.get(id).is_some_and(SymbolEntry::is_exported) =>
        {
            SymbolPlace::Undefined
        }
        Ok(_) => {
            let name = names.symbols.name(id).to_owned();
            diagnostics.push(Diagnostic::error(
                &ids::SYMBOL_EXPRESSION,
                span,
                format!("the value of symbol `{name}` cannot be expressed in a code object"),
            ));
            SymbolPlace::Undefined
        }
        Err(error) => {
            let fail = error.diagnose(span, &names.symbols);
            diagnostics.push(*fail);
            SymbolPlace::Undefined
        }
    }
}

fn size_of(names: &mut Names, diagnostics: &mut Vec<Diagnostic>, id: SymbolId) -> u64 {
    let (size, span) = match names.symbols.get(id) {
        Some(entry) => (entry.size, entry.span.clone()),
        None => return 0,
    };
    let value = match size {
        SymbolDefinition::Value(value) => Ok(value),
        SymbolDefinition::Expr(expr) => names.exprs.eval(expr, &names.symbols, true),
        _ => return 0,
    };
    match value.map(|v| v.as_absolute()) {
        Ok(Some(size)) => size.cast_unsigned(),
        Ok(None) => {
            let name = names.symbols.name(id).to_owned();
            diagnostics.push(Diagnostic::error(
                &ids::ADDRESS_VALUE,
                span,
                format!("the size of `{name}` must be a number, but is an address"),
            ));
            0
        }
        Err(error) => {
            let fail = error.diagnose(span, &names.symbols);
            diagnostics.push(*fail);
            0
        }
    }
}
