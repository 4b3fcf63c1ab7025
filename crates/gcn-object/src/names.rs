//! Kernel names: symbols, C++ declarations, and kernel lookup by either.

mod signature;

use std::collections::HashSet;
use std::fmt::{self, Write};

use cpp_demangle::{DemangleOptions, Symbol};
use thiserror::Error;

use signature::{MAX_BYTES, Omissions, Signature};

/// Maximum number of kernels listed in an error message.
const MAX_LISTED: usize = 6;
/// Maximum number of characters compared in the search for similar names.
const MAX_COMPARED: usize = 64;

/// Returns the source declaration of a C++ function, without its return type, such as `image::scale<float>(float*,
/// int)`; `None` for other symbols.
///
/// ```
/// let declaration = gcn_object::declaration("_Z3addIfEvPT_PKS0_i");
/// assert_eq!(declaration.as_deref(), Some("add<float>(float*, float const*, int)"));
/// assert_eq!(gcn_object::declaration("add"), None);
/// ```
pub fn declaration(symbol: &str) -> Option<String> {
    demangled(symbol, DemangleOptions::new().no_return_type())
}

/// Returns the source name of a C++ function without parameters, such as `image::scale<float>`; `None` for other
/// symbols.
///
/// ```
/// let name = gcn_object::source_name("_Z3addIfEvPT_PKS0_i");
/// assert_eq!(name.as_deref(), Some("add<float>"));
/// ```
pub fn source_name(symbol: &str) -> Option<String> {
    demangled(symbol, DemangleOptions::new().no_return_type().no_params())
}

/// Reason why a name does not denote exactly one kernel.
///
/// # Examples
/// ```
/// use gcn_object::{NameError, find_name};
/// let error = find_name(["scale", "fill"], "scal").unwrap_err();
/// assert!(matches!(&error, NameError::Missing { nearest, .. } if nearest[0] == "scale"));
/// assert!(error.to_string().starts_with("no kernel is named scal; "), "{error}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NameError {
    /// Several kernels match the name.
    #[error("several kernels are named {name}: {}", join_names(candidates, *rest))]
    Ambiguous {
        /// Name that was looked up.
        name: String,
        /// Some of the matching kernels, each by an unambiguous name.
        candidates: Vec<String>,
        /// Number of further matching kernels.
        rest: usize,
    },
    /// No kernel matches the name.
    #[error(
        "no kernel is named {name}{}{}",
        if *rest == 0 { "; the kernels are " } else { "; the closest are " },
        join_names(nearest, *rest)
    )]
    Missing {
        /// Name that was looked up.
        name: String,
        /// Kernels with the most similar names, best first.
        nearest: Vec<String>,
        /// Number of other kernels.
        rest: usize,
    },
    /// The code object has no kernels.
    #[error("no kernel is named {name}: the code object has no kernels")]
    NoKernels {
        /// Name that was looked up.
        name: String,
    },
}

/// Joins names with commas, and appends the number of names that are not listed.
fn join_names(names: &[String], rest: usize) -> String {
    let names = names.join(", ");
    match rest {
        0 => names,
        _ => format!("{names}, and {rest} others"),
    }
}

/// Finds the kernel symbol that `name` denotes, according to the rules of [`NamePattern`].
///
/// # Errors
/// Fails if no kernel or several kernels match. The error lists candidates.
///
/// # Examples
/// ```
/// use gcn_object::find_name;
/// let symbols = ["_Z3addIfEvPT_PKS0_i", "fill"];
/// assert_eq!(find_name(symbols, "add<float>"), Ok("_Z3addIfEvPT_PKS0_i"));
/// assert_eq!(find_name(symbols, "fill.kd"), Ok("fill"));
/// ```
pub fn find_name<'n>(
    symbols: impl IntoIterator<Item = &'n str>,
    name: &str,
) -> Result<&'n str, NameError> {
    NamePattern::new(name).find(symbols)
}

