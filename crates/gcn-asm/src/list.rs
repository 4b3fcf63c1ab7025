//! The listing of machine code as source that assembles again to the same bytes.
//!
//! Decoding here is total: words that are no instruction become `.long`, a rest of less than a word `.byte`, and
//! an instruction whose text does not say all of its bits `.long` with its reading as a comment. The first pass over a
//! section finds where instructions begin and where branches go, the second writes; neither allocates per
//! instruction.

mod data;
mod map;
mod notes;
mod object;
mod parts;

use std::fmt::{self, Write};
use std::ops::{Range, RangeInclusive};
use std::thread;

use hashbrown::HashSet;

use gcn_isa::text::Text;
use gcn_isa::{Fidelity, Inst, Isa, Printer, Syntax, TARGETS, regs};

use gcn_object::{DESCRIPTOR_ALIGN, KernelDescriptor};

use crate::assembly::assemble;
use crate::descriptor::{KEYS, Key, PREFIX, SGPR_BLOCK, VGPR_BLOCK};
use crate::options::{Options, Source};
use crate::program::Listing;
use map::{Item, Map, Run, branch_target};
use parts::in_order;

pub use object::{list_object, target_id};

/// What generated labels begin with.
pub const LABELS: &str = "L";
/// Bytes of a word.
pub(crate) const WORD: usize = 4;
/// SGPRs of VCC and XNACK_MASK, which the assembler adds to a kernel's for a target with XNACK.
const XNACK_SGPRS: u32 = 4;
/// Code object versions that `.amdhsa_code_object_version` can ask for.
const WRITTEN_VERSIONS: RangeInclusive<u8> = 4..=6;
/// The column at which comments begin, counted from the instruction's first character.
const COMMENT_COLUMN: usize = 48;
/// Words that a thread writes at a time: enough to be worth its while, and so few that their text stays in its cache.
const PART_WORDS: usize = 1 << 12;
/// Bytes of code that are worth a thread to prepare what all need.
const MANY_BYTES: usize = 1 << 18;
/// Bytes of text per byte of code, a little more than memory instructions need.
const TEXT_PER_BYTE: usize = 6;

/// Code to list.
#[derive(Clone, Debug)]
pub struct Code<'a> {
    /// The instruction set that decodes it.
    pub isa: Isa,
    /// The operand of `.amdgcn_target`; without it the directive is not written.
    pub target_id: Option<String>,
    /// The operand of `.amdhsa_code_object_version`, if there is such a directive for it (4 to 6).
    pub version: Option<u8>,
    /// Whether the target id asks for XNACK_MASK (the chip has XNACK, and it is not off).
    pub reserves_xnack: bool,
    /// What the labels begin with that branches need; made longer if a symbol begins so.
    pub labels: &'a str,
    /// Runs of code, in the order of the listing.
    pub sections: Vec<Section<'a>>,
    /// Kernels whose descriptors are written after the code, each if a symbol has its name.
    pub kernels: Vec<Kernel<'a>>,
    /// YAML for `.amdgpu_metadata`.
    pub metadata: Option<String>,
}

/// A kernel.
#[derive(Clone, Copy, Debug)]
pub struct Kernel<'a> {
    /// The name of its code's symbol.
    pub name: &'a str,
    /// Its descriptor. Bits that no directive sets are not written.
    pub descriptor: &'a KernelDescriptor,
}

impl<'a> Code<'a> {
    /// Words without a container: one nameless section at address zero.
    pub fn raw(isa: Isa, bytes: &'a [u8]) -> Code<'a> {
        let section = Section {
            name: None,
            head: "",
            address: 0,
            align: 1,
            bytes,
            symbols: Vec::new(),
            open: Vec::new(),
        };
        Code {
            isa,
            target_id: None,
            version: None,
            reserves_xnack: false,
            labels: LABELS,
            sections: vec![section],
            kernels: Vec::new(),
            metadata: None,
        }
    }
}

/// A run of code.
#[derive(Clone, Debug)]
pub struct Section<'a> {
    /// Its name; without one the listing switches no section.
    pub name: Option<&'a str>,
    /// Lines before its code.
    pub head: &'a str,
    /// The address of its first byte, which only comments show.
    pub address: u64,
    /// Its alignment in bytes, a power of two; `.p2align` is written if it is more than a word's.
    pub align: u64,
    /// The code: words, little endian.
    pub bytes: &'a [u8],
    /// Names of places in it, in any order.
    pub symbols: Vec<Symbol<'a>>,
    /// Fields that a linker fills in, in the order of their places.
    pub open: Vec<Open<'a>>,
}

