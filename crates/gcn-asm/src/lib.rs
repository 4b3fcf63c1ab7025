//! Programs as text: [`assemble`] makes a [`Program`] from source, [`list`](mod@list) makes source from a binary.
//!
//! The syntax is LLVM's, with what CLRX's documents write differently (errata E011–E028). A source is read
//! once, statement by statement; what waits for symbols is filled in at the end. Everything that is wrong is
//! collected: a [`Program`] is made as far as it can be, with all of the source's [`Diagnostic`]s.
//! Rendering them, reading files and exiting are for the command line.

mod assembler;
mod clrx;
mod cursor;
mod data;
mod diagnostic;
mod dialect;
mod directive;
mod encode;
mod expand;
mod explain;
mod expr;
mod features;
mod hsa;
pub mod ids;
mod instruction;
mod kernel;
mod kernel_code;
mod lds;
pub mod list;
mod map;
mod modifier;
mod object;
mod operand;
mod parts;
mod program;
mod scope;
mod symbols;
mod usage;

use gcn_isa::Target;

pub use diagnostic::{Diagnostic, Note, Severity};
pub use dialect::Dialect;
pub use expand::{File, Files, NoFiles};
pub use explain::{closest, usage};
pub use features::{FeatureError, Features};
pub use ids::{Explanation, explain, explanations};
pub use object::ObjectError;
pub use program::{
    Kernel, Listing, Metadata, Place, Program, Relocation, Section, SectionFlags, SectionKind,
    Symbol,
};

/// A text to assemble.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// What messages call it, usually a path.
    pub name: &'a str,
    /// The text.
    pub text: &'a str,
}

/// How to assemble.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The GPU to assemble for. [`named_target`] finds the one that a source asks for.
    pub target: &'static Target,
    /// What is said of its features beside the source, which may say more.
    pub features: Features,
    /// Symbols that are numbers before the source begins, as by `.set`.
    pub defines: &'a [(String, i64)],
    /// Whether [`Program::listing`] is wanted.
    pub listing: bool,
    /// Whose meaning a text has where LLVM and CLRX differ.
    pub dialect: Dialect,
}

impl Options<'_> {
    /// The usual way to assemble for a target.
    pub fn new(target: &'static Target) -> Self {
        Options {
            target,
            features: Features::unsaid(target),
            defines: &[],
            listing: true,
            dialect: Dialect::default(),
        }
    }
}

/// What assembling gives.
#[derive(Clone, Debug)]
pub struct Assembly {
    /// The program as far as it could be made.
    pub program: Program,
    /// What is wrong and what is doubtful, in the order of the source.
    pub diagnostics: Vec<Diagnostic>,
    /// The included files that the diagnostics name, in ascending order of their places.
    pub files: Vec<SourceFile>,
}

/// A file that a source included; one for each time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceFile {
    /// What messages call it.
    pub name: String,
    /// What is in it.
    pub text: String,
    /// What positions in it count from in the spans of diagnostics.
    pub start: usize,
}

impl Assembly {
    /// Whether the program is incomplete.
    pub fn has_errors(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|d| d.severity == Severity::Error)
    }
}

/// Assembles a source that includes no files. Never panics; every error of the source is in the result.
pub fn assemble(source: &Source<'_>, options: &Options<'_>) -> Assembly {
    assemble_with(source, options, &NoFiles)
}

/// Assembles a source; `files` reads what it includes. As [`assemble`] otherwise.
pub fn assemble_with(source: &Source<'_>, options: &Options<'_>, files: &dyn Files) -> Assembly {
    let texts = expand::Texts::default();
    if source.text.len() > assembler::MAX_SOURCE {
        let error = Diagnostic::error(&ids::SOURCE_LIMIT, 0..0, "the source is too long").help(
            format!("at most {} bytes are possible", assembler::MAX_SOURCE),
        );
        let empty = Source {
            text: "",
            ..*source
        };
        let (program, ..) =
            assembler::Assembler::new(&empty, options, &texts, files).into_program();
        return Assembly {
            program,
            diagnostics: vec![error],
            files: Vec::new(),
        };
    }
    let mut assembler = assembler::Assembler::new(source, options, &texts, files);
    assembler.run();
    let (program, diagnostics, files) = assembler.into_program();
    Assembly {
        program,
        diagnostics,
        files,
    }
}

/// The target of the first `.amdgcn_target`, or CLRX's `.gpu` or `.arch`, of a source, if it has one that is known.
pub fn named_target(text: &str) -> Option<&'static Target> {
    let of_line = |line: &str| {
        let (directive, rest) = line.trim_start().split_once([' ', '\t'])?;
        match directive {
            ".amdgcn_target" => {
                let triple = rest.trim_start().strip_prefix('"')?.split('"').next()?;
                Target::named(directive::processor(triple))
            }
            _ if [".gpu", ".arch"]
                .iter()
                .any(|name| name.eq_ignore_ascii_case(directive)) =>
            {
                clrx::target_named(rest.split_whitespace().next()?)
            }
            _ => None,
        }
    };
    text.lines().find_map(of_line)
}
