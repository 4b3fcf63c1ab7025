//! Parses and normalizes C++ function names written by tools or people.

/// Maximum size in bytes of a parsed name, and of a demangled one, since even a short symbol can expand exponentially.
pub(super) const MAX_BYTES: usize = 4096;

/// A function name: a path, and the parameters if they are stated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Signature {
    /// Namespaces and classes, followed by the function; never empty.
    pub path: Vec<Component>,
    /// Parameter types, if stated.
    pub parameters: Option<Vec<String>>,
}

/// A component of a function's path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Component {
    /// Identifier.
    pub name: String,
    /// Template arguments, if stated.
    pub arguments: Option<Vec<String>>,
}

/// Parts of a kernel's full name that a shorter name omits. Smaller values are better matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Omissions {
    /// True if namespaces or classes are omitted.
    pub qualification: bool,
    /// True if template arguments are omitted.
    pub arguments: bool,
    /// True if parameters are omitted.
    pub parameters: bool,
}

impl Omissions {
    /// No omissions.
    pub const NONE: Self = Self {
        qualification: false,
        arguments: false,
        parameters: false,
    };
}

/// Spellings of the anonymous namespace in tools' output.
const ANONYMOUS: [&str; 4] = [
    "(anonymous namespace)",
    "`anonymous namespace'",
    "{anonymous}",
    "_GLOBAL__N_1",
];
/// Canonical spelling of the anonymous namespace.
const ANONYMOUS_WORD: &str = "anonymous_namespace";

/// Alternative spellings of type names.
const ALIASES: &[(&str, &str)] = &[
    ("uchar", "unsigned char"),
    ("ushort", "unsigned short"),
    ("uint", "unsigned int"),
    ("ulong", "unsigned long"),
    ("size_t", "unsigned long"),
    ("int8_t", "signed char"),
    ("uint8_t", "unsigned char"),
    ("int16_t", "short"),
    ("uint16_t", "unsigned short"),
    ("int32_t", "int"),
    ("uint32_t", "unsigned int"),
    ("int64_t", "long"),
    ("uint64_t", "unsigned long"),
    ("half", "_Float16"),
    ("true", "1"),
    ("false", "0"),
];

/// Words that do not affect the meaning of a type.
const NOISE: [&str; 8] = [
    "struct",
    "class",
    "enum",
    "union",
    "typename",
    "restrict",
    "__restrict",
    "__restrict__",
];

impl Signature {
    /// Parses a declaration, a name with or without template arguments and parameters, or an identifier. Ignores a
    /// return type. Returns `None` if the text contains no name or exceeds [`MAX_BYTES`].
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > MAX_BYTES {
            return None;
        }
        let mut text = text.to_owned();
        for spelling in ANONYMOUS {
            text = text.replace(spelling, ANONYMOUS_WORD);
        }
        let tokens = normalize(tokens(&text));
        let mut path = Vec::new();
        let mut parameters = None;
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            match token.as_str() {
                "::" => {}
                "<" | "(" => {
                    let end = closing_bracket(&tokens, at - 1)?;
                    let list = list(tokens.get(at..end).unwrap_or_default());
                    at = end + 1;
                    if token == "(" {
                        parameters = Some(list);
                        break;
                    }
                    let last: &mut Component = path.last_mut()?;
                    last.arguments = Some(list);
                }
                name => {
                    // A word that does not follow `::` starts a new name, since the previous words belong to the return
                    // type.
                    let continues = at >= 2 && tokens.get(at - 2).is_some_and(|it| it == "::");
                    if !continues {
                        path.clear();
                    }
                    path.push(Component {
                        name: name.to_owned(),
                        arguments: None,
                    });
                }
            }
        }
        let is_void = |list: &Vec<String>| list.len() == 1 && list[0] == "void";
        if parameters.as_ref().is_some_and(is_void) {
            parameters = Some(Vec::new());
        }
        (!path.is_empty()).then_some(Self { path, parameters })
    }

    /// Returns the identifier at the end of the path.
    pub fn last(&self) -> &str {
        self.path.last().map_or("", |component| &component.name)
    }

    /// Returns the parts of `full` that `self` omits; `None` if `self` does not denote the same function. Trailing
    /// template arguments and leading path components may be omitted.
    pub fn denotes(&self, full: &Self) -> Option<Omissions> {
        let outer = full.path.len().checked_sub(self.path.len())?;
        let mut omissions = Omissions {
            qualification: outer > 0,
            arguments: false,
            parameters: false,
        };
        for (asked, full) in self.path.iter().zip(full.path.get(outer..)?) {
            if asked.name != full.name {
                return None;
            }
            match (&asked.arguments, &full.arguments) {
                (None, None) => {}
                (None, Some(_)) => omissions.arguments = true,
                (Some(asked), Some(full)) if full.starts_with(asked) => {
                    omissions.arguments |= asked.len() < full.len();
                }
                (Some(_), _) => return None,
            }
        }
        match (&self.parameters, &full.parameters) {
            (None, None) => {}
            (None, Some(_)) => omissions.parameters = true,
            (asked, full) if asked == full => {}
            _ => return None,
        }
        Some(omissions)
    }
}

