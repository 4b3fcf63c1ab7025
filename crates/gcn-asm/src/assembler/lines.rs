//! Lines of the source that instructions and labels come from, for debug information.

use std::cell::OnceCell;
use std::ops::Range;

use hashbrown::HashMap;

use crate::assembler::expansion::Expansion;
use crate::program::{LinePlace, Program, ProgramLines, SymbolPlace};

/// A text of the assembly: the source or a file that it includes.
struct TextLines<'a> {
    /// Index of its name.
    file: usize,
    text: &'a str,
    /// The place of its first byte.
    start: usize,
    /// Offsets of the ends of its lines.
    ends: OnceCell<Vec<usize>>,
}

impl TextLines<'_> {
    /// Line of a place, from 1.
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

/// Finds the lines of instructions and labels. A statement that a macro makes is in the line of the outermost call.
pub(crate) fn find(expansion: &Expansion<'_>, program: &Program, directory: &str) -> ProgramLines {
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
    ProgramLines {
        directory: directory.to_owned(),
        rows: rows.collect(),
        labels: labels.collect(),
        files,
    }
}
