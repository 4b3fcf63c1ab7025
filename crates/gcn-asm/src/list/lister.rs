//! Second pass over a section, which writes the listing.

use std::fmt::Write;
use std::ops::Range;

use gcn_isa::text::Text;
use gcn_isa::{Inst, Printer, Syntax, TARGETS, TextFidelity};

use super::code::{ListOptions, ListedField, ListedNote, ListedSection, WORD};
use super::map::{ListedItem, Map, SectionWords, branch_target};
use super::names::{Name, PlacedSymbol, is_identifier};
use super::parallel::in_order;
use crate::assembly::assemble;
use crate::inputs::options::{Options, Source};
use crate::program::Listing;

/// Column for comments, relative to the instruction's first character.
const COMMENT_COLUMN: usize = 48;

/// Words per unit of parallel work: enough to amortize the overhead, few enough to keep the text in cache.
const PART_WORDS: usize = 1 << 12;

/// Writer for the second pass over a section.
pub(super) struct Lister<'a> {
    pub(super) section: &'a ListedSection<'a>,
    /// Prefix of this section's generated labels; the byte offset is appended.
    pub(super) label_prefix: String,
    /// Trailing bytes, fewer than a word.
    pub(super) tail: &'a [u8],
    pub(super) printer: &'static Printer,
    pub(super) run: SectionWords<'a>,
    pub(super) map: Map,
    pub(super) options: ListOptions,
}