/// A field that a linker fills in, as text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Open<'a> {
    /// Bytes from the section's begin.
    pub offset: u64,
    /// How an operand of an instruction names what is to be filled in, if one can.
    pub operand: Option<&'a str>,
    /// How `.long` names it, if it can.
    pub long: Option<&'a str>,
    /// Kind and expression as `.reloc` has them, which can say it always.
    pub reloc: &'a str,
}

/// A name of a place in a section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Symbol<'a> {
    /// The name.
    pub name: &'a str,
    /// Bytes from the section's begin; a symbol outside the section is left out.
    pub offset: u64,
    /// In bytes; `.size` is written if it is not zero.
    pub size: u64,
    /// Bytes from it on that are no instructions: all of a table, the header before a kernel's code.
    pub data: u64,
    /// Whether `.globl` is written.
    pub global: bool,
    /// Whether `.type NAME,@function` is written.
    pub function: bool,
    /// Lines before its label that say what else it is.
    pub before: &'a str,
    /// Lines that stand for its data; no other symbol is inside of that.
    pub data_text: Option<&'a str>,
}

/// How to list.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ListOptions {
    /// The spelling of instructions.
    pub syntax: Syntax,
    /// Adds each line's address and words as a comment.
    pub hex: bool,
}

/// The listing of `code`; total for any bytes.
pub fn list(code: &Code, options: &ListOptions) -> String {
    let bytes: usize = code.sections.iter().map(|s| s.bytes.len()).sum();
    let mut all = Vec::with_capacity(bytes.saturating_mul(TEXT_PER_BYTE));
    list_to(code, options, &mut |part: &[u8]| {
        all.extend_from_slice(part)
    });
    String::from_utf8(all).unwrap_or_default() // A text's bytes are UTF-8.
}

/// The listing of `code`, in UTF-8, given to `sink` in parts of whole lines: large listings need no room as a whole.
pub fn list_to(code: &Code, options: &ListOptions, sink: &mut dyn FnMut(&[u8])) {
    let sink = &mut |part: &Text| sink(part.as_bytes());
    let mut text = Text::new();
    let out = &mut text;
    if let Some(id) = &code.target_id {
        let _ = writeln!(out, "\t.amdgcn_target \"{id}\""); // Writing to a text cannot fail.
    }
    if let Some(version) = code
        .version
        .filter(|version| WRITTEN_VERSIONS.contains(version))
    {
        let _ = writeln!(out, "\t.amdhsa_code_object_version {version}");
    }
    let mut names = Names::new(code);
    let mut places: Vec<Vec<Place>> = Vec::new();
    thread::scope(|scope| {
        let bytes: usize = code.sections.iter().map(|s| s.bytes.len()).sum();
        if bytes >= MANY_BYTES {
            // They take as long to be formed as the names.
            scope.spawn(|| (code.isa.decoder(), code.isa.printer()));
        }
        places.extend(code.sections.iter().map(|section| names.places(section)));
    });
    for ((index, section), places) in code.sections.iter().enumerate().zip(&places) {
        let (words, tail) = section.bytes.as_chunks::<WORD>();
        let run = Run {
            decoder: code.isa.decoder(),
            words,
            places,
        };
        let map = Map::new(&run);
        let lister = Lister {
            section,
            label_prefix: format!("{}{index}_", names.prefix),
            tail,
            printer: code.isa.printer(),
            run,
            map,
            options: *options,
        };
        lister.write(out, sink);
    }
    let mut kernels = code
        .kernels
        .iter()
        .filter(|kernel| names.defined.contains(kernel.name))
        .peekable();
    if kernels.peek().is_some() {
        out.push_str("\n\t.section .rodata,\"a\",@progbits\n");
    }
    for kernel in kernels {
        descriptor(out, code, kernel);
    }
    if let Some(metadata) = &code.metadata {
        let end = if metadata.ends_with('\n') { "" } else { "\n" };
        let _ = writeln!(
            out,
            "\n\t.amdgpu_metadata\n{metadata}{end}.end_amdgpu_metadata"
        );
    }
    sink(out);
}

