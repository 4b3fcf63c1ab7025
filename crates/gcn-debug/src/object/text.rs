//! Formatting of source-level objects.

use gcn_object::SourceTypeKind;

use super::{MAX_DEPTH, SourceObject};
use crate::expr::Space;
use crate::scalar::{Format, Scalar};
use crate::view::View;

/// Maximum number of elements and fields to print for an object.
const MAX_PARTS: usize = 200;
/// Minimum number of consecutive equal elements to print as one.
const MIN_REPEATS: usize = 10;

impl SourceObject {
    /// Formats the value as gdb does: `{x = 1, y = {2, 3}}`. Unknown values become placeholders in angle brackets.
    pub fn text(&self, view: &View<'_>, format: Format) -> String {
        let mut budget = MAX_PARTS;
        self.text_of_parts(view, format, &mut budget, 0)
    }

    fn text_of_parts(
        &self,
        view: &View<'_>,
        format: Format,
        budget: &mut usize,
        depth: usize,
    ) -> String {
        let is_aggregate = matches!(
            self.ty.kind,
            SourceTypeKind::Structure { .. } | SourceTypeKind::Array { .. }
        );
        if !is_aggregate {
            return match self.scalar(view) {
                Ok(value) => self.number_text(view, value, format),
                Err(error) => error.placeholder(),
            };
        }
        if depth >= MAX_DEPTH {
            return "{...}".to_owned();
        }
        let parts = match self.parts(view, 0, *budget + 1) {
            Ok(parts) => parts,
            Err(error) => return error.placeholder(),
        };
        let mut texts: Vec<(String, usize)> = Vec::new();
        for (name, part) in parts {
            if *budget == 0 {
                texts.push(("...".to_owned(), 1));
                break;
            }
            *budget -= 1;
            let text = match part {
                Ok(part) => part.text_of_parts(view, format, budget, depth + 1),
                Err(error) => error.placeholder(),
            };
            let text = match name.strip_prefix('.') {
                Some(name) => format!("{name} = {text}"),
                None => text,
            };
            match texts.last_mut().filter(|last| last.0 == text) {
                Some(last) => last.1 += 1,
                None => texts.push((text, 1)),
            }
        }
        format!("{{{}}}", repeated(&texts))
    }

    /// Formats a number, an enumerator, a Boolean or an address.
    fn number_text(&self, view: &View<'_>, value: Scalar, format: Format) -> String {
        if format != Format::Natural {
            return value.text(format);
        }
        match &self.ty.kind {
            SourceTypeKind::Bool if value.bits <= 1 => (value.bits == 1).to_string(),
            SourceTypeKind::Enumeration { values } => {
                let name = values.iter().find(|(_, it)| *it == value.integer());
                name.map_or_else(|| value.text(format), |(name, _)| name.clone())
            }
            SourceTypeKind::Pointer { space, .. } => {
                let (space, address) = view.memory_at(*space, value.bits);
                let hex = value.text(Format::Hex);
                match (space, view.buffer_at(address)) {
                    (Space::Global, Some(place)) => format!("{hex} <{place}>"),
                    (Space::Global, None) => hex,
                    (Space::Lds, _) => format!("{hex} <lds {address:#x}>"),
                    (Space::Scratch, _) => format!("{hex} <scratch {address:#x}>"),
                }
            }
            _ => value.text(format),
        }
    }
}

/// Joins element texts, each with its number of repeats, and folds long runs.
fn repeated(texts: &[(String, usize)]) -> String {
    let all = texts.iter().map(|(text, count)| {
        folded(text, *count).unwrap_or_else(|| vec![text.as_str(); *count].join(", "))
    });
    all.collect::<Vec<_>>().join(", ")
}

/// Formats a long run of equal elements as gdb does: `0 <repeats 16 times>`. Returns `None` for short runs.
pub fn folded(element: &str, count: usize) -> Option<String> {
    (count >= MIN_REPEATS).then(|| format!("{element} <repeats {count} times>"))
}

impl View<'_> {
    /// Formats an address relative to the named buffer that contains it, such as `ys+8`.
    pub fn buffer_at(&self, address: u64) -> Option<String> {
        let has = |it: &&crate::view::NamedBuffer| {
            (it.address..it.address.saturating_add(it.bytes)).contains(&address)
        };
        let buffer = self.buffers.iter().find(has)?;
        Some(match address - buffer.address {
            0 => buffer.name.clone(),
            distance => format!("{}+{distance}", buffer.name),
        })
    }
}
