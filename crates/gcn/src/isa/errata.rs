//! Lookup of errata entries by number.

use std::io::{self, Write};

use anyhow::Result;
use gcn_asm::reference::{ErrataEntry, errata};

use super::answer::{Answer, unknown};

impl Answer for ErrataEntry {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}\n\n{}", self.title, self.text)
    }
}

/// True if the query has the form of an entry number, such as `E058`.
pub(super) fn is_number(query: &str) -> bool {
    let digits = query.strip_prefix(['E', 'e']);
    digits.is_some_and(|digits| {
        !digits.is_empty() && digits.len() < 4 && digits.bytes().all(|digit| digit.is_ascii_digit())
    })
}

/// Looks up an entry by number.
///
/// # Errors
/// Fails if no entry has this number.
pub(super) fn entry(query: &str) -> Result<ErrataEntry> {
    let number = format!("E{:0>3}", &query[1..]);
    let found = errata().find(|entry| entry.title.split(' ').next() == Some(&number));
    found.ok_or_else(|| unknown(format!("the errata have no entry {number}")).into())
}
