//! Text form of arguments: numbers, structures, buffers and their contents.
//!
//! The syntax is that of `gcn run --arg`: `42`, `f32:1.5`, `f32:1,2,3`, `u32*100:iota`, `{u32:1, f32:2.5}`, `@FILE`,
//! `hex:00ff`, `local:256`, `null`, and the name of another argument's buffer.
//!
//! ```
//! use gcn_args::fill::Fill;
//! use gcn_args::spec::Spec;
//! use gcn_args::value::Type;
//!
//! let spec = Spec::parse("f32*8")?;
//! assert_eq!(spec, Spec::Filled { ty: Type::F32, count: 8, fill: Fill::Zero });
//! # Ok::<(), gcn_args::value::ValueError>(())
//! ```

use std::path::{Path, PathBuf};

use crate::fill::Fill;
use crate::value::{MAX_NESTING, Type, ValueError, integer};

/// Parsed value, not yet checked against a parameter.
///
/// # Examples
/// ```
/// use gcn_args::spec::Spec;
/// let Spec::Struct(members) = Spec::parse("{u32:1, hex:00ff, xs[4]}")? else { panic!("braces") };
/// assert_eq!(members[1], Spec::Bytes(vec![0, 0xff]));
/// assert_eq!(members[2], Spec::Same { name: "xs".to_owned(), from: 4 });
/// # Ok::<(), gcn_args::value::ValueError>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Spec {
    /// Numbers: `42`, `u32:42`, `f32:1,2,3`. A trailing comma makes a single number a buffer of one element.
    Numbers {
        /// Type before the colon, if any.
        ty: Option<Type>,
        /// Numbers as written.
        texts: Vec<String>,
        /// True if the text contains a comma.
        list: bool,
    },
    /// Buffer elements: `f32*100`, `u32*64:iota`.
    Filled {
        /// Type of the elements.
        ty: Type,
        /// Number of elements.
        count: u64,
        /// Initial values of the elements.
        fill: Fill,
    },
    /// Contents of a file: `@FILE`, `f32@FILE`.
    File {
        /// Type before the `@`, if any.
        ty: Option<Type>,
        /// Path as written.
        path: PathBuf,
    },
    /// Dynamic LDS: `local:BYTES`.
    Local(u32),
    /// Null pointer: `null`.
    Null,
    /// Buffer of another argument, starting at an element: `xs`, `xs[100]`.
    Same {
        /// Name of the argument.
        name: String,
        /// Index of the first element.
        from: u64,
    },
    /// Structure: `{u32:1, f32:2.5}`.
    Struct(Vec<Spec>),
    /// Literal bytes: `hex:00ff`.
    Bytes(Vec<u8>),
}

