//! Runs the static checker on an assembled program, and maps its findings to source statements.

use std::ops::Range;

use gcn_asm::Program;
use gcn_object::{CodeObject, SymbolKind, SymbolSection};
use gcn_observe::finding::{Finding, FindingPlace, Findings};
use gcn_observe::lint::{CodeRegion, LintCode, lint};

/// Finding with the source statements of the instructions involved.
///
/// # Examples
/// ```
/// use gcn_asm::{Options, Source, assemble};
/// use gcn_lsp::findings::{EntryPoints, findings};
/// let target = gcn_isa::Target::named("gfx900").expect("a target");
/// let source = Source { name: "a.s", text: "ds_read_b32 v2, v1\nv_mov_b32 v3, v2\ns_endpgm\n" };
/// let assembly = assemble(&source, &Options::new(target));
/// let object = assembly.to_object(None).0.expect("no errors");
///
/// assert!(findings(&assembly.program, &object, EntryPoints::Declared).is_empty(), "no function is declared");
/// let found = findings(&assembly.program, &object, EntryPoints::DeclaredOrStart);
/// let text = |span: &Option<std::ops::Range<usize>>| source.text[span.clone().expect("a statement")].trim();
/// assert_eq!((found.len(), text(&found[0].span)), (1, "v_mov_b32 v3, v2"));
/// assert_eq!(text(&found[0].sides[0]), "ds_read_b32 v2, v1");
/// ```
#[derive(Clone, Debug)]
pub struct SourceFinding {
    /// Finding of the static checker.
    pub finding: Finding,
    /// Statement of the finding's instruction, as a byte range in the source.
    pub span: Option<Range<usize>>,
    /// Statements of the instructions in [`Finding::sides`], in the same order.
    pub sides: Vec<Option<Range<usize>>>,
}

/// Addresses from which the checker follows code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EntryPoints {
    /// Kernels and functions declared by the program.
    Declared,
    /// Declared kernels and functions or, if there are none, the start of each code section.
    DeclaredOrStart,
}

/// Checks a program and its code object. Returns no findings if the object cannot be read.
pub fn findings(program: &Program, object: &[u8], begin: EntryPoints) -> Vec<SourceFinding> {
    let Ok(object) = gcn_object::read(object) else {
        return Vec::new();
    };
    let sections = object.sections.iter();
    let sections = sections.filter(|section| section.is_code() && !section.file.is_empty());
    let functions = object.symbols.iter().filter(|symbol| {
        symbol.kind == SymbolKind::Function && matches!(symbol.section, SymbolSection::Section(_))
    });
    let kernels = object.kernels.iter().map(|kernel| kernel.entry_address);
    let mut entries: Vec<u64> = kernels
        .chain(functions.map(|function| function.value))
        .collect();
    if entries.is_empty() && begin == EntryPoints::DeclaredOrStart {
        entries.extend(sections.clone().map(|section| section.address));
    }
    if entries.is_empty() {
        return Vec::new();
    }
    let code = LintCode {
        isa: program.target.isa,
        regions: sections
            .map(|section| CodeRegion {
                address: section.address,
                bytes: object.section_bytes(section),
            })
            .collect(),
        entries,
    };
    let found = Findings::default();
    lint(&code, &found);
    let (found, _) = found.all();
    if found.is_empty() {
        return Vec::new();
    }
    let statements = StatementSpans::new(program, &object);
    let with_spans = found.into_iter().map(|finding| SourceFinding {
        span: statements.at(&finding.place),
        sides: finding
            .sides
            .iter()
            .map(|side| statements.at(side.place.as_ref()?))
            .collect(),
        finding,
    });
    with_spans.collect()
}

/// Map from instruction addresses to source spans, sorted by address.
struct StatementSpans(Vec<(u64, Range<usize>)>);

impl StatementSpans {
    fn new(program: &Program, object: &CodeObject<'_>) -> StatementSpans {
        let addresses: Vec<Option<u64>> = program
            .sections
            .iter()
            .map(|section| {
                let mut written = object.sections.iter();
                Some(written.find(|it| it.name == section.name)?.address)
            })
            .collect();
        let mut places: Vec<_> = program
            .listing()
            .filter_map(|listing| {
                let address = addresses.get(listing.section as usize).copied().flatten()?;
                Some((address + listing.offset, listing.span))
            })
            .collect();
        places.sort_by_key(|(address, _)| *address);
        StatementSpans(places)
    }

    fn at(&self, place: &FindingPlace) -> Option<Range<usize>> {
        let index = self
            .0
            .binary_search_by_key(&place.pc, |(address, _)| *address)
            .ok()?;
        self.0.get(index).map(|(_, span)| span.clone())
    }
}
