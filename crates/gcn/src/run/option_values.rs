//! Sizes, and names with values, as options and launch files have them.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::Deserialize;

/// Sizes in x, y and z.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "SizesForm")]
pub struct WrittenSizes {
    /// The sizes; those that were not written are 1.
    pub sizes: [u32; 3],
    /// The number of them that were written, 1 to 3.
    pub dimensions: u16,
}

/// Something named and a value for it.
#[derive(Clone, PartialEq, Debug)]
pub struct NamedText {
    /// Purpose.
    pub name: String,
    /// As written.
    pub value: String,
    /// The directory at which relative paths in it start.
    pub base: PathBuf,
}

impl NamedText {
    /// A path of the value.
    pub fn path(&self, path: &Path) -> PathBuf {
        self.base.join(path)
    }
}

/// `256`, `[256, 4]` or `"256,4"`.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected a number, a list of up to three, or text such as \"64,4\""
)]
pub enum SizesForm {
    /// In x.
    One(u64),
    /// In x, y and z.
    List(Vec<u64>),
    /// As an option has them.
    Text(String),
}

impl SizesForm {
    /// As an option would have them.
    pub fn text(self) -> String {
        match self {
            SizesForm::One(size) => size.to_string(),
            SizesForm::List(list) => {
                let list: Vec<String> = list.iter().map(u64::to_string).collect();
                list.join(",")
            }
            SizesForm::Text(text) => text,
        }
    }
}

impl TryFrom<SizesForm> for WrittenSizes {
    type Error = String;

    fn try_from(given: SizesForm) -> Result<WrittenSizes, String> {
        sizes(&given.text())
    }
}

/// A name without a value.
pub fn unvalued(name: &str) -> NamedText {
    NamedText {
        name: name.trim().to_owned(),
        value: String::new(),
        base: PathBuf::new(),
    }
}

/// The name of the second part of a pair, in messages.
pub const VALUE: &str = "VALUE";
/// The second part of a pair that is the name of a file.
pub const FILE: &str = "FILE";

/// A name, `=`, and what is `wanted` behind it.
///
/// # Errors
/// The accepted form.
pub fn pair(option: &str, text: &str, wanted: &str, base: &Path) -> Result<NamedText, String> {
    let (name, value) = text.split_once('=').unwrap_or_default();
    let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
    if name.is_empty() || value.is_empty() {
        return Err(format!("`{option} {text}`: expected NAME={wanted}"));
    }
    Ok(NamedText {
        name,
        value,
        base: base.to_owned(),
    })
}

/// Sizes as options have them: `X`, `X,Y` or `X,Y,Z`.
///
/// # Errors
/// The accepted forms.
pub fn sizes(text: &str) -> Result<WrittenSizes, String> {
    let (sizes, dimensions) = numbers(text, 1, u32::MAX)?;
    Ok(WrittenSizes { sizes, dimensions })
}

/// Offsets as options have them: `X`, `X,Y` or `X,Y,Z`.
///
/// # Errors
/// The accepted forms.
pub fn offsets(text: &str) -> Result<[u64; 3], String> {
    Ok(numbers(text, 0, u64::MAX)?.0)
}

/// One to three numbers from `least` to `most`, with `least` for those that are missing; and how many there are.
fn numbers<T: FromStr + PartialOrd + Copy + Display>(
    text: &str,
    least: T,
    most: T,
) -> Result<([T; 3], u16), String> {
    let wrong =
        || format!("expected X, X,Y or X,Y,Z of numbers from {least} to {most}, found `{text}`");
    let mut numbers = [least; 3];
    let mut written = 0;
    for part in text.split([',', 'x']) {
        let number = part.trim().parse().ok().filter(|number| *number >= least);
        let place = numbers.get_mut(usize::from(written)).ok_or_else(wrong)?;
        *place = number.ok_or_else(wrong)?;
        written += 1;
    }
    Ok((numbers, written))
}