/// Splits text into words, numbers, `::` and single characters, without blanks.
fn tokens(text: &str) -> Vec<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut tokens: Vec<String> = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        let (token, tail) = rest.split_at(length);
        tokens.push(token.to_owned());
        rest = tail.trim_start();
    }
    tokens
}

/// Normalizes the spelling of types, numbers and casts.
fn normalize(tokens: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut depth = 0_usize;
    let mut tokens = tokens
        .into_iter()
        .filter(|token| !NOISE.contains(&token.as_str()))
        .map(unsuffixed)
        .peekable();
    while let Some(token) = tokens.next() {
        if Integer::is_part(&token) {
            let mut integer = Integer::default();
            integer.add(&token);
            while let Some(next) = tokens.next_if(|next| Integer::is_part(next)) {
                integer.add(&next);
            }
            out.push(integer.name().to_owned());
            continue;
        }
        match token.as_str() {
            "<" | "(" => depth += 1,
            ">" | ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        // Outside brackets, a word may be the function's own name.
        let mut aliases = ALIASES.iter().filter(|_| depth > 0);
        let alias = aliases.find(|(alias, _)| *alias == token);
        out.push(alias.map_or(token, |(_, name)| (*name).to_owned()));
        drop_cast(&mut out);
    }
    let mut moved = Vec::with_capacity(out.len());
    trailing_qualifiers(&out, &mut moved);
    moved
}

/// Removes the type suffix from a number, as in `4u`. Other tokens are unchanged.
fn unsuffixed(token: String) -> String {
    if !token.starts_with(|c: char| c.is_ascii_digit()) {
        return token;
    }
    let digits = token.trim_end_matches(['u', 'U', 'l', 'L']);
    match digits.parse::<u128>() {
        Ok(_) => digits.to_owned(),
        Err(_) => token,
    }
}

/// Removes a cast that precedes a number at the end of `tokens`: `(int)4` means `4`.
fn drop_cast(tokens: &mut Vec<String>) {
    let is_number = |token: &String| token.starts_with(|c: char| c.is_ascii_digit());
    let Some(last) = tokens
        .len()
        .checked_sub(1)
        .filter(|&at| is_number(&tokens[at]))
    else {
        return;
    };
    let sign = usize::from(last > 0 && tokens[last - 1] == "-");
    let Some(close) = last.checked_sub(1 + sign).filter(|&at| tokens[at] == ")") else {
        return;
    };
    let mut depth = 0_usize;
    for at in (0..=close).rev() {
        match tokens[at].as_str() {
            ")" => depth += 1,
            "(" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            tokens.drain(at..=close);
            return;
        }
    }
}

/// Appends tokens to `out`, with `const` and `volatile` after the type, where demanglers write them.
fn trailing_qualifiers(tokens: &[String], out: &mut Vec<String>) {
    let is_qualifier = |token: &str| matches!(token, "const" | "volatile");
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let begins = out
            .last()
            .is_none_or(|last| matches!(last.as_str(), "(" | "<" | ","));
        if !(begins && is_qualifier(token)) {
            out.push(token.clone());
            at += 1;
            continue;
        }
        let first = at;
        while tokens.get(at).is_some_and(|token| is_qualifier(token)) {
            at += 1;
        }
        let qualifiers = first..at;
        let end = type_end(tokens, at);
        // Template arguments may contain qualifiers too.
        trailing_qualifiers(tokens.get(at..end).unwrap_or_default(), out);
        out.extend(tokens.get(qualifiers).unwrap_or_default().iter().cloned());
        at = end;
    }
}

/// Returns the end of the type that begins at token `start`: words joined by `::`, with template arguments but without
/// pointers.
fn type_end(tokens: &[String], start: usize) -> usize {
    let mut at = start;
    loop {
        match tokens.get(at).map(String::as_str) {
            Some("::") => at += 1,
            Some("<") => match closing_bracket(tokens, at) {
                Some(end) => at = end + 1,
                None => return at,
            },
            Some(word) if word.starts_with(|c: char| c.is_alphanumeric() || c == '_') => {
                let joined = at == start || tokens.get(at - 1).is_some_and(|it| it == "::");
                if !joined {
                    return at;
                }
                at += 1;
            }
            _ => return at,
        }
    }
}

