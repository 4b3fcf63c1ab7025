//! Substitutes arguments into macro and loop bodies.

pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$')
}

/// Returns true for an operator; blanks next to it do not end an argument.
pub(super) fn is_operator(byte: u8) -> bool {
    matches!(
        byte,
        b'+' | b'-' | b'~' | b'/' | b'*' | b'=' | b'|' | b'^' | b'&' | b'!' | b'<' | b'>'
    )
}

/// Returns true if, in CLRX, blanks between these characters end an argument. They do not if one character is an
/// operator and the other belongs to a word, or if both are the same operator.
pub(super) fn blanks_separate(before: u8, after: u8) -> bool {
    /// Characters that do not belong to words but form arguments by themselves.
    const ALONE: &[u8] = b"%()*-[]{}\\";
    let joins =
        |byte: u8| !byte.is_ascii_alphanumeric() && !is_name(byte) && !ALONE.contains(&byte);
    joins(before) == joins(after) && !(joins(before) && before == after)
}

/// Normalizes an `.ifc` operand for CLRX's comparison: removes insignificant blanks outside strings.
pub(super) fn without_idle_blanks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_string = false;
    let mut is_apart = false;
    for c in text.trim().chars() {
        if c.is_ascii_whitespace() && !is_string {
            is_apart = true;
            continue;
        }
        // Quotes and non-ASCII characters count as operators.
        let last = out.bytes().next_back().unwrap_or(0);
        let byte = u8::try_from(c).unwrap_or(u8::MAX);
        if std::mem::take(&mut is_apart) && blanks_separate(last, byte) {
            out.push(' ');
        }
        is_string ^= c == '"' && last != b'\\';
        out.push(c);
    }
    out
}

/// Values substituted into a body.
pub(super) struct Substitutions<'b, 'a> {
    /// Parameter names and their values.
    pub bindings: &'b [(&'b str, &'a str)],
    /// Number of earlier macro calls, substituted for `\@`.
    pub calls: u64,
    /// Number of earlier iterations of this loop, or calls of this macro, substituted for `\+`.
    pub round: u64,
}

/// Appends a body with its parameters replaced. Returns false if the result exceeds `limit` bytes.
pub(super) fn substitute(
    out: &mut String,
    body: &str,
    values: &Substitutions<'_, '_>,
    limit: usize,
) -> bool {
    let mut rest = body;
    while let Some(at) = rest.find('\\') {
        out.push_str(rest.get(..at).unwrap_or(""));
        let after = rest.get(at + 1..).unwrap_or("");
        let length = after.bytes().take_while(|&byte| is_name(byte)).count();
        let name = after.get(..length).unwrap_or("");
        let bound = || {
            values
                .bindings
                .iter()
                .find(|(parameter, _)| *parameter == name)
        };
        let taken = if let Some(tail) = after.strip_prefix("()") {
            tail
        } else if let Some(tail) = after.strip_prefix('@') {
            out.push_str(&values.calls.to_string());
            tail
        } else if let Some(tail) = after.strip_prefix('+') {
            out.push_str(&values.round.to_string());
            tail
        } else if let Some((_, value)) = bound() {
            out.push_str(value);
            after.get(length..).unwrap_or("")
        } else {
            // Not a parameter; for example, an escape in a string.
            out.push('\\');
            let width = length.max(usize::from(after.starts_with('\\')));
            out.push_str(after.get(..width).unwrap_or(""));
            after.get(width..).unwrap_or("")
        };
        rest = taken;
        if out.len() > limit {
            return false;
        }
    }
    out.push_str(rest);
    out.len() <= limit
}

/// Marks parameters in an `.altmacro` body with backslashes. Outside strings, bare parameter names are marked; inside
/// strings, only names preceded by `&`, or all if `in_strings` is set.
pub(super) fn with_backslashes(
    body: &str,
    in_strings: bool,
    is_parameter: impl Fn(&str) -> bool,
) -> String {
    let mut out = String::with_capacity(body.len());
    let mut rest = body;
    let mut is_string = false;
    while let Some(first) = rest.chars().next() {
        let length = rest.bytes().take_while(|&byte| is_name(byte)).count();
        let joined = rest.strip_prefix('&').unwrap_or("");
        let joined_length = joined.bytes().take_while(|&byte| is_name(byte)).count();
        let (word, tail, is_possible) = if joined_length > 0 {
            let tail = joined.get(joined_length..).unwrap_or("");
            (joined.get(..joined_length), tail, true)
        } else {
            let tail = rest.get(length..).unwrap_or("");
            (
                rest.get(..length),
                tail,
                (in_strings || !is_string) && !out.ends_with('\\'),
            )
        };
        let word = word.unwrap_or("");
        if is_possible && is_parameter(word) {
            out.push('\\');
            out.push_str(word);
            out.push_str("\\()");
            rest = tail.strip_prefix('&').unwrap_or(tail);
        } else {
            is_string ^= first == '"' && !out.ends_with('\\');
            let width = length.max(first.len_utf8());
            out.push_str(rest.get(..width).unwrap_or(""));
            rest = rest.get(width..).unwrap_or("");
        }
    }
    out
}

/// Removes the `LOCAL` lines at the beginning of an `.altmacro` body, and returns their names and the remaining body.
/// If `anywhere` is set, removes all `LOCAL` statements, but keeps the labels before them.
pub(super) fn locals(body: &str, anywhere: bool) -> (Vec<&str>, String) {
    let mut names = Vec::new();
    let mut kept = String::with_capacity(body.len());
    let mut rest = body;
    while !rest.is_empty() {
        let (line, tail) = rest.split_once('\n').unwrap_or((rest, ""));
        let label = line.rfind(':').filter(|_| anywhere).map_or(0, |at| at + 1);
        let (labels, statement) = line.split_at_checked(label).unwrap_or(("", line));
        let mut words = statement
            .split([' ', '\t', ',', '\r'])
            .filter(|word| !word.is_empty());
        let is_local = words
            .next()
            .is_some_and(|word| word.eq_ignore_ascii_case("local"));
        if is_local {
            names.extend(words);
            kept.push_str(labels);
        } else if anywhere {
            kept.push_str(line);
        } else {
            break;
        }
        if line.len() < rest.len() {
            kept.push('\n');
        }
        rest = tail;
    }
    kept.push_str(rest);
    (names, kept)
}

/// Removes the quotes around a string argument.
pub(super) fn unquoted(text: &str) -> &str {
    text.strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'))
        .filter(|text| !text.contains('"'))
        .unwrap_or(text)
}
