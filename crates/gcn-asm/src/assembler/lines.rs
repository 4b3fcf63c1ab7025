//! Source lines of instructions and labels, for debug information.

use std::cell::OnceCell;
use std::ops::Range;

use hashbrown::HashMap;

use crate::assembler::expansion::Expansion;
use crate::inputs::options::Options;
use crate::program::{LinePlace, Program, ProgramLines, SymbolPlace};

/// Text of the main source or of an included file.
struct TextLines<'a> {
    /// Index into the file names.
    file: usize,
    text: &'a str,
    /// Position of the text's first byte.
    start: usize,
    /// Offsets of line ends, computed on first use.
    ends: OnceCell<Vec<usize>>,
}

impl TextLines<'_> {
    /// One-based number of the line at a position.
    fn line(&self, place: usize) -> u64 {
        let ends = self.ends.get_or_init(|| {
            let ends = self.text.bytes().enumerate();
            let ends = ends.filter(|(_, byte)| *byte == b'\n');
            ends.map(|(at, _)| at).collect()
        });
        let at = place.saturating_sub(self.start);
        1 + ends.partition_point(|end| *end < at) as u64
    }
}

/// Finds the source lines of instructions and labels. Generated statements get the line of the outermost call.
pub(crate) fn find(
    expansion: &Expansion<'_>,
    program: &Program,
    directory: &str,
    options: &Options<'_>,
) -> ProgramLines {
    let mut files = vec![expansion.source.to_owned()];
    let mut numbers: HashMap<&str, usize> = HashMap::from([(expansion.source, 0)]);
    let mut texts = vec![TextLines {
        file: 0,
        text: expansion.source_text,
        start: 0,
        ends: OnceCell::new(),
    }];
    for it in &expansion.files {
        let file = *numbers.entry(it.name).or_insert_with(|| {
            files.push(it.name.to_owned());
            files.len() - 1
        });
        texts.push(TextLines {
            file,
            text: it.text,
            start: it.start,
            ends: OnceCell::new(),
        });
    }
    let row = |section: usize, offset: u64, size: u64, span: &Range<usize>| {
        let after = texts.partition_point(|it| it.start <= span.start);
        let text = texts.get(after.saturating_sub(1))?;
        Some(LinePlace {
            section,
            offset,
            size,
            file: text.file,
            line: text.line(span.start),
        })
    };
    let rows = program.listing().filter_map(|it| {
        let size = size_of::<u32>() * it.inst.dwords();
        row(it.section as usize, it.offset, size as u64, &it.span)
    });
    let is_code = |section: usize| {
        let section = program.sections.get(section);
        section.is_some_and(|it| it.flags.exec)
    };
    let labels = program.symbols.iter().enumerate();
    let labels = labels.filter_map(|(index, it)| match it.place {
        SymbolPlace::Section { section, offset } if is_code(section) && !it.is_temporary() => {
            Some((index, row(section, offset, 0, &it.span)?))
        }
        _ => None,
    });
    let embedded = if options.embed_sources {
        // A file included more than once has several equal texts.
        let text = |file| texts.iter().find(|it| it.file == file);
        let text = |file| text(file).map_or_else(String::new, |it| it.text.to_owned());
        (0..files.len()).map(text).collect()
    } else {
        Vec::new()
    };
    ProgramLines {
        directory: directory.to_owned(),
        texts: embedded,
        rows: rows.collect(),
        labels: labels.collect(),
        files,
    }
}
