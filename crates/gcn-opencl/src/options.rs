//! Translates the specification's build options to Clang's.

use std::ffi::OsString;

use crate::device::Device;
use crate::runtime;

/// Default OpenCL C version.
const DEFAULT_STANDARD: &str = "-cl-std=CL1.2";
/// Prefix of the option that chooses the OpenCL C version.
const STANDARD: &str = "-cl-std=";
/// OpenCL C versions that a program can choose.
const STANDARDS: [&str; 8] = [
    "CL1.0",
    "CL1.1",
    "CL1.2",
    "CL2.0",
    "CL3.0",
    "CLC++",
    "CLC++1.0",
    "CLC++2021",
];
/// Options passed to Clang unchanged.
const PLAIN: [&str; 16] = [
    "-w",
    "-Werror",
    "-g",
    "-cl-single-precision-constant",
    "-cl-denorms-are-zero",
    "-cl-fp32-correctly-rounded-divide-sqrt",
    "-cl-opt-disable",
    "-cl-strict-aliasing",
    "-cl-uniform-work-group-size",
    "-cl-mad-enable",
    "-cl-no-signed-zeros",
    "-cl-unsafe-math-optimizations",
    "-cl-finite-math-only",
    "-cl-fast-relaxed-math",
    "-cl-kernel-arg-info",
    "-v",
];
/// Option stating that sub-groups need no independent forward progress. It is dropped, since Clang rejects it.
const NEEDS_NO_PROGRESS: &str = "-cl-no-subgroup-ifp";
/// Prefixes of options passed to Clang unchanged, both the specification's and Clang's own.
const PREFIXES: [&str; 7] = ["-D", "-I", "-U", "-O", "-W", "-f", "-m"];
/// Options that are valid only for linking.
const LINKING: [&str; 2] = ["-create-library", "-enable-link-options"];
/// Compile options that are also valid for linking.
const COMPILING_AND_LINKING: [&str; 5] = [
    "-cl-denorms-are-zero",
    "-cl-no-signed-zeros",
    "-cl-unsafe-math-optimizations",
    "-cl-finite-math-only",
    "-cl-fast-relaxed-math",
];

/// Splits an option string into words. Quotes keep blanks in a word, and a backslash escapes the next character.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match (c, quote) {
            ('\\', _) => word.get_or_insert_default().extend(characters.next()),
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (_, Some(open)) if c == open => quote = None,
            (_, None) if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// Splits an option string into words, and removes options that have no effect.
fn effective_words(text: &str) -> impl Iterator<Item = String> {
    let words = words(text).into_iter();
    words.filter(|word| word != NEEDS_NO_PROGRESS)
}

/// Translates compile options to Clang options for a device.
///
/// # Errors
/// Returns the first invalid option.
pub(crate) fn compiling(text: &str, device: &Device) -> Result<Vec<OsString>, String> {
    let mut options: Vec<OsString> = Vec::new();
    let mut has_standard = false;
    let runtime = runtime::existing();
    let more = runtime.and_then(|it| it.build_options.as_deref());
    let mut words = effective_words(text).chain(effective_words(more.unwrap_or_default()));
    while let Some(word) = words.next() {
        if let Some(standard) = word.strip_prefix(STANDARD) {
            let is_known = STANDARDS.contains(&standard)
                && (device.is_of_3_0() || standard.starts_with("CL1"));
            if !is_known {
                return Err(word);
            }
            has_standard = true;
            options.push(word.into());
        } else if word == "-D" || word == "-I" {
            let value = words.next().ok_or_else(|| word.clone())?;
            options.push(format!("{word}{value}").into());
        } else if word == "-x" {
            // Programs in other languages are created by separate API functions.
            let language = words.next().ok_or_else(|| word.clone())?;
            if language != "clc" && language != "cl" {
                return Err(format!("{word} {language}"));
            }
        } else if PREFIXES.iter().any(|begin| word.starts_with(begin)) || PLAIN.contains(&&*word) {
            options.push(word.into());
        } else {
            return Err(word);
        }
    }
    if !has_standard {
        options.push(DEFAULT_STANDARD.into());
    }
    let (major, minor) = device.opencl_version();
    options.push(format!("-D__OPENCL_VERSION__={major}{minor}0").into());
    options.push("-D__IMAGE_SUPPORT__=1".into());
    if runtime.is_some_and(|it| it.watch.names_lines()) {
        gcn_runtime::compile::add_line_tables(&mut options);
    }
    let is_three = |option: &OsString| {
        let standard = option.to_str().and_then(|it| it.strip_prefix(STANDARD));
        standard.is_some_and(|it| matches!(it, "CL3.0" | "CLC++2021"))
    };
    if options.iter().any(is_three) {
        // The compiler defines macros for only some of the features.
        let features = device.features().into_iter();
        options.extend(features.map(|(_, name)| format!("-D{name}=1").into()));
    }
    options.extend(["-Xclang".into(), extensions(device).into()]);
    Ok(options)
}

/// Returns the option that enables the device's features, and disables extensions and features that the device lacks.
fn extensions(device: &Device) -> String {
    /// Extensions that the compiler enables but no device supports.
    const UNSUPPORTED: [&str; 2] = ["cl_khr_mipmap_image", "cl_khr_mipmap_image_writes"];
    let own = device.extensions();
    let has_half = own.iter().any(|(_, name)| *name == "cl_khr_fp16");
    let features = device.features().into_iter().map(|(_, name)| name);
    let present = features.map(|name| format!("+{name}"));
    let absent = UNSUPPORTED
        .into_iter()
        .chain((!has_half).then_some("cl_khr_fp16"))
        .chain((!device.is_of_3_0()).then_some("__opencl_c_generic_address_space"));
    let all: Vec<String> = present
        .chain(absent.map(|name| format!("-{name}")))
        .collect();
    format!("-cl-ext={}", all.join(","))
}

/// Parsed link options.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Linking {
    /// True if the output is a library.
    pub(crate) is_library: bool,
    /// Options for Clang.
    pub(crate) options: Vec<OsString>,
}

/// Parses link options.
///
/// # Errors
/// Returns the first invalid option.
pub(crate) fn linking(text: &str) -> Result<Linking, String> {
    let mut linking = Linking::default();
    for word in effective_words(text) {
        if COMPILING_AND_LINKING.contains(&&*word) {
            linking.options.push(word.into());
        } else if LINKING.contains(&&*word) {
            linking.is_library |= word == LINKING[0];
        } else {
            return Err(word);
        }
    }
    Ok(linking)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_a_shell() {
        for (text, expected) in [
            ("", &[][..]),
            ("  -w \t-g ", &["-w", "-g"]),
            (r#"-D "A=b c" -I'x y'"#, &["-D", "A=b c", "-Ix y"]),
            (r#"-DT=\"q\" a\ b """#, &["-DT=\"q\"", "a b", ""]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }

    #[test]
    fn options_of_linking_are_told_from_others() {
        let linking_of = |text| linking(text).map(|it| (it.is_library, it.options.len()));
        assert_eq!(
            linking_of("-create-library -enable-link-options"),
            Ok((true, 0))
        );
        assert_eq!(linking_of("-cl-fast-relaxed-math"), Ok((false, 1)));
        assert_eq!(linking_of("-cl-no-subgroup-ifp"), Ok((false, 0)));
        assert_eq!(linking_of("-g"), Err("-g".to_owned()));
    }
}