/// Returns the index of the bracket that closes the one at `open`.
fn closing_bracket(tokens: &[String], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.as_str() {
            "<" | "(" | "[" | "{" => depth += 1,
            ">" | ")" | "]" | "}" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Returns the elements of a bracketed list, each with its tokens joined by blanks.
fn list(tokens: &[String]) -> Vec<String> {
    let mut elements = Vec::new();
    let mut element = String::new();
    let mut depth = 0_usize;
    for token in tokens {
        match token.as_str() {
            "<" | "(" | "[" | "{" => depth += 1,
            ">" | ")" | "]" | "}" => depth = depth.saturating_sub(1),
            "," if depth == 0 => {
                elements.push(std::mem::take(&mut element));
                continue;
            }
            _ => {}
        }
        if !element.is_empty() {
            element.push(' ');
        }
        element.push_str(token);
    }
    if !element.is_empty() {
        elements.push(element);
    }
    elements
}

/// Integer type, whose keywords C++ allows in any order.
#[derive(Default)]
struct Integer {
    unsigned: bool,
    signed: bool,
    longs: usize,
    is_char: bool,
    is_short: bool,
}

impl Integer {
    /// Returns true for keywords in integer types.
    fn is_part(word: &str) -> bool {
        matches!(
            word,
            "unsigned" | "signed" | "long" | "short" | "int" | "char"
        )
    }

    fn add(&mut self, word: &str) {
        match word {
            "unsigned" => self.unsigned = true,
            "signed" => self.signed = true,
            "long" => self.longs += 1,
            "short" => self.is_short = true,
            "char" => self.is_char = true,
            _ => {}
        }
    }

    /// Returns the spelling that demanglers use.
    fn name(&self) -> &'static str {
        match (self.unsigned, self.longs) {
            (true, _) if self.is_char => "unsigned char",
            (false, _) if self.is_char && self.signed => "signed char",
            (false, _) if self.is_char => "char",
            (true, _) if self.is_short => "unsigned short",
            (false, _) if self.is_short => "short",
            (true, 0) => "unsigned int",
            (false, 0) => "int",
            (true, 1) => "unsigned long",
            (false, 1) => "long",
            (true, _) => "unsigned long long",
            (false, _) => "long long",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Signature {
        Signature::parse(text).expect("a name")
    }

    #[test]
    fn spellings_of_one_name_are_equal() {
        for (a, b) in [
            (
                "void f<float, 4u>(float*, int)",
                "f < float,(unsigned int)4 > ( float *, int )",
            ),
            (
                "f<std::vector<int, A<int> > >()",
                "f<std::vector<int,A<int>>>(void)",
            ),
            ("f(unsigned int, unsigned long)", "f(uint, size_t)"),
            ("f(long unsigned int)", "f(unsigned long)"),
            (
                "f(float const*, A<char const*> const&)",
                "f(const float*, const A<const char *> &)",
            ),
            ("f<true, -3>", "f<(bool)1, (int)-3>"),
            ("f<(ns::kind)111>", "f<111>"),
            (
                "(anonymous namespace)::f(int)",
                "{anonymous}::f(signed int)",
            ),
            ("f(ns::A*)", "f(struct ns::A * __restrict__)"),
            ("std::enable_if<true, void>::type g<2>(int)", "g<2>(int)"),
        ] {
            assert_eq!(parse(a), parse(b), "{a}");
        }
    }

    #[test]
    fn different_names_stay_different() {
        for (a, b) in [
            ("f<3>", "f<4>"),
            ("f(int*)", "f(int const*)"),
            ("f(int const*)", "f(int* const)"),
            ("f(long)", "f(long long)"),
            ("f(char)", "f(signed char)"),
            ("a::f", "b::f"),
            ("f<A<int>, B>", "f<A<int, B> >"),
        ] {
            assert_ne!(parse(a), parse(b), "{a}");
        }
    }

    #[test]
    fn a_name_that_leaves_parts_out_denotes_the_whole() {
        let full = parse("a::b::f<float, 3>(float*)");
        let omissions = |text: &str| {
            let found = parse(text).denotes(&full)?;
            Some([found.qualification, found.arguments, found.parameters])
        };
        assert_eq!(omissions("a::b::f<float, 3>(float*)"), Some([false; 3]));
        assert_eq!(omissions("f"), Some([true; 3]));
        assert_eq!(omissions("b::f<float>"), Some([true; 3]));
        assert_eq!(omissions("a::b::f(float*)"), Some([false, true, false]));
        for other in ["g", "a::f", "f<int>", "f<float, 3, 4>", "f()", "f<>::g"] {
            assert_eq!(omissions(other), None, "{other}");
        }
    }

    #[test]
    fn text_without_a_name_is_refused() {
        for text in ["", " ", "()", "<int>", "f<", "f(", "::"] {
            assert_eq!(Signature::parse(text), None, "{text:?}");
        }
    }
}
