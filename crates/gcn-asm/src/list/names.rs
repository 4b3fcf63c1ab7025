//! Names defined by a listing, and symbols sorted by address.

use std::fmt;

use gcn_isa::regs;
use hashbrown::HashSet;

use super::code::{ListedCode, ListedSection, ListedSymbol, WORD};

/// Names defined by the listing. If symbols share a name, the first one gets it.
pub(super) struct ListedNames<'a> {
    /// Prefix for generated labels; no symbol name begins with it.
    pub(super) prefix: String,
    pub(super) defined: HashSet<&'a str>,
}

/// A symbol and its position in words.
pub(crate) struct PlacedSymbol<'a> {
    pub(super) symbol: &'a ListedSymbol<'a>,
    /// Index of the word that contains the symbol's address.
    pub(crate) word: usize,
    /// Word index of the end of the symbol's data.
    pub(super) data_end: usize,
    /// Word index of the end of all data that begins at or before this symbol.
    pub(crate) all_data_end: usize,
    /// True if the symbol can be written as a label.
    pub(super) label: bool,
    /// True if the name can be a branch operand.
    pub(super) is_operand: bool,
}

impl<'a> ListedNames<'a> {
    pub(super) fn new(code: &'a ListedCode<'a>) -> ListedNames<'a> {
        let symbols = || code.sections.iter().flat_map(|section| &section.symbols);
        let count = code.sections.iter().map(|section| section.symbols.len());
        let mut prefix = code.labels.to_owned();
        while symbols().any(|symbol| symbol.name.starts_with(&prefix)) {
            prefix.push('_');
        }
        ListedNames {
            prefix,
            defined: HashSet::with_capacity(count.sum()),
        }
    }

    pub(super) fn places(&mut self, section: &'a ListedSection<'a>) -> Vec<PlacedSymbol<'a>> {
        let mut places = Vec::with_capacity(section.symbols.len());
        places.extend(section.symbols.iter().filter_map(|symbol| {
            let offset = usize::try_from(symbol.offset)
                .ok()
                .filter(|&o| o <= section.bytes.len())?;
            let data = usize::try_from(symbol.data).unwrap_or(usize::MAX);
            let label =
                offset % WORD == 0 && is_name(symbol.name) && self.defined.insert(symbol.name);
            let data_end = offset.saturating_add(data).div_ceil(WORD);
            Some(PlacedSymbol {
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

/// Returns true if the assembler accepts the name, quoted if necessary.
pub(crate) fn is_name(name: &str) -> bool {
    let takes_no_quotes = |c: char| c.is_control() || matches!(c, '"' | '\\');
    !name.is_empty() && !name.contains(takes_no_quotes)
}

/// Formats a symbol name for the assembler, quoted if necessary.
pub(crate) struct Name<'a>(pub &'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quote = if is_identifier(self.0) { "" } else { "\"" };
        write!(f, "{quote}{}{quote}", self.0)
    }
}

/// Returns true if the assembler accepts the name without quotes.
pub(super) fn is_identifier(name: &str) -> bool {
    let letter = |b: u8| b.is_ascii_alphabetic() || matches!(b, b'_' | b'.');
    let mut bytes = name.bytes();
    name != "."
        && bytes.next().is_some_and(letter)
        && bytes.all(|b| letter(b) || b.is_ascii_digit() || b == b'$')
}

/// Returns true if an operand with this name would be parsed as a register.
pub(super) fn reads_as_register(name: &str) -> bool {
    let is = |text: &str| name.eq_ignore_ascii_case(text);
    let is_numbered = ["v", "s", "ttmp"].iter().any(|letters| {
        let (head, rest) = name.split_at_checked(letters.len()).unwrap_or_default();
        head.eq_ignore_ascii_case(letters) && rest.bytes().all(|b| b.is_ascii_digit())
    });
    is_numbered || is("off") || regs::is_named_anywhere(name)
}