impl Lister<'_> {
    pub(super) fn write(&self, out: &mut Text, sink: &mut dyn FnMut(&Text)) {
        if let Some(name) = self.section.name {
            self.section_header(out, name);
        }
        out.push_str(self.section.head);
        let parts = self.ranges();
        sink(out);
        out.clear();
        let make = |number: usize, out: &mut Text| {
            if let Some(part) = parts.get(number) {
                self.write_part(out, part.clone());
            }
        };
        in_order(parts.len(), &make, sink);
        self.labels(
            out,
            self.places_from(self.run.words.len()),
            self.run.words.len(),
        );
        if !self.tail.is_empty() {
            let line = out.len();
            out.push_str("\t.byte ");
            for (i, byte) in self.tail.iter().enumerate() {
                let _ = write!(out, "{}{byte:#04x}", if i == 0 { "" } else { ", " });
            }
            self.comment(out, line, self.run.words.len() * WORD, &[], None);
            out.push('\n');
        }
    }

    /// Word ranges that threads write in parallel; each starts at an item.
    fn ranges(&self) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        let mut begin = 0;
        while begin < self.run.words.len() {
            let end = (begin + PART_WORDS..self.run.words.len())
                .find(|&word| self.map.begins(word) && !self.is_written(word))
                .unwrap_or(self.run.words.len());
            ranges.push(begin..end);
            begin = end;
        }
        ranges
    }

    /// Returns true if one symbol's data text covers both the word and its predecessor.
    fn is_written(&self, word: usize) -> bool {
        let before = self.run.places.partition_point(|place| place.word < word);
        let Some(last) = before.checked_sub(1).and_then(|i| self.run.places.get(i)) else {
            return false;
        };
        let first = self
            .run
            .places
            .partition_point(|place| place.word < last.word);
        let same = self.run.places.get(first..before).unwrap_or_default();
        same.iter()
            .any(|place| place.symbol.data_text.is_some() && word < place.data_end)
    }

    /// Relocated fields in the `count` words starting at `at`.
    fn open(&self, at: usize, count: usize) -> &[ListedField<'_>] {
        let open = &self.section.open;
        if open.is_empty() {
            return open;
        }
        let first = |word: usize| {
            let offset = (word as u64).saturating_mul(WORD as u64);
            open.partition_point(|field| field.offset < offset)
        };
        open.get(first(at)..first(at + count)).unwrap_or_default()
    }

    /// Writes an item that has relocated fields: symbolically if possible, and returns true. Otherwise writes `.reloc`
    /// for each field, and returns false so that the caller writes the item.
    fn open_item(&self, out: &mut Text, at: usize, item: &ListedItem) -> bool {
        let fields = self.open(at, item.words());
        let line = out.len();
        match (fields, item) {
            ([], _) => return false,
            ([field], ListedItem::Inst(inst, _)) if let Some(operand) = field.operand => {
                out.push('\t');
                let fidelity = self
                    .printer
                    .print(inst, out, self.options.syntax, Some(operand));
                if fidelity == TextFidelity::Exact && assembles_to(inst, out.from(line + 1)) {
                    let words = &inst.words()[..inst.dwords()];
                    self.comment(out, line, at * WORD, words, None);
                    out.push('\n');
                    return true;
                }
                out.truncate(line);
            }
            ([field], ListedItem::Data(0)) if field.offset == (at * WORD) as u64 => {
                if let Some(long) = field.long {
                    let _ = write!(out, "\t.long {long}");
                    self.comment(out, line, at * WORD, &[0], None);
                    out.push('\n');
                    return true;
                }
            }
            _ => {}
        }
        for field in fields {
            let inside = field.offset.saturating_sub((at * WORD) as u64);
            let _ = writeln!(out, "\t.reloc .+{inside}, {}", field.reloc);
        }
        false
    }

    /// Symbols at word `at` or later.
    fn places_from(&self, at: usize) -> &[PlacedSymbol<'_>] {
        &self.run.places[self.run.places.partition_point(|place| place.word < at)..]
    }

    /// Notes at word `at` or later.
    fn notes_from(&self, at: usize) -> &[ListedNote<'_>] {
        let notes = &self.section.notes;
        let first = notes.partition_point(|note| word_of(note) < at);
        notes.get(first..).unwrap_or_default()
    }

    /// Writes the notes up to word `at` and returns the remaining ones.
    fn notes<'n>(
        &self,
        out: &mut Text,
        notes: &'n [ListedNote<'n>],
        at: usize,
    ) -> &'n [ListedNote<'n>] {
        let here = notes.iter().take_while(|note| word_of(note) <= at).count();
        let (here, later) = notes.split_at(here);
        for line in here.iter().flat_map(|note| note.text.lines()) {
            out.push_str(comment_mark(self.options.syntax));
            out.push(' ');
            out.push_str(line);
            out.push('\n');
        }
        later
    }

    fn write_part(&self, out: &mut Text, part: Range<usize>) {
        let mut label = Text::new();
        let mut places = self.places_from(part.start);
        let mut notes = self.notes_from(part.start);
        let mut written = 0;
        // Fast path: without comments and relocations, most lines hold only an instruction.
        let has_no_comments = !self.options.hex
            && self.options.syntax == Syntax::Llvm
            && self.section.open.is_empty();
        let mut at = part.start;
        for between in self.run.between_symbols(part) {
            while at < between.words.end {
                if self.map.is_label(at) || places.first().is_some_and(|place| place.word <= at) {
                    let later = self.labels(out, places, at);
                    let here = places.len() - later.len();
                    for place in places.iter().take(here) {
                        if let Some(text) = place.symbol.data_text.filter(|_| place.label) {
                            out.push_str(text);
                            written = place.data_end;
                        }
                    }
                    places = later;
                }
                notes = self.notes(out, notes, at);
                if has_no_comments && !between.is_data && at >= written {
                    let end = notes.first().map_or(between.words.end, |note| {
                        between.words.end.min(word_of(note).max(at + 1))
                    });
                    let stop = self.map.next_label(at + 1, end);
                    let code = self.run.words.get(at..stop).unwrap_or_default();
                    at += self.printer.lines(self.run.decoder, code, out);
                    if at >= stop {
                        continue;
                    }
                }
                at += self.write_item(out, at, between.max_words(at), at < written, &mut label);
            }
        }
    }

    /// Writes the item at word `at`, unless data text already covers it (`is_written`), and returns its length in
    /// words. `label` is a scratch buffer for branch target names.
    #[inline(never)]
    fn write_item(
        &self,
        out: &mut Text,
        at: usize,
        limit: usize,
        is_written: bool,
        label: &mut Text,
    ) -> usize {
        let item = self.run.item(at, limit);
        if is_written || !self.section.open.is_empty() && self.open_item(out, at, &item) {
            return item.words();
        }
        let line = out.len();
        out.push('\t');
        match &item {
            ListedItem::Inst(inst, skimmed) => {
                let target = branch_target(at, skimmed)
                    .filter(|&target| self.map.is_label(target))
                    .map(|target| {
                        label.clear();
                        self.label_of(label, target);
                        label.as_str()
                    });
                let fidelity = self.printer.print(inst, out, self.options.syntax, target);
                let words = &inst.words()[..inst.dwords()];
                let mut reading = None;
                if fidelity != TextFidelity::Exact {
                    reading = Some(out.from(line + 1).to_owned());
                    out.truncate(line + 1);
                    data(out, self.options.syntax, words);
                }
                self.comment(out, line, at * WORD, words, reading.as_deref());
            }
            ListedItem::Data(word) => {
                data(out, self.options.syntax, &[*word]);
                self.comment(out, line, at * WORD, &[*word], None);
            }
        }
        out.push('\n');
        item.words()
    }

    fn section_header(&self, out: &mut Text, name: &str) {
        let _ = match name {
            ".text" => writeln!(out, "\t.text"),
            _ if is_identifier(name) => writeln!(out, "\t.section {name},\"ax\",@progbits"),
            _ => writeln!(
                out,
                "\t.section \"{}\",\"ax\",@progbits",
                name.escape_default()
            ),
        };
        if self.section.align > WORD as u64 && self.section.align.is_power_of_two() {
            let _ = writeln!(out, "\t.p2align {}", self.section.align.trailing_zeros());
        }
    }

    /// Writes the labels at word `at`, and comments for symbols that cannot be labels. Returns the remaining symbols.
    fn labels<'p>(
        &self,
        out: &mut Text,
        places: &'p [PlacedSymbol<'p>],
        at: usize,
    ) -> &'p [PlacedSymbol<'p>] {
        let here = places.iter().take_while(|place| place.word <= at).count();
        let (here, later) = places.split_at(here);
        for place in here {
            let name = place.symbol.name;
            if !place.label {
                let inside = place.symbol.offset % WORD as u64;
                let mark = comment_mark(self.options.syntax);
                let _ = writeln!(out, "{mark} {} + {inside}:", name.escape_debug());
                continue;
            }
            let name = Name(name);
            if place.symbol.global {
                let _ = writeln!(out, "\t.globl {name}");
            }
            if place.symbol.function {
                let _ = writeln!(out, "\t.type {name},@function");
            }
            if place.symbol.size != 0 {
                let _ = writeln!(out, "\t.size {name}, {}", place.symbol.size);
            }
            let _ = writeln!(out, "{}{name}:", place.symbol.before);
        }
        if self.map.is_label(at) && !here.iter().any(|place| place.is_operand) {
            self.generated_label(out, at);
            out.push_str(":\n");
        }
        later
    }

    /// Writes a branch operand for word `at`: the name of its label.
    fn label_of(&self, label: &mut Text, at: usize) {
        let first = self.run.places.partition_point(|place| place.word < at);
        let mut here = self.run.places[first..]
            .iter()
            .take_while(|place| place.word == at);
        match here.find(|place| place.is_operand) {
            Some(place) => label.push_str(place.symbol.name),
            None => self.generated_label(label, at),
        }
    }

    fn generated_label(&self, out: &mut Text, at: usize) {
        out.push_str(&self.label_prefix);
        out.push_hex_digits((at * WORD) as u64);
    }

    /// Appends the requested comments to the line that began at `line`: address, words, and the instruction text for a
    /// `.long`.
    #[inline(always)]
    fn comment(
        &self,
        out: &mut Text,
        line: usize,
        offset: usize,
        words: &[u32],
        reading: Option<&str>,
    ) {
        if self.options.hex || reading.is_some() {
            self.write_comment(out, line, offset, words, reading);
        }
    }

    fn write_comment(
        &self,
        out: &mut Text,
        line: usize,
        offset: usize,
        words: &[u32],
        reading: Option<&str>,
    ) {
        let written = out.len() - line - 1;
        out.push_blanks(COMMENT_COLUMN.saturating_sub(written));
        out.push_str(" ");
        out.push_str(comment_mark(self.options.syntax));
        if self.options.hex {
            let _ = write!(
                out,
                " {:012x}:",
                self.section.address.wrapping_add(offset as u64)
            );
            for word in words {
                let _ = write!(out, " {word:08X}");
            }
        }
        if let Some(reading) = reading {
            out.push(' ');
            out.push_str(reading);
        }
    }
}