/// A kernel name as people and tools write it. Accepted forms are:
/// - the symbol, optionally with its descriptor's suffix `.kd`;
/// - the declaration as printed by `c++filt` and similar tools, optionally with `[clone .kd]`, in any spelling of
///   blanks, integer types and constants (`(unsigned int)4` is `4u` and `4`);
/// - the declaration without the return type, the parameters, some or all template arguments at the end, or outer
///   namespaces. If several kernels match, those from which the name omits the least are preferred.
///
/// ```
/// use gcn_object::NamePattern;
///
/// let kernels = ["_Z3addIfEvPT_PKS0_i", "_Z3addIdEvPT_PKS0_i", "fill"];
/// for name in ["add<float>", "void add<float>(float *, const float *, int) [clone .kd]"] {
///     let pattern = NamePattern::new(name);
///     assert!(pattern.denotes(kernels[0]) && !pattern.denotes(kernels[1]));
///     assert_eq!(pattern.find(kernels), Ok("_Z3addIfEvPT_PKS0_i"));
/// }
/// assert_eq!(NamePattern::new("fill.kd").find(kernels), Ok("fill"));
/// assert_eq!(
///     NamePattern::new("add").find(kernels).unwrap_err().to_string(),
///     "several kernels are named add: add<float>(float*, float const*, int), \
///      add<double>(double*, double const*, int)"
/// );
/// ```
#[derive(Clone, Debug)]
pub struct NamePattern<'a> {
    /// Name as written, which may be a kernel symbol even if it ends in a known suffix.
    written: &'a str,
    /// Name without suffixes.
    symbol: &'a str,
    signature: Option<Signature>,
}

impl<'a> NamePattern<'a> {
    /// Creates a pattern from a name.
    pub fn new(name: &'a str) -> Self {
        let symbol = without_suffixes(name);
        let signature = match declaration(symbol) {
            Some(declaration) => Signature::parse(&declaration),
            None => Signature::parse(symbol),
        };
        Self {
            written: name,
            symbol,
            signature,
        }
    }

    /// Returns true if the name may denote the kernel with this symbol. Another kernel may match better;
    /// [`NamePattern::find`] compares all matches.
    pub fn denotes(&self, symbol: &str) -> bool {
        self.omissions(symbol).is_some()
    }

    /// Returns the parts that the name omits; `None` if it does not denote the kernel with this symbol.
    fn omissions(&self, symbol: &str) -> Option<Omissions> {
        if symbol == self.written || symbol == self.symbol {
            return Some(Omissions::NONE);
        }
        let asked = self.signature.as_ref()?;
        // Demangling is slow, and few symbols contain the identifier, so check for that first.
        if !symbol.contains(asked.last()) {
            return None;
        }
        asked.denotes(&Signature::parse(&display_name(symbol))?)
    }

