//! Names of C++ kernels as their source has them, from their symbols.

use std::fmt::{self, Write};

use cpp_demangle::{DemangleOptions, Symbol};

/// Bytes of a name at most: a short symbol can repeat its parts without end.
const MAX_BYTES: usize = 4096;
/// How many forms of a name there are.
pub const FORMS: usize = 4;

/// A kernel's name and parameters, such as `image::scale<float>(float*, int)`; nothing for what is no symbol of C++.
pub fn declaration(symbol: &str) -> Option<String> {
    demangled(symbol, DemangleOptions::new().no_return_type())
}

/// The same without parameters.
pub fn source_name(symbol: &str) -> Option<String> {
    demangled(symbol, DemangleOptions::new().no_return_type().no_params())
}

/// What a kernel may be called, from the longest to the shortest: `image::scale<float>(float*, int)`,
/// `image::scale<float>`, `image::scale`, `scale`.
pub fn names(symbol: &str) -> Option<[String; FORMS]> {
    let declaration = declaration(symbol)?;
    let name = source_name(symbol)?;
    let bare = without_arguments(&name);
    let last = bare.rsplit("::").next().unwrap_or(&bare).to_owned();
    Some([declaration, name, bare, last])
}

fn demangled(symbol: &str, options: DemangleOptions) -> Option<String> {
    // Nothing else begins so, and a parser is not asked about the names of C.
    let symbol = symbol
        .starts_with("_Z")
        .then(|| Symbol::new(symbol).ok())??;
    let mut text = Bounded(String::new());
    symbol.structured_demangle(&mut text, &options).ok()?;
    Some(text.0)
}

/// Text that refuses to grow beyond [`MAX_BYTES`].
struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        if self.0.len() + more.len() > MAX_BYTES {
            return Err(fmt::Error);
        }
        self.0.push_str(more);
        Ok(())
    }
}

/// A name without the arguments of templates.
fn without_arguments(name: &str) -> String {
    let mut depth = 0_usize;
    let mut bare = String::new();
    for c in name.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ if depth == 0 => bare.push(c),
            _ => {}
        }
    }
    bare
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_read_as_cxxfilt_reads_them() {
        for (symbol, expected) in [
            ("_Z5scalePf", ["scale(float*)", "scale", "scale", "scale"]),
            ("_ZL5scalePf", ["scale(float*)", "scale", "scale", "scale"]),
            (
                "_Z3addIfEvPT_PKS0_i",
                [
                    "add<float>(float*, float const*, int)",
                    "add<float>",
                    "add",
                    "add",
                ],
            ),
            (
                "_ZN2ns2mvEPNS_1PES0_i",
                ["ns::mv(ns::P*, ns::P, int)", "ns::mv", "ns::mv", "mv"],
            ),
            (
                "_ZN12_GLOBAL__N_15innerILi3EEEvv",
                [
                    "(anonymous namespace)::inner<3>()",
                    "(anonymous namespace)::inner<3>",
                    "(anonymous namespace)::inner",
                    "inner",
                ],
            ),
        ] {
            let names = names(symbol).expect("a symbol of C++");
            assert_eq!(names, expected.map(str::to_owned), "{symbol}");
        }
        for symbol in ["scale", "", "_Z", "_Z5scal", "_Zzz"] {
            assert_eq!(names(symbol), None, "{symbol}");
        }
    }

    /// Each parameter is a pair of the one before it twice.
    #[test]
    fn endless_names_are_refused() {
        let mut symbol = "_Z1fSt4pairIiiE".to_owned();
        // S_ is the template; S0_ its first use, S1_ the next.
        for before in "0123456789ABCDEFGHIJ".chars() {
            symbol.push_str(&format!("S_IS{before}_S{before}_E"));
        }
        assert_eq!(declaration(&symbol), None);
    }
}