/// Writes a kernel's descriptor: every key, so that no default matters.
fn descriptor(out: &mut dyn Write, code: &Code, kernel: &Kernel) {
    let Kernel { name, descriptor } = kernel;
    let (rsrc1, rsrc2) = (descriptor.compute_pgm_rsrc1, descriptor.compute_pgm_rsrc2);
    let properties = descriptor.kernel_code_properties;
    // The assembler adds these, as the target id tells it to.
    let added_sgprs = if code.reserves_xnack { XNACK_SGPRS } else { 0 };
    let align = DESCRIPTOR_ALIGN.trailing_zeros();
    let _ = writeln!(out, "\t.p2align {align}\n\t.amdhsa_kernel {name}");
    for &(key, sets, _) in KEYS.iter().filter(|(.., on)| on.has(code.isa)) {
        let value = match sets {
            Key::GroupSize => descriptor.group_segment_fixed_size,
            Key::PrivateSize => descriptor.private_segment_fixed_size,
            Key::KernargSize => descriptor.kernarg_size,
            Key::Rsrc1(field) => rsrc1.get(field),
            Key::Rsrc2(field) => rsrc2.get(field),
            Key::UserSgprs(field, _) | Key::Property(field) => properties.get(field),
            Key::UserSgprCount => rsrc2.user_sgpr_count(),
            Key::NextFreeVgpr => (rsrc1.granulated_workitem_vgpr_count() + 1) * VGPR_BLOCK,
            Key::NextFreeSgpr => {
                let blocks = rsrc1.granulated_wavefront_sgpr_count() + 1;
                blocks * SGPR_BLOCK - added_sgprs
            }
            // They are in the number of SGPRs.
            Key::ReserveVcc | Key::ReserveFlatScratch => 0,
            Key::ReserveXnackMask => continue,
        };
        let _ = writeln!(out, "\t\t{PREFIX}{key} {value}");
    }
    let _ = out.write_str("\t.end_amdhsa_kernel\n");
}

/// What names the listing defines; the first symbol of a name gets it.
struct Names<'a> {
    /// What generated labels begin with, so that none of them is a symbol's name.
    prefix: String,
    defined: HashSet<&'a str>,
}

/// A symbol in the order of addresses.
pub(crate) struct Place<'a> {
    symbol: &'a Symbol<'a>,
    /// The word that it names, or that it is inside of.
    pub(crate) word: usize,
    /// The word at which what it says is data ends.
    data_end: usize,
    /// The word at which what it or a symbol before it says is data ends.
    pub(crate) all_data_end: usize,
    /// It can be defined as a label.
    label: bool,
    /// Its name can be written as the operand of a branch.
    is_operand: bool,
}

