//! Derives parameter types from a kernel's symbol.

/// Returns the parameter types as declared in the source, from the mangled symbol of a C++ kernel. Returns `None` for a
/// C function, whose symbol does not encode types.
///
/// # Examples
/// ```
/// use gcn_runtime::parameters::types_of_symbol;
/// let types = types_of_symbol("_Z3addIfEvPT_PKS0_i").expect("a C++ kernel");
/// assert_eq!(types, ["float*", "float const*", "int"]);
/// assert_eq!(types_of_symbol("saxpy"), None);
/// ```
pub fn types_of_symbol(symbol: &str) -> Option<Vec<String>> {
    let declaration = gcn_object::declaration(symbol)?;
    let inner = declaration.strip_suffix(')')?;
    let open = opening(inner)?;
    let list = inner.get(open + 1..)?;
    if list.trim().is_empty() {
        return Some(Vec::new());
    }
    let mut types = Vec::new();
    let (mut depth, mut begin) = (0_usize, 0);
    for (at, c) in list.char_indices() {
        match c {
            '(' | '<' | '[' | '{' => depth += 1,
            ')' | '>' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                types.push(list[begin..at].trim().to_owned());
                begin = at + 1;
            }
            _ => {}
        }
    }
    types.push(list[begin..].trim().to_owned());
    Some(types)
}

/// Finds the opening parenthesis that matches a closing one just after the text.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' if depth == 0 => return Some(at),
            '(' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_those_of_the_declaration() {
        for (symbol, expected) in [
            ("_Z1kv", &[][..]),
            (
                "_Z5scalehjPj",
                &["unsigned char", "unsigned int", "unsigned int*"],
            ),
            ("_Z3addIfEvPT_PKS0_i", &["float*", "float const*", "int"]),
            // Function pointers and templates contain their own commas and parentheses.
            (
                "_Z1kPFvifE4PairIifEj",
                &["void (*)(int, float)", "Pair<int, float>", "unsigned int"],
            ),
            ("_ZN12_GLOBAL__N_11kEf", &["float"]),
        ] {
            assert_eq!(
                types_of_symbol(symbol).as_deref(),
                Some(&expected.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>()[..]),
                "{symbol}"
            );
        }
        assert_eq!(types_of_symbol("saxpy"), None);
    }
}