    /// Finds the kernel symbol that the name denotes.
    ///
    /// # Errors
    /// Fails if no kernel or several kernels match. The error lists candidates.
    pub fn find<'n>(
        &self,
        symbols: impl IntoIterator<Item = &'n str>,
    ) -> Result<&'n str, NameError> {
        let mut symbols: Vec<&str> = symbols.into_iter().collect();
        for exact in [self.written, self.symbol] {
            if let Some(symbol) = symbols.iter().find(|symbol| **symbol == exact) {
                return Ok(symbol);
            }
        }
        // Several compilation units may contain the same kernel.
        let mut seen = HashSet::new();
        symbols.retain(|symbol| seen.insert(*symbol));
        let matches: Vec<(Omissions, &str)> = symbols
            .iter()
            .filter_map(|symbol| Some((self.omissions(symbol)?, *symbol)))
            .collect();
        let best = matches.iter().map(|(omissions, _)| *omissions).min();
        let matches: Vec<&str> = matches
            .into_iter()
            .filter(|(omissions, _)| Some(*omissions) == best)
            .map(|(_, symbol)| symbol)
            .collect();
        match matches[..] {
            [only] => Ok(only),
            [] => Err(self.missing_error(&symbols)),
            [..] => Err(self.ambiguous(&matches)),
        }
    }

    fn ambiguous(&self, matches: &[&str]) -> NameError {
        let mut candidates: Vec<String> =
            matches.iter().map(|symbol| display_name(symbol)).collect();
        let distinct: HashSet<&String> = candidates.iter().collect();
        // Kernels in different units may have the same declaration and differ only in their symbols.
        if distinct.len() < matches.len() {
            candidates = matches.iter().map(|symbol| (*symbol).to_owned()).collect();
        }
        let rest = candidates.len().saturating_sub(MAX_LISTED);
        candidates.truncate(MAX_LISTED);
        NameError::Ambiguous {
            name: self.symbol.to_owned(),
            candidates,
            rest,
        }
    }

    fn missing_error(&self, symbols: &[&str]) -> NameError {
        let name = self.symbol.to_owned();
        if symbols.is_empty() {
            return NameError::NoKernels { name };
        }
        let start = |text: &str| text.chars().take(MAX_COMPARED).collect::<String>();
        let identifier = start(self.signature.as_ref().map_or(&name, Signature::last));
        let whole = start(&name);
        let mut ranked: Vec<(usize, usize, String)> = symbols
            .iter()
            .map(|symbol| {
                let shown = display_name(symbol);
                let signature = Signature::parse(&shown);
                let last = start(signature.as_ref().map_or(symbol, Signature::last));
                let distance = strsim::damerau_levenshtein(&identifier, &last);
                (distance, strsim::levenshtein(&whole, &start(&shown)), shown)
            })
            .collect();
        ranked.sort();
        let rest = ranked.len().saturating_sub(MAX_LISTED);
        ranked.truncate(MAX_LISTED);
        let nearest = ranked.into_iter().map(|(.., shown)| shown).collect();
        NameError::Missing {
            name,
            nearest,
            rest,
        }
    }
}

/// Removes the suffixes that tools append to a name.
fn without_suffixes(name: &str) -> &str {
    let name = name.trim();
    let name = name.strip_suffix("[clone .kd]").map_or(name, str::trim_end);
    let end = name.strip_suffix(".kd").or(name.strip_suffix("@kd"));
    end.unwrap_or(name)
}

/// Returns a kernel's name for error messages: its declaration, or else its symbol.
fn display_name(symbol: &str) -> String {
    declaration(symbol).unwrap_or_else(|| symbol.to_owned())
}

fn demangled(symbol: &str, options: DemangleOptions) -> Option<String> {
    // Only C++ symbols begin with `_Z`.
    let symbol = symbol
        .starts_with("_Z")
        .then(|| Symbol::new(symbol).ok())??;
    let mut text = LimitedText(String::new());
    symbol.structured_demangle(&mut text, &options).ok()?;
    Some(text.0)
}

/// Text buffer that is limited to [`MAX_BYTES`].
struct LimitedText(String);

impl Write for LimitedText {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        if self.0.len() + more.len() > MAX_BYTES {
            return Err(fmt::Error);
        }
        self.0.push_str(more);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_demangled_as_cxxfilt_does() {
        for (symbol, expected) in [
            ("_Z5scalePf", ["scale(float*)", "scale"]),
            ("_ZL5scalePf", ["scale(float*)", "scale"]),
            (
                "_Z3addIfEvPT_PKS0_i",
                ["add<float>(float*, float const*, int)", "add<float>"],
            ),
            (
                "_ZN2ns2mvEPNS_1PES0_i",
                ["ns::mv(ns::P*, ns::P, int)", "ns::mv"],
            ),
            (
                "_ZN12_GLOBAL__N_15innerILi3EEEvv",
                [
                    "(anonymous namespace)::inner<3>()",
                    "(anonymous namespace)::inner<3>",
                ],
            ),
        ] {
            let expected = expected.map(|name| Some(name.to_owned()));
            assert_eq!([declaration(symbol), source_name(symbol)], expected);
        }
        for symbol in ["scale", "", "_Z", "_Z5scal", "_Zzz"] {
            assert_eq!(declaration(symbol), None, "{symbol}");
        }
    }