impl<'a> Names<'a> {
    fn new(code: &'a Code<'a>) -> Names<'a> {
        let symbols = || code.sections.iter().flat_map(|section| &section.symbols);
        let count = code.sections.iter().map(|section| section.symbols.len());
        let mut prefix = code.labels.to_owned();
        while symbols().any(|symbol| symbol.name.starts_with(&prefix)) {
            prefix.push('_');
        }
        Names {
            prefix,
            defined: HashSet::with_capacity(count.sum()),
        }
    }

    fn places(&mut self, section: &'a Section<'a>) -> Vec<Place<'a>> {
        let mut places = Vec::with_capacity(section.symbols.len());
        places.extend(section.symbols.iter().filter_map(|symbol| {
            let offset = usize::try_from(symbol.offset)
                .ok()
                .filter(|&o| o <= section.bytes.len())?;
            let data = usize::try_from(symbol.data).unwrap_or(usize::MAX);
            let label =
                offset % WORD == 0 && is_name(symbol.name) && self.defined.insert(symbol.name);
            let data_end = offset.saturating_add(data).div_ceil(WORD);
            Some(Place {
                symbol,
                word: offset / WORD,
                data_end,
                all_data_end: data_end,
                label,
                is_operand: label && is_identifier(symbol.name) && !reads_as_register(symbol.name),
            })
        }));
        places.sort_by_key(|place| place.word);
        let mut all_data_end = 0;
        for place in &mut places {
            all_data_end = place.data_end.max(all_data_end);
            place.all_data_end = all_data_end;
        }
        places
    }
}

/// Whether an assembler takes the name, if with quotes.
fn is_name(name: &str) -> bool {
    let takes_no_quotes = |c: char| c.is_control() || matches!(c, '"' | '\\');
    !name.is_empty() && !name.contains(takes_no_quotes)
}

/// A name as an assembler takes it.
pub(crate) struct Name<'a>(pub &'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quote = if is_identifier(self.0) { "" } else { "\"" };
        write!(f, "{quote}{}{quote}", self.0)
    }
}

/// Whether an assembler takes the name without quotes.
fn is_identifier(name: &str) -> bool {
    let letter = |b: u8| b.is_ascii_alphabetic() || matches!(b, b'_' | b'.');
    let mut bytes = name.bytes();
    name != "."
        && bytes.next().is_some_and(letter)
        && bytes.all(|b| letter(b) || b.is_ascii_digit() || b == b'$')
}

/// Whether a name would be taken for a register where an operand is expected.
fn reads_as_register(name: &str) -> bool {
    let is = |text: &str| name.eq_ignore_ascii_case(text);
    let is_numbered = ["v", "s", "ttmp"].iter().any(|letters| {
        let (head, rest) = name.split_at_checked(letters.len()).unwrap_or_default();
        head.eq_ignore_ascii_case(letters) && rest.bytes().all(|b| b.is_ascii_digit())
    });
    is_numbered || is("off") || regs::is_named_anywhere(name)
}

/// The second pass over a section.
struct Lister<'a> {
    section: &'a Section<'a>,
    /// What the generated labels of this section begin with; the byte's offset follows.
    label_prefix: String,
    /// The bytes after the last whole word.
    tail: &'a [u8],
    printer: &'static Printer,
    run: Run<'a>,
    map: Map,
    options: ListOptions,
}