/// Index of the word before which a note is written.
fn word_of(note: &ListedNote<'_>) -> usize {
    usize::try_from(note.offset.div_ceil(WORD as u64)).unwrap_or(usize::MAX)
}

/// Returns true if `text`, which contains symbolic values, assembles to `inst` with zeros for these values.
fn assembles_to(inst: &Inst, text: &str) -> bool {
    let Some(target) = TARGETS.iter().find(|target| target.isa == inst.isa) else {
        return false;
    };
    let source = Source {
        name: "listing",
        text,
    };
    let assembly = assemble(&source, &Options::new(target));
    let made = |listing: Listing| {
        listing.inst.bits() == inst.bits() && listing.inst.dwords() == inst.dwords()
    };
    let mut instructions = assembly.program.listing();
    let is_made = instructions.next().is_some_and(made) && instructions.next().is_none();
    is_made && !assembly.has_errors()
}

/// Writes words as data.
fn data(out: &mut Text, syntax: Syntax, words: &[u32]) {
    let mut separator = match syntax {
        Syntax::Llvm => ".long ",
        Syntax::Clrx => ".int ",
    };
    for &word in words {
        out.push_str(separator);
        out.push_word(word);
        separator = ", ";
    }
}

/// Comment prefix; `//` is division in CLRX's syntax.
fn comment_mark(syntax: Syntax) -> &'static str {
    match syntax {
        Syntax::Llvm => "//",
        Syntax::Clrx => "#",
    }
}
