//! Type names in source languages.

use super::types::Type;

/// Type names in OpenCL C and C++, as compilers write them to metadata.
const SOURCE_TYPES: &[(&str, Type)] = &[
    ("char", Type::I8),
    ("signed char", Type::I8),
    ("uchar", Type::U8),
    ("unsigned char", Type::U8),
    ("bool", Type::U8),
    ("short", Type::I16),
    ("ushort", Type::U16),
    ("unsigned short", Type::U16),
    ("half", Type::F16),
    ("_Float16", Type::F16),
    ("__half", Type::F16),
    ("__fp16", Type::F16),
    ("int8_t", Type::I8),
    ("uint8_t", Type::U8),
    ("int16_t", Type::I16),
    ("uint16_t", Type::U16),
    ("int32_t", Type::I32),
    ("uint32_t", Type::U32),
    ("int64_t", Type::I64),
    ("uint64_t", Type::U64),
    ("int", Type::I32),
    ("uint", Type::U32),
    ("unsigned int", Type::U32),
    ("unsigned", Type::U32),
    ("float", Type::F32),
    ("long", Type::I64),
    ("long long", Type::I64),
    ("ptrdiff_t", Type::I64),
    ("intptr_t", Type::I64),
    ("ulong", Type::U64),
    ("unsigned long", Type::U64),
    ("unsigned long long", Type::U64),
    ("size_t", Type::U64),
    ("uintptr_t", Type::U64),
    ("double", Type::F64),
];

/// Qualifiers to ignore in type names, since they do not affect the element type.
const QUALIFIERS: &[&str] = &[
    "const",
    "volatile",
    "restrict",
    "__restrict",
    "__restrict__",
    "__global",
    "global",
    "__constant",
];

/// Prefix of vector type names in HIP's headers. The element type and number of lanes follow.
const HIP_VECTOR: &str = "HIP_vector_type<";

fn by_name(name: &str) -> Option<Type> {
    let row = SOURCE_TYPES.iter().find(|row| row.0 == name);
    row.map(|row| row.1)
}

/// Returns the element type and number of lanes of a vector type.
fn vector(base: &str, lanes: &str) -> Option<(Type, usize)> {
    let lanes = lanes.parse().ok().filter(|n| (1..=16).contains(n))?;
    Some((by_name(base.trim())?, lanes))
}

impl Type {
    /// Returns the element type and number of lanes of a type in OpenCL C, C++ or HIP, such as `float`, `uint4` (4 lanes)
    /// or `__global float *`; for a pointer, those of the pointee. Returns `None` for other types, such as structures.
    ///
    /// # Examples
    /// ```
    /// use gcn_args::value::Type;
    /// assert_eq!(Type::of_source("HIP_vector_type<float, 4u>*"), Some((Type::F32, 4)));
    /// assert_eq!(Type::of_source("struct pair"), None);
    /// ```
    pub fn of_source(name: &str) -> Option<(Type, usize)> {
        // The elements of a buffer of pointers have no numeric type.
        if name.matches('*').count() > 1 {
            return None;
        }
        let spaced = name.replace(['*', '&'], " ");
        let words: Vec<&str> = spaced
            .split_whitespace()
            .filter(|word| !QUALIFIERS.contains(word))
            .collect();
        let words = words.join(" ");
        if let Some(inner) = words.strip_prefix(HIP_VECTOR) {
            let (base, lanes) = inner.split_once('>')?.0.split_once(',')?;
            // Demanglers write `4u` or `(unsigned int)4`.
            let (_, lanes) = lanes.rsplit_once(')').unwrap_or(("", lanes));
            return vector(base, lanes.trim().trim_end_matches('u'));
        }
        let base = words.trim_end_matches(|c: char| c.is_ascii_digit());
        match by_name(&words) {
            Some(ty) => Some((ty, 1)),
            None => vector(base, words.get(base.len()..)?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_types_are_understood() {
        for (name, expected) in [
            ("float*", Some((Type::F32, 1))),
            ("uint", Some((Type::U32, 1))),
            ("float4*", Some((Type::F32, 4))),
            ("uchar3", Some((Type::U8, 3))),
            ("const unsigned long *", Some((Type::U64, 1))),
            ("const float *__restrict__", Some((Type::F32, 1))),
            ("const HIP_vector_type<float, 4u> *", Some((Type::F32, 4))),
            ("float (*)(int)", None),
            ("float *const *", None),
            ("struct pair", None),
            ("float77", None),
        ] {
            assert_eq!(Type::of_source(name), expected, "{name}");
        }
    }
}