impl Lister<'_> {
    fn write(&self, out: &mut Text, sink: &mut dyn FnMut(&Text)) {
        if let Some(name) = self.section.name {
            self.section_header(out, name);
        }
        out.push_str(self.section.head);
        let parts = self.parts();
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

    /// The section's words in parts that threads write at the same time; each begins with an item.
    fn parts(&self) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        let mut begin = 0;
        while begin < self.run.words.len() {
            let end = (begin + PART_WORDS..self.run.words.len())
                .find(|&word| self.map.begins(word) && !self.is_said(word))
                .unwrap_or(self.run.words.len());
            parts.push(begin..end);
            begin = end;
        }
        parts
    }

    /// Whether a symbol's text stands for the word and for the one before.
    fn is_said(&self, word: usize) -> bool {
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

    /// The fields within the `count` words at word `at` that a linker fills in.
    fn open(&self, at: usize, count: usize) -> &[Open<'_>] {
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

    /// Writes an item of which a linker fills in a part, naming what that is where the text can.
    fn open_item(&self, out: &mut Text, at: usize, item: &Item) -> bool {
        let fields = self.open(at, item.words());
        let line = out.len();
        match (fields, item) {
            ([], _) => return false,
            ([field], Item::Inst(inst, _)) if let Some(operand) = field.operand => {
                out.push('\t');
                let fidelity = self
                    .printer
                    .print(inst, out, self.options.syntax, Some(operand));
                if fidelity == Fidelity::Exact && assembles_to(inst, out.from(line + 1)) {
                    let words = &inst.words()[..inst.dwords()];
                    self.comment(out, line, at * WORD, words, None);
                    out.push('\n');
                    return true;
                }
                out.truncate(line);
            }
            ([field], Item::Data(0)) if field.offset == (at * WORD) as u64 => {
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

    /// The places at word `at` and after it.
    fn places_from(&self, at: usize) -> &[Place<'_>] {
        &self.run.places[self.run.places.partition_point(|place| place.word < at)..]
    }

    fn write_part(&self, out: &mut Text, part: Range<usize>) {
        let mut label = Text::new();
        let mut places = self.places_from(part.start);
        let mut said = 0;
        // Without comments, and with nothing to be filled in, most lines are an instruction and no more.
        let is_plain = !self.options.hex
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
                            said = place.data_end;
                        }
                    }
                    places = later;
                }
                if is_plain && !between.is_data && at >= said {
                    let stop = self.map.next_label(at + 1, between.words.end);
                    let code = self.run.words.get(at..stop).unwrap_or_default();
                    at += self.printer.lines(self.run.decoder, code, out);
                    if at >= stop {
                        continue;
                    }
                }
                at += self.write_item(out, at, between.most_words(at), at < said, &mut label);
            }
        }
    }

    /// Writes an item that begins at word `at`, unless it `is_said`. Returns how many words it has. `label` is where the
    /// name of a branch's target is made.
    #[inline(never)]
    fn write_item(
        &self,
        out: &mut Text,
        at: usize,
        limit: usize,
        is_said: bool,
        label: &mut Text,
    ) -> usize {
        let item = self.run.item(at, limit);
        if is_said || !self.section.open.is_empty() && self.open_item(out, at, &item) {
            return item.words();
        }
        let line = out.len();
        out.push('\t');
        match &item {
            Item::Inst(inst, skimmed) => {
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
                if fidelity != Fidelity::Exact {
                    reading = Some(out.from(line + 1).to_owned());
                    out.truncate(line + 1);
                    data(out, self.options.syntax, words);
                }
                self.comment(out, line, at * WORD, words, reading.as_deref());
            }
            Item::Data(word) => {
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

    /// Writes the labels at word `at`, and the symbols that cannot be labels as comments; the places after it.
    fn labels<'p>(&self, out: &mut Text, places: &'p [Place<'p>], at: usize) -> &'p [Place<'p>] {
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

    /// Writes the label that a branch to word `at` names.
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

    /// Ends a line that began at `line` with what is asked for: address and words, and the reading of a `.long`.
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

/// Whether the assembler makes the instruction from a text that names what a linker fills in, which counts as zero.
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

/// What begins a comment; `//` is a division to CLRX.
fn comment_mark(syntax: Syntax) -> &'static str {
    match syntax {
        Syntax::Llvm => "//",
        Syntax::Clrx => "#",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    const ENDPGM: u32 = 0xbf81_0000;
    const NOP: u32 = 0xbf80_0000;
    /// `ds_read_b32 v1, v2` on GCN 1.2 and 1.4.
    const DS_READ: [u32; 2] = [0xd86c_0000, 0x0100_0002];

    fn lines(code: &Code, options: &ListOptions) -> Vec<String> {
        list(code, options).lines().map(str::to_owned).collect()
    }

    #[test]
    fn instructions_data_and_tail_are_each_a_line() {
        let mut input = bytes(&[DS_READ[0], DS_READ[1], ENDPGM, DS_READ[0]]);
        input.extend([1, 2, 3]);
        let text = lines(&Code::raw(Isa::Vi, &input), &ListOptions::default());
        assert_eq!(
            text,
            [
                "\tds_read_b32 v1, v2",
                "\ts_endpgm",
                "\t.long 0xd86c0000",
                "\t.byte 0x01, 0x02, 0x03"
            ]
        );
    }

    #[test]
    fn branches_name_labels_where_an_instruction_begins() {
        // To the begin, to the end, into the middle of ds_read_b32, and far out.
        let input = bytes(&[
            0xbf82_ffff,
            0xbf82_0004,
            0xbf82_0001,
            DS_READ[0],
            DS_READ[1],
            0xbf82_7fff,
        ]);
        let text = lines(&Code::raw(Isa::Vi, &input), &ListOptions::default());
        assert_eq!(
            text,
            [
                "L0_0:",
                "\ts_branch L0_0",
                "\ts_branch L0_18",
                "\ts_branch 1",
                "\tds_read_b32 v1, v2",
                "\ts_branch 32767",
                "L0_18:",
            ]
        );
    }

    #[test]
    fn bits_that_the_text_lacks_make_data_with_a_comment() {
        // Bit 25 is reserved on GCN 1.2.
        let input = bytes(&[DS_READ[0] | 1 << 25, DS_READ[1]]);
        let options = ListOptions {
            hex: true,
            ..ListOptions::default()
        };
        let text = lines(&Code::raw(Isa::Vi, &input), &options);
        assert_eq!(
            text,
            [".long 0xda6c0000, 0x01000002".to_owned()].map(|data| format!(
                "\t{data:48} // 000000000000: DA6C0000 01000002 ds_read_b32 v1, v2"
            ))
        );
    }

    #[test]
    fn what_the_assembler_refuses_is_data() {
        // VCC and s0 in one vector instruction.
        let text = lines(&Code::raw(Isa::Vi, &bytes(&[0])), &ListOptions::default());
        assert_eq!(
            text,
            [format!(
                "\t{:48} // v_cndmask_b32_e32 v0, s0, v0, vcc",
                ".long 0x00000000"
            )]
        );
    }

    #[test]
    fn data_is_not_decoded() {
        let input = bytes(&[NOP, NOP, DS_READ[0], ENDPGM]);
        let table = Symbol {
            name: "table",
            offset: 4,
            size: 0,
            data: 8,
            global: false,
            function: false,
            before: "",
            data_text: None,
        };
        let mut code = Code::raw(Isa::Vi, &input);
        code.sections[0].symbols.push(table);
        assert_eq!(
            lines(&code, &ListOptions::default()),
            [
                "\ts_nop 0",
                "table:",
                "\t.long 0xbf800000",
                "\t.long 0xd86c0000",
                "\ts_endpgm",
            ]
        );
    }

    #[test]
    fn symbols_are_labels_and_begin_an_instruction() {
        let input = bytes(&[DS_READ[0], NOP, ENDPGM, 0xbf82_fffe]);
        let symbol = |name, offset| Symbol {
            name,
            offset,
            size: 0,
            data: 0,
            global: false,
            function: false,
            before: "",
            data_text: None,
        };
        let section = Section {
            name: Some(".text"),
            head: "",
            address: 0x1000,
            align: 256,
            bytes: &input,
            symbols: vec![
                symbol("v1", 8),
                Symbol {
                    size: 8,
                    global: true,
                    function: true,
                    ..symbol("kernel", 4)
                },
                symbol("kernel", 12),
                symbol("two words", 12),
                symbol("L0_", 0),
                symbol("outside", 17),
            ],
            open: Vec::new(),
        };
        let code = Code {
            isa: Isa::Gfx9,
            target_id: Some("amdgcn-amd-amdhsa--gfx900".into()),
            version: None,
            reserves_xnack: false,
            labels: LABELS,
            sections: vec![section],
            kernels: Vec::new(),
            metadata: None,
        };
        assert_eq!(
            lines(&code, &ListOptions::default()),
            [
                "\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx900\"",
                "\t.text",
                "\t.p2align 8",
                "L0_:",
                "\t.long 0xd86c0000",
                "\t.globl kernel",
                "\t.type kernel,@function",
                "\t.size kernel, 8",
                "kernel:",
                "\ts_nop 0",
                "v1:",
                "L_0_8:",
                "\ts_endpgm",
                "// kernel + 0:",
                "\"two words\":",
                "\ts_branch L_0_8",
            ]
        );
    }
}
