//! Sizes and named values, as written in options and launch files.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::Deserialize;

/// Grid or workgroup size.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "SizesForm")]
pub struct LaunchSizes {
    /// Sizes in x, y and z; 1 if not given.
    pub sizes: [u32; 3],
    /// Number of dimensions given, 1 to 3.
    pub dimensions: u16,
}

/// Pair of a name and a value.
#[derive(Clone, PartialEq, Debug)]
pub struct NamedText {
    /// Name of an argument, or selector of a buffer.
    pub name: String,
    /// Value as written.
    pub value: String,
    /// Directory to which relative paths in the value refer.
    pub base: PathBuf,
}

impl NamedText {
    /// Resolves a path in the value.
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
    /// Size in x.
    One(u64),
    /// Sizes in x, y and z.
    List(Vec<u64>),
    /// Text in the syntax of options.
    Text(String),
}

impl SizesForm {
    /// Converts the value to the syntax of options.
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

impl TryFrom<SizesForm> for LaunchSizes {
    type Error = String;

    fn try_from(given: SizesForm) -> Result<LaunchSizes, String> {
        sizes(&given.text())
    }
}

/// Creates a name with an empty value.
pub fn without_value(name: &str) -> NamedText {
    NamedText {
        name: name.trim().to_owned(),
        value: String::new(),
        base: PathBuf::new(),
    }
}

/// Placeholder for the value of a pair, in messages.
pub const VALUE: &str = "VALUE";
/// Placeholder for a value that is a file name.
pub const FILE: &str = "FILE";

/// Parses `NAME=VALUE`. Messages show `wanted` in place of `VALUE`.
///
/// # Errors
/// Fails if the text is invalid; the message states the accepted form.
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

/// Parses sizes in the syntax of options: `X`, `X,Y` or `X,Y,Z`.
///
/// # Errors
/// Fails if the text is invalid; the message states the accepted forms.
pub fn sizes(text: &str) -> Result<LaunchSizes, String> {
    let (sizes, dimensions) = numbers(text, 1, u32::MAX)?;
    Ok(LaunchSizes { sizes, dimensions })
}

/// Parses offsets in the syntax of options: `X`, `X,Y` or `X,Y,Z`.
///
/// # Errors
/// Fails if the text is invalid; the message states the accepted forms.
pub fn offsets(text: &str) -> Result<[u64; 3], String> {
    Ok(numbers(text, 0, u64::MAX)?.0)
}

/// Parses one to three numbers from `least` to `most`, separated by `,` or `x`, and returns them with their count. Missing
/// numbers are `least`.
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
        let number = part.trim().parse::<T>().ok();
        let number = number.filter(|number| (least..=most).contains(number));
        let place = numbers.get_mut(usize::from(written)).ok_or_else(wrong)?;
        *place = number.ok_or_else(wrong)?;
        written += 1;
    }
    Ok((numbers, written))
}