    const KERNELS: [&str; 6] = [
        "_Z5scalePf",
        "_ZN2ns5scaleEPf",
        "_ZN12_GLOBAL__N_15innerILi3EEEvv",
        "_ZN12_GLOBAL__N_15innerILi4EEEvv",
        "fill",
        "copy",
    ];

    #[test]
    fn a_kernel_is_found_by_each_of_its_names() {
        for (name, index) in [
            ("_Z5scalePf.kd", 0),
            // The name omits nothing of the first kernel, but the namespace of the second.
            ("scale", 0),
            ("ns::scale", 1),
            ("void ns::scale(float *)", 1),
            ("inner<3>", 2),
            ("void (anonymous namespace)::inner<(int)4>() [clone .kd]", 3),
            (" fill ", 4),
            ("copy@kd", 5),
        ] {
            assert_eq!(find_name(KERNELS, name), Ok(KERNELS[index]), "{name}");
        }
        // Symbols from other assemblers may end in a descriptor suffix or a blank.
        for name in ["copy.kd", "copy ", "fill@kd", ".kd"] {
            assert_eq!(find_name(["copy", "fill", name], name), Ok(name));
        }
        // A kernel that several units contain counts once.
        assert_eq!(find_name([KERNELS[0], KERNELS[0]], "scale"), Ok(KERNELS[0]));
    }

    #[test]
    fn errors_list_candidates_or_the_nearest() {
        let error = |kernels: &[&'static str], name| {
            let found = find_name(kernels.iter().copied(), name);
            found.expect_err("no single kernel").to_string()
        };
        assert_eq!(
            error(&KERNELS, "inner"),
            "several kernels are named inner: (anonymous namespace)::inner<3>(), \
             (anonymous namespace)::inner<4>()"
        );
        assert_eq!(
            error(&KERNELS, "fil"),
            "no kernel is named fil; the kernels are fill, copy, scale(float*), ns::scale(float*), \
             (anonymous namespace)::inner<3>(), (anonymous namespace)::inner<4>()"
        );
        let many: Vec<String> = (0..100).map(|n| format!("kernel{n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let error = find_name(many, "kernl7").expect_err("a letter is missing");
        let NameError::Missing { nearest, rest, .. } = error else {
            panic!("{error}")
        };
        assert_eq!(
            (nearest[0].as_str(), nearest.len() + rest),
            ("kernel7", 100)
        );
        assert_eq!(
            find_name([], "k").expect_err("none").to_string(),
            "no kernel is named k: the code object has no kernels"
        );
    }

    #[test]
    fn overlong_names_match_only_exactly() {
        let nested = |depth| {
            let (open, close) = ("const a<".repeat(depth), ">".repeat(depth));
            format!("f<{open}int{close}>")
        };
        let (short, long) = (nested(100), nested(10_000));
        let pattern = NamePattern::new("f");
        assert!(pattern.denotes(&short) && !pattern.denotes(&long));
        assert_eq!(find_name([long.as_str()], &long), Ok(long.as_str()));
    }

    /// Each parameter is a pair of two copies of the previous parameter.
    #[test]
    fn endless_names_are_refused() {
        let mut symbol = "_Z1fSt4pairIiiE".to_owned();
        // S_ is the template, S0_ its first use, and S1_ its second use.
        for before in "0123456789ABCDEFGHIJ".chars() {
            symbol.push_str(&format!("S_IS{before}_S{before}_E"));
        }
        assert_eq!(declaration(&symbol), None);
    }
}
