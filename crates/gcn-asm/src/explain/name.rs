//! Diagnostics and suggestions for unknown instruction names.

use std::ops::Range;

use gcn_isa::field::SUFFIXES;
use gcn_isa::{Isa, IsaSet, TARGETS, Target, successor};

use crate::diagnostic::{Fail, WithHelp, fail};
use crate::ids;

/// Maximum number of unknown names for which suggestions are computed; bounds the time spent on garbage input.
pub(crate) const MAX_SUGGESTIONS: u32 = 64;

/// Maximum length of a name for which suggestions are computed.
const MAX_NAME: usize = 48;

/// Encoding names in messages, in the order of [`SUFFIXES`].
const FORMS: [&str; SUFFIXES.len()] = ["32-bit", "VOP3", "SDWA", "DPP"];

/// Diagnostic for an instruction name that the target does not have.
pub(crate) fn unknown_instruction(
    target: &Target,
    name: &str,
    span: Range<usize>,
    may_search: bool,
) -> Fail {
    let isa = target.isa;
    let lower = name.to_ascii_lowercase();
    let on = |has: &dyn Fn(Isa) -> bool| {
        let having = Isa::ALL.into_iter().filter(|&other| has(other));
        having.fold(IsaSet::NONE, |set, other| set.or(other.only()))
    };
    let elsewhere = on(&|other| other.tables().mnemonic(lower.as_bytes()).is_some());
    let (stem, form) = stem(&lower);
    if let Some(form) = form
        && isa.tables().named(stem).is_some()
    {
        let message = format!("{isa} has no {form} form of `{stem}`");
        let error = fail(&ids::UNSUPPORTED_ENCODING, span, message);
        return if elsewhere == IsaSet::NONE {
            error.with_help("without the suffix an encoding is chosen")
        } else {
            error.with_help(exists_on(elsewhere))
        };
    }
    let named = if elsewhere == IsaSet::NONE {
        on(&|other| other.tables().named(stem).is_some())
    } else {
        elsewhere
    };
    if named != IsaSet::NONE {
        let is_near = named.iter().any(|other| other.version() == isa.version());
        let who = if is_near { target.name } else { isa.version() };
        let message = format!("{who} has no instruction `{name}`");
        let error = fail(&ids::UNSUPPORTED_OPCODE, span, message).with_help(exists_on(named));
        return match successor::of(isa, stem) {
            Some(other) => error.with_help(other.to_string()),
            None => error,
        };
    }
    let error = fail(
        &ids::UNKNOWN_OPCODE,
        span,
        format!("unknown instruction `{name}`"),
    );
    let similar = may_search
        .then(|| closest(&lower, isa.tables().names()))
        .flatten();
    match similar {
        Some(similar) => error.with_help(format!("did you mean `{similar}`?")),
        None => error,
    }
}

/// Splits an instruction name into its stem and the encoding selected by its suffix.
fn stem(name: &str) -> (&str, Option<&'static str>) {
    let mut suffixes = SUFFIXES.iter().zip(FORMS);
    let found = suffixes.find_map(|(suffix, form)| Some((name.strip_suffix(suffix)?, Some(form))));
    found.unwrap_or((name, None))
}

/// Describes a set of instruction sets by GCN version, or by chip if it includes only part of a version.
fn exists_on(set: IsaSet) -> String {
    let is_partial = |isa: Isa| {
        let same = Isa::ALL
            .into_iter()
            .filter(|other| other.version() == isa.version());
        !same.into_iter().all(|other| set.has(other))
    };
    if !set.iter().any(is_partial) {
        return format!("it exists on {set}");
    }
    let chips = TARGETS.iter().filter(|target| set.has(target.isa));
    let chips: Vec<&str> = chips.map(|target| target.name).collect();
    format!("it exists on {}", chips.join(", "))
}

/// Name most similar to `name`, if the edit distance is at most a third of the length of `name`, rounded up, and at most
/// four. Returns `None` if `name` is longer than 48 bytes.
///
/// # Examples
/// ```
/// let names = ["s_endpgm", "s_nop", "v_add_f32"];
/// assert_eq!(gcn_asm::closest("s_endpgn", names.into_iter()), Some("s_endpgm"));
/// assert_eq!(gcn_asm::closest("image_load", names.into_iter()), None);
/// ```
pub fn closest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > MAX_NAME {
        return None;
    }
    let limit = name.len().div_ceil(3).min(4);
    names
        .filter(|other| name.len().abs_diff(other.len()) <= limit)
        .map(|other| (strsim::osa_distance(name, other), other))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, other)| other)
}