/// Splits the text of a structure into its members.
fn members(text: &str) -> Result<Vec<&str>, ValueError> {
    let wrong = || ValueError::Struct(text.to_owned());
    let inner = text
        .strip_prefix('{')
        .and_then(|text| text.strip_suffix('}'));
    let inner = inner.ok_or_else(wrong)?;
    let (mut depth, mut begin) = (0_usize, 0);
    let mut members = Vec::new();
    for (at, c) in inner.char_indices() {
        match c {
            '{' | '(' => depth += 1,
            '}' | ')' => depth = depth.checked_sub(1).ok_or_else(wrong)?,
            ',' if depth == 0 => {
                members.push(&inner[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    if depth != 0 {
        return Err(wrong());
    }
    members.push(&inner[begin..]);
    Ok(members)
}

/// Parses hexadecimal bytes. Whitespace and underscores are ignored.
fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> = text
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '_')
        .map(|c| c.to_digit(16))
        .collect::<Option<_>>()?;
    let pairs = digits.chunks_exact(2);
    let is_whole = pairs.remainder().is_empty() && !digits.is_empty();
    is_whole.then(|| pairs.map(|pair| (pair[0] << 4 | pair[1]) as u8).collect())
}

/// Parses `NAME` or `NAME[N]`. A name starts with a letter or an underscore, and contains no whitespace.
fn same(text: &str) -> Option<Spec> {
    let (name, from) = match text.strip_suffix(']') {
        Some(text) => {
            let (name, from) = text.split_once('[')?;
            (name, u64::try_from(integer(from.trim())?.0).ok()?)
        }
        None => (text, 0),
    };
    let begins = |c: char| c.is_alphabetic() || c == '_';
    let is_name = name.starts_with(begins) && !name.contains(char::is_whitespace);
    is_name.then(|| Spec::Same {
        name: name.to_owned(),
        from,
    })
}

impl Spec {
    /// Parses a value.
    ///
    /// # Errors
    /// Returns a [`ValueError`] if the text is not a valid value.
    ///
    /// # Examples
    /// ```
    /// use gcn_args::spec::Spec;
    /// use gcn_args::value::{Type, ValueError};
    /// let numbers = |texts: &[&str], list| Spec::Numbers {
    ///     ty: Some(Type::F32),
    ///     texts: texts.iter().map(|text| text.to_string()).collect(),
    ///     list,
    /// };
    /// assert_eq!(Spec::parse("f32:1.5")?, numbers(&["1.5"], false));
    /// assert_eq!(Spec::parse("f32:1.5,")?, numbers(&["1.5"], true), "a buffer of one element");
    /// assert_eq!(Spec::parse("f8:1"), Err(ValueError::Type("f8".to_owned())));
    /// # Ok::<(), ValueError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Spec, ValueError> {
        Spec::nested(text, 0)
    }

    /// Parses a value nested in `depth` structures.
    fn nested(text: &str, depth: usize) -> Result<Spec, ValueError> {
        let text = text.trim();
        if text.starts_with('{') {
            if depth == MAX_NESTING {
                return Err(ValueError::Nesting);
            }
            let members = members(text)?.into_iter().map(|text| {
                let member = Spec::nested(text, depth + 1)?;
                match &member {
                    Spec::Numbers {
                        ty: None, texts, ..
                    } => Err(ValueError::Untyped(texts.concat())),
                    Spec::File { .. } | Spec::Local(_) => {
                        Err(ValueError::Member(text.trim().to_owned()))
                    }
                    _ => Ok(member),
                }
            });
            return members.collect::<Result<_, _>>().map(Spec::Struct);
        }
        if let Some(digits) = text.strip_prefix("hex:") {
            let bytes = hexadecimal(digits).map(Spec::Bytes);
            return bytes.ok_or_else(|| ValueError::Hex(digits.to_owned()));
        }
        let known = |name: &str| Type::named(name).ok_or_else(|| ValueError::Type(name.to_owned()));
        if text.is_empty() {
            return Err(ValueError::Empty);
        }
        if text == "null" {
            return Ok(Spec::Null);
        }
        if let Some(bytes) = text.strip_prefix("local:") {
            let count = integer(bytes).and_then(|(value, _)| u32::try_from(value).ok());
            return count
                .map(Spec::Local)
                .ok_or_else(|| ValueError::Local(bytes.to_owned()));
        }
        if let Some((ty, path)) = text.split_once('@') {
            if path.is_empty() {
                return Err(ValueError::File);
            }
            let ty = ty.trim().trim_end_matches(':');
            let ty = if ty.is_empty() {
                None
            } else {
                Some(known(ty)?)
            };
            return Ok(Spec::File {
                ty,
                path: path.into(),
            });
        }
        if let Some((ty, rest)) = text.split_once('*') {
            let ty = known(ty.trim())?;
            let (count, fill) = rest
                .split_once(':')
                .map_or((rest, None), |(count, fill)| (count, Some(fill.trim())));
            let number = integer(count.trim()).and_then(|(value, _)| u64::try_from(value).ok());
            let count = number.ok_or_else(|| ValueError::Count(count.to_owned()))?;
            return Ok(Spec::Filled {
                ty,
                count,
                fill: fill.map_or(Ok(Fill::Zero), |fill| Fill::parse(ty, fill))?,
            });
        }
        let (ty, numbers) = match text.split_once(':') {
            Some((ty, numbers)) => (Some(known(ty.trim())?), numbers),
            None => (None, text),
        };
        let mut texts: Vec<String> = numbers
            .split(',')
            .map(|number| number.trim().to_owned())
            .collect();
        let list = texts.len() > 1;
        if texts.last().is_some_and(String::is_empty) {
            texts.pop();
        }
        if texts.is_empty() {
            return Err(ValueError::Empty);
        }
        // Check typed numbers now, so that errors are found before any kernel runs.
        if let Some(ty) = ty {
            texts.iter().try_for_each(|text| ty.parse(text).map(drop))?;
        } else if let Some(text) = texts
            .iter()
            .find(|text| integer(text).is_none() && text.parse::<f64>().is_err())
        {
            let same = if list { None } else { same(text) };
            return same.ok_or_else(|| ValueError::NotANumber(text.clone()));
        }
        Ok(Spec::Numbers { ty, texts, list })
    }

    /// Makes the path of a file value relative to a directory. Other values are unchanged.
    ///
    /// # Examples
    /// ```
    /// use gcn_args::spec::Spec;
    /// let spec = Spec::parse("f32@input.bin")?.relative_to("/data".as_ref());
    /// assert!(matches!(spec, Spec::File { path, .. } if path.ends_with("data/input.bin")));
    /// # Ok::<(), gcn_args::value::ValueError>(())
    /// ```
    #[must_use]
    pub fn relative_to(self, directory: &Path) -> Spec {
        match self {
            Spec::File { ty, path } => Spec::File {
                ty,
                path: directory.join(path),
            },
            other => other,
        }
    }

    /// Returns the explicit type of the value, if any.
    ///
    /// # Examples
    /// ```
    /// use gcn_args::spec::Spec;
    /// use gcn_args::value::Type;
    /// assert_eq!(Spec::parse("u16*8")?.ty(), Some(Type::U16));
    /// assert_eq!(Spec::parse("42")?.ty(), None);
    /// # Ok::<(), gcn_args::value::ValueError>(())
    /// ```
    pub fn ty(&self) -> Option<Type> {
        match self {
            Spec::Numbers { ty, .. } | Spec::File { ty, .. } => *ty,
            Spec::Filled { ty, .. } => Some(*ty),
            Spec::Local(_) | Spec::Null | Spec::Same { .. } | Spec::Struct(_) | Spec::Bytes(_) => {
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(ty: Option<Type>, texts: &[&str], list: bool) -> Spec {
        Spec::Numbers {
            ty,
            texts: texts.iter().map(|&text| text.to_owned()).collect(),
            list,
        }
    }

    #[test]
    fn values_are_read() {
        let filled = |ty, count, fill| Spec::Filled { ty, count, fill };
        for (text, spec) in [
            ("42", numbers(None, &["42"], false)),
            ("u32:42", numbers(Some(Type::U32), &["42"], false)),
            ("f32:1,2.5", numbers(Some(Type::F32), &["1", "2.5"], true)),
            ("f32:1,", numbers(Some(Type::F32), &["1"], true)),
            ("1, 2", numbers(None, &["1", "2"], true)),
            ("f32*8", filled(Type::F32, 8, Fill::Zero)),
            ("u8*2:undefined", filled(Type::U8, 2, Fill::Undefined)),
            (
                "u16*0x10:iota",
                filled(Type::U16, 16, Fill::Integers { start: 0, step: 1 }),
            ),
            (
                "i16*2:iota(5,-2)",
                filled(
                    Type::I16,
                    2,
                    Fill::Integers {
                        start: 5,
                        step: 2u64.wrapping_neg(),
                    },
                ),
            ),
            (
                "i32*3:fill(-1)",
                filled(Type::I32, 3, Fill::Same(Type::I32.parse("-1").unwrap())),
            ),
            (
                "u8*3:random(7)",
                filled(
                    Type::U8,
                    3,
                    Fill::RandomIntegers {
                        seed: 7,
                        low: 0,
                        span: 1 << u64::BITS,
                    },
                ),
            ),
            (
                "@data.bin",
                Spec::File {
                    ty: None,
                    path: "data.bin".into(),
                },
            ),
            (
                "f32@a:b.bin",
                Spec::File {
                    ty: Some(Type::F32),
                    path: "a:b.bin".into(),
                },
            ),
            (
                "f32:@data.bin",
                Spec::File {
                    ty: Some(Type::F32),
                    path: "data.bin".into(),
                },
            ),
            ("local:256", Spec::Local(256)),
            ("null", Spec::Null),
            (
                "xs",
                Spec::Same {
                    name: "xs".into(),
                    from: 0,
                },
            ),
            (
                "{u8:1, {f32:2,xs}, u32*2:iota(1,2)}",
                Spec::Struct(vec![
                    numbers(Some(Type::U8), &["1"], false),
                    Spec::Struct(vec![
                        numbers(Some(Type::F32), &["2"], false),
                        Spec::Same {
                            name: "xs".into(),
                            from: 0,
                        },
                    ]),
                    filled(Type::U32, 2, Fill::Integers { start: 1, step: 2 }),
                ]),
            ),
            ("hex:00_fF 10", Spec::Bytes(vec![0, 255, 16])),
            (
                "_p.0[0x10]",
                Spec::Same {
                    name: "_p.0".into(),
                    from: 16,
                },
            ),
        ] {
            assert_eq!(Spec::parse(text).as_ref(), Ok(&spec), "{text}");
        }
    }

    #[test]
    fn wrong_values_are_refused() {
        for (text, message) in [
            ("", "the value is empty"),
            ("u32:", "the value is empty"),
            (
                "f33:1",
                "unknown type `f33`; the types are u8 i8 u16 i16 f16 u32 i32 f32 u64 i64 f64",
            ),
            ("{u32:1, 2}", "2 in a structure needs a type, as in f32:2"),
            (
                "{u32:1",
                "`{u32:1` is not a structure, such as {u32:1, f32:2.5}",
            ),
            ("{}}", "`{}}` is not a structure, such as {u32:1, f32:2.5}"),
            (
                "{u32:1, local:4}",
                "`local:4` cannot be a member of a structure",
            ),
            ("{}", "the value is empty"),
            (
                "{{{{{{{{{{{{{{{{{{u8:1}}}}}}}}}}}}}}}}}}",
                "structures are nested more than 16 deep",
            ),
            ("hex:1", "`1` is not hexadecimal bytes of two digits each"),
            ("u32:1,x", "`x` is not a number"),
            ("u32:1,,2", "`` is not a number"),
            ("1,x", "`x` is not a number"),
            ("f32*x", "`x` is not a number of elements"),
            ("f32*-1", "`-1` is not a number of elements"),
            (
                "f32*4:ones",
                "unknown fill `ones`; the fills are iota[(start,step)], fill(x), random(seed[,lo,hi]) and undefined",
            ),
            ("u8*4:fill(300)", "300 does not fit u8"),
            (
                "u8*4:random(1,5,4)",
                "unknown fill `random(1,5,4)`; the fills are iota[(start,step)], fill(x), random(seed[,lo,hi]) and undefined",
            ),
            (
                "f32*4:random(1,nan,4)",
                "unknown fill `random(1,nan,4)`; the fills are iota[(start,step)], fill(x), random(seed[,lo,hi]) and undefined",
            ),
            (
                "local:x",
                "`x` is not a number of bytes; write dynamic LDS as local:BYTES",
            ),
            ("f32@", "the name of the file is missing: write @FILE"),
        ] {
            let error = Spec::parse(text)
                .map(|spec| format!("{spec:?}"))
                .unwrap_err();
            assert_eq!(error.to_string(), message, "{text}");
        }
    }
}
