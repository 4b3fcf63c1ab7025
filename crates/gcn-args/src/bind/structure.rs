//! Arguments passed as bytes: arrays of numbers, and structures with C layout.

use gcn_object::MAX_KERNARG_BYTES;

use super::error::ArgumentError;
use crate::fill::Fill;
use crate::spec::Spec;
use crate::value::{Type, ValueError};

/// Size of a pointer in bytes.
pub(super) const POINTER: u64 = 8;

/// Bytes that may contain buffer addresses, which are resolved after the buffers are allocated.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
/// # let (device, kernel) = example::scale_kernel();
/// use gcn_args::bind::{self, Bound, GivenArgument, shared};
/// use gcn_runtime::data::Data;
/// let table = shared(&[GivenArgument::parse("table", "u32:1,2,3")], &Data::open).arguments;
/// let whole = GivenArgument::parse("arguments", "{table[2], u32:3}");
/// let bound = bind::segment(kernel.description(), &whole, &[], &table, &Data::open).arguments.remove(0).bound;
/// let Bound::Bytes(block) = bound else { panic!("a structure") };
/// let pointer = &block.pointers[0];
/// assert_eq!((pointer.at, pointer.name.as_str(), pointer.from), (0, "table", 2));
/// assert_eq!(block.bytes[8..], [3, 0, 0, 0, 0, 0, 0, 0], "padded");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Block {
    /// Bytes, with zeros in place of unresolved addresses.
    pub bytes: Vec<u8>,
    /// Addresses to resolve.
    pub pointers: Vec<Pointer>,
    /// Alignment in the argument segment, in bytes.
    pub align: u64,
}

/// Address of a buffer element within a [`Block`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pointer {
    /// Offset of the address in the block, in bytes.
    pub at: usize,
    /// Name of the buffer.
    pub name: String,
    /// Index of the element.
    pub from: u64,
}

/// Lays out a structure: members in order at their natural alignment, padded to the largest alignment.
///
/// # Errors
/// Fails if a member is invalid or the structure is too large.
pub(super) fn structure(members: &[Spec]) -> Result<Block, ArgumentError> {
    let mut whole = Block {
        align: 1,
        ..Block::default()
    };
    for spec in members {
        let member = member(spec)?;
        let begin = whole.bytes.len().next_multiple_of(member.align as usize);
        whole.bytes.resize(begin, 0);
        whole.bytes.extend(member.bytes);
        let moved = member.pointers.into_iter().map(|pointer| Pointer {
            at: pointer.at + begin,
            ..pointer
        });
        whole.pointers.extend(moved);
        whole.align = whole.align.max(member.align);
        if whole.bytes.len() as u64 > MAX_KERNARG_BYTES {
            return Err(ArgumentError::LongStructure);
        }
    }
    let end = whole.bytes.len().next_multiple_of(whole.align as usize);
    whole.bytes.resize(end, 0);
    Ok(whole)
}

/// Returns the bytes of a structure member.
fn member(spec: &Spec) -> Result<Block, ArgumentError> {
    let of = |ty: Type, bytes| Block {
        bytes,
        pointers: Vec::new(),
        align: ty.size() as u64,
    };
    let address = |pointers| Block {
        bytes: vec![0; POINTER as usize],
        pointers,
        align: POINTER,
    };
    Ok(match spec {
        Spec::Numbers {
            ty: Some(ty),
            texts,
            ..
        } => of(*ty, elements(*ty, texts)?),
        Spec::Filled {
            ty,
            count,
            fill: Fill::Undefined,
        } => return Err(ValueError::Member(format!("{ty}*{count}:undefined")).into()),
        Spec::Filled { ty, count, fill } => {
            if *count > MAX_KERNARG_BYTES {
                return Err(ArgumentError::LongStructure);
            }
            of(*ty, fill.bytes(*ty, 0..*count))
        }
        Spec::Null => address(Vec::new()),
        Spec::Same { name, from } => address(vec![Pointer {
            at: 0,
            name: name.clone(),
            from: *from,
        }]),
        Spec::Bytes(bytes) => Block {
            bytes: bytes.clone(),
            pointers: Vec::new(),
            align: 1,
        },
        Spec::Struct(members) => structure(members)?,
        Spec::Numbers {
            ty: None, texts, ..
        } => return Err(ValueError::Untyped(texts.concat()).into()),
        Spec::File { path, .. } => {
            return Err(ValueError::Member(format!("@{}", path.display())).into());
        }
        Spec::Local(bytes) => return Err(ValueError::Member(format!("local:{bytes}")).into()),
    })
}

/// Returns the bytes of an array of numbers.
///
/// # Errors
/// Fails if a number is invalid for the type.
pub(super) fn elements(ty: Type, texts: &[String]) -> Result<Vec<u8>, ValueError> {
    let mut bytes = Vec::with_capacity(texts.len() * ty.size());
    for text in texts {
        bytes.extend(ty.parse(text)?.to_bytes());
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_have_bits() {
        let read = |text| member(&Spec::parse(text).expect("a value"));
        assert_eq!(read("u16*2").expect("zeros").bytes, [0; 4]);
        let error = read("u16*2:undefined").expect_err("no bits");
        assert_eq!(
            error.to_string(),
            "`u16*2:undefined` cannot be a member of a structure"
        );
    }
}
