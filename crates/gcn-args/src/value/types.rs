//! Numeric types.

use std::fmt;

/// Type of a scalar or of buffer elements. Variant names consist of the encoding and the size in bits.
///
/// # Examples
/// ```
/// use gcn_args::value::{NumberEncoding, Type};
/// assert_eq!((Type::F16.name(), Type::F16.size()), ("f16", 2));
/// let floats = Type::all().filter(|ty| ty.encoding() == NumberEncoding::Float);
/// assert!(floats.eq([Type::F16, Type::F32, Type::F64]));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Type {
    U8,
    I8,
    U16,
    I16,
    F16,
    U32,
    I32,
    F32,
    U64,
    I64,
    F64,
}

/// All types with their names, sizes in bytes and encodings.
const TYPES: [(Type, &str, usize, NumberEncoding); 11] = [
    (Type::U8, "u8", 1, NumberEncoding::Unsigned),
    (Type::I8, "i8", 1, NumberEncoding::Signed),
    (Type::U16, "u16", 2, NumberEncoding::Unsigned),
    (Type::I16, "i16", 2, NumberEncoding::Signed),
    (Type::F16, "f16", 2, NumberEncoding::Float),
    (Type::U32, "u32", 4, NumberEncoding::Unsigned),
    (Type::I32, "i32", 4, NumberEncoding::Signed),
    (Type::F32, "f32", 4, NumberEncoding::Float),
    (Type::U64, "u64", 8, NumberEncoding::Unsigned),
    (Type::I64, "i64", 8, NumberEncoding::Signed),
    (Type::F64, "f64", 8, NumberEncoding::Float),
];

/// Encoding of a numeric type.
///
/// # Examples
/// ```
/// use gcn_args::value::{NumberEncoding, Type};
/// assert_eq!(Type::F16.encoding(), NumberEncoding::Float);
/// assert_eq!((Type::I64.encoding(), Type::I64.size()), (NumberEncoding::Signed, 8));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NumberEncoding {
    /// Unsigned integer.
    Unsigned,
    /// Two's complement integer.
    Signed,
    /// IEEE floating point.
    Float,
}

impl Type {
    /// Returns the type named `name`, such as `f32`.
    ///
    /// # Examples
    /// ```
    /// use gcn_args::value::Type;
    /// assert_eq!(Type::named("u16"), Some(Type::U16));
    /// assert_eq!(Type::named("short"), None, "a name in source languages");
    /// ```
    pub fn named(name: &str) -> Option<Type> {
        TYPES.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// Returns all types, in order of size.
    ///
    /// # Examples
    /// ```
    /// use gcn_args::value::Type;
    /// let names: Vec<&str> = Type::all().filter(|ty| ty.size() == 2).map(Type::name).collect();
    /// assert_eq!(names, ["u16", "i16", "f16"]);
    /// ```
    pub fn all() -> impl Iterator<Item = Type> {
        TYPES.iter().map(|row| row.0)
    }

    /// Returns the number of lanes that a vector of `lanes` lanes occupies in memory. A 3-lane vector occupies 4.
    ///
    /// # Examples
    /// ```
    /// use gcn_args::value::Type;
    /// let (ty, lanes) = Type::of_source("float3").expect("a vector");
    /// assert_eq!(Type::padded_lanes(lanes) * ty.size(), 16);
    /// ```
    pub fn padded_lanes(lanes: usize) -> usize {
        if lanes == 3 { 4 } else { lanes }
    }

    /// Returns the name, such as `f32`.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// Returns the size in bytes.
    pub fn size(self) -> usize {
        self.row().2
    }

    /// Returns the encoding.
    pub fn encoding(self) -> NumberEncoding {
        self.row().3
    }

    fn row(self) -> &'static (Type, &'static str, usize, NumberEncoding) {
        &TYPES[self as usize]
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_in_the_order_of_the_table() {
        for (index, row) in TYPES.iter().enumerate() {
            assert_eq!(row.0 as usize, index);
            assert_eq!(Type::named(row.1), Some(row.0));
        }
    }
}
