//! Converts between document URIs and file paths.

use std::path::{Path, PathBuf};

use lsp_types::Uri;

const SCHEME: &str = "file://";

/// Converts a `file` URI to a path, ignoring the host. Returns `None` for other schemes and paths that are not UTF-8.
pub(crate) fn to_path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix(SCHEME)?;
    let path = rest.get(rest.find('/')?..)?;
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let [byte, behind @ ..] = rest {
        let escaped = || {
            let (digits, behind) = behind.split_at_checked(2)?;
            let byte = u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
            Some((byte, behind))
        };
        let (byte, behind) = (*byte == b'%')
            .then(escaped)
            .flatten()
            .unwrap_or((*byte, behind));
        bytes.push(byte);
        rest = behind;
    }
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

/// Converts a file path to a URI. Returns `None` unless the path is absolute and UTF-8.
pub(crate) fn from_path(path: &Path) -> Option<Uri> {
    if !path.is_absolute() {
        return None;
    }
    let mut uri = SCHEME.to_owned();
    for byte in path.to_str()?.bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_survive() {
        let path = Path::new("/a b/é#%41/k.s");
        let uri = from_path(path).expect("it is absolute");
        assert_eq!(uri.as_str(), "file:///a%20b/%C3%A9%23%2541/k.s");
        assert_eq!(to_path(uri.as_str()).as_deref(), Some(path));
        assert_eq!(to_path("file://host/a%zz%"), Some(PathBuf::from("/a%zz%")));
        assert_eq!(to_path("untitled:Untitled-1"), None);
    }
}
