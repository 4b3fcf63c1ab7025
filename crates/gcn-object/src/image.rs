//! Memory image of a code object: segments, and the relocations applied to them.

use thiserror::Error;

use crate::elf::{Binding, RelocationKind};
use crate::object::{CodeObject, Relocation, RelocationTarget, Segment, SymbolSection};

/// Initial memory contents of a code object.
///
/// # Examples
/// ```
/// let object = gcn_object::read(std::fs::read("tests/fixtures/scale-gfx803-v3.co")?)?;
/// let mut image = object.image()?;
/// let table = object.symbol("table").expect("a variable").value;
/// assert_eq!(image.get(table, 8), Some(&[1, 0, 0, 0, 2, 0, 0, 0][..]));
/// image.get_mut(table, 1).expect("the byte exists")[0] = 9;
/// assert_eq!(image.bytes[(table - image.base) as usize], 9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadImage {
    /// Address of the first byte in the object's address space.
    pub base: u64,
    /// Bytes from the start of the first segment to the end of the last one.
    pub bytes: Vec<u8>,
    /// Segments with their access rights, in ascending order of addresses. These are link addresses: after loading at
    /// `L`, a segment is at `address - base + L`.
    pub segments: Vec<Segment>,
}

/// Reason why a code object cannot be laid out in memory.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ImageError {
    /// The image would exceed its limit.
    #[error("the code object needs {size} bytes of memory; the limit is {limit}")]
    TooLarge {
        /// Size of the image, in bytes.
        size: u64,
        /// Maximum size, in bytes.
        limit: u64,
    },
    /// Two segments overlap.
    #[error("the segments at {first:#x} and {second:#x} overlap")]
    Overlap {
        /// Address of one segment.
        first: u64,
        /// Address of the other segment.
        second: u64,
    },
}

/// Reason why a relocation cannot be applied.
///
/// # Examples
/// ```
/// use gcn_object::{RelocationError, RelocationKind};
/// let error = RelocationError::Overflow { address: 0x1700, kind: RelocationKind::Abs32, value: 1 << 32 };
/// assert_eq!(error.to_string(), "0x100000000 does not fit the relocation of type Abs32 at 0x1700");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RelocationError {
    /// Unknown relocation type.
    #[error("unsupported type {number} of the relocation at {address:#x}")]
    Unknown {
        /// Address of the field.
        address: u64,
        /// Number of the relocation type.
        number: u32,
    },
    /// The relocation requires a linker, not a loader.
    #[error("the relocation at {address:#x} is of type {kind:?}, which a linker must resolve")]
    NeedsLinker {
        /// Address of the field.
        address: u64,
        /// Type of the relocation.
        kind: RelocationKind,
    },
    /// The symbol is undefined.
    #[error("undefined symbol {name} in the relocation at {address:#x}")]
    Undefined {
        /// Address of the field.
        address: u64,
        /// Name of the symbol.
        name: String,
    },
    /// The field is outside the image.
    #[error("the relocation at {address:#x} is outside the image")]
    Outside {
        /// Address of the field.
        address: u64,
    },
    /// The address does not fit in the field.
    #[error("{value:#x} does not fit the relocation of type {kind:?} at {address:#x}")]
    Overflow {
        /// Address of the field.
        address: u64,
        /// Type of the relocation.
        kind: RelocationKind,
        /// Value that was to be stored.
        value: u64,
    },
}

/// Maximum size of an image created by [`CodeObject::image`], in bytes.
pub const MAX_IMAGE_BYTES: u64 = 256 << 20;

impl LoadImage {
    /// Returns the `size` bytes at `address`, a link address; `None` if they are not in the image.
    pub fn get(&self, address: u64, size: u64) -> Option<&[u8]> {
        self.bytes.get(self.range(address, size)?)
    }

    /// Returns the `size` bytes at `address`, a link address, for modification; `None` if they are not in the image.
    pub fn get_mut(&mut self, address: u64, size: u64) -> Option<&mut [u8]> {
        let range = self.range(address, size)?;
        self.bytes.get_mut(range)
    }

    fn range(&self, address: u64, size: u64) -> Option<std::ops::Range<usize>> {
        let start = usize::try_from(address.checked_sub(self.base)?).ok()?;
        Some(start..start.checked_add(usize::try_from(size).ok()?)?)
    }
}

/// Resolver for external symbols, which returns a symbol's address by name.
///
/// # Examples
/// ```
/// use gcn_object::Externals;
/// let known: Externals<'_> = &|name| (name == "counter").then_some(0x1000);
/// assert_eq!((known("counter"), known("other")), (Some(0x1000), None));
/// ```
pub type Externals<'a> = &'a dyn Fn(&str) -> Option<u64>;

impl CodeObject<'_> {
    /// Creates the image without applying relocations. Its size is limited to [`MAX_IMAGE_BYTES`].
    ///
    /// # Errors
    /// Fails if the image is larger, or segments overlap.
    ///
    /// # Examples
    /// ```
    /// let object = gcn_object::read(std::fs::read("tests/fixtures/scale-gfx803-v3.co")?)?;
    /// let image = object.image()?;
    /// let kernel = &object.kernels[0];
    /// let code = image.segments.iter().find(|segment| segment.contains(kernel.entry_address));
    /// assert!(code.is_some_and(|segment| segment.execute && !segment.write));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn image(&self) -> Result<LoadImage, ImageError> {
        self.image_within(MAX_IMAGE_BYTES)
    }

    /// Creates the image without applying relocations. Its size is limited to `limit` bytes.
    ///
    /// # Errors
    /// Fails if the image is larger, or segments overlap.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::ImageError;
    /// let object = gcn_object::read(std::fs::read("tests/fixtures/scale-gfx803-v3.co")?)?;
    /// let size = object.image()?.bytes.len() as u64;
    /// assert_eq!(object.image_within(16), Err(ImageError::TooLarge { size, limit: 16 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn image_within(&self, limit: u64) -> Result<LoadImage, ImageError> {
        let mut segments: Vec<Segment> = self
            .segments
            .iter()
            .filter(|segment| segment.size != 0)
            .cloned()
            .collect();
        segments.sort_by_key(|segment| segment.address);
        let base = segments.first().map_or(0, |segment| segment.address);
        let mut end = base;
        let mut last = base;
        for segment in &segments {
            if segment.address < end {
                return Err(ImageError::Overlap {
                    first: last,
                    second: segment.address,
                });
            }
            last = segment.address;
            end = segment.address.saturating_add(segment.size);
        }
        let size = end - base;
        let too_large = ImageError::TooLarge { size, limit };
        if size > limit {
            return Err(too_large);
        }
        let mut image = LoadImage {
            base,
            bytes: vec![0; usize::try_from(size).map_err(|_| too_large)?],
            segments,
        };
        for segment in image.segments.clone() {
            let from = self.data.get(segment.file.clone()).unwrap_or_default();
            if let Some(to) = image.get_mut(segment.address, from.len() as u64) {
                to.copy_from_slice(from);
            }
        }
        Ok(image)
    }

    /// Applies the relocations for an image whose first byte is loaded at `load_address`.
    ///
    /// # Errors
    /// Lists all relocations that cannot be applied. The others are applied.
    ///
    /// # Examples
    /// ```
    /// let object = gcn_object::read(std::fs::read("tests/fixtures/scale-gfx803-v3.co")?)?;
    /// let mut image = object.image()?;
    /// assert_eq!(object.apply_relocations(&mut image, 0x10_0000), Ok(()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn apply_relocations(
        &self,
        image: &mut LoadImage,
        load_address: u64,
    ) -> Result<(), Vec<RelocationError>> {
        self.apply_relocations_with(image, load_address, &|_| None)
    }

    /// Applies the relocations for an image whose first byte is loaded at `load_address`. `externals` resolves symbols
    /// that the object does not define.
    ///
    /// # Errors
    /// Lists all relocations that cannot be applied. The others are applied.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::{Relocation, RelocationKind, RelocationTarget, SymbolSection};
    /// let mut object = gcn_object::read(std::fs::read("tests/fixtures/scale-gfx803-v3.co")?)?;
    /// // Pretend that another object defines the variable, and that an 8-byte field holds its address.
    /// let table = object.symbols.iter().position(|symbol| symbol.name == "table").expect("a variable");
    /// object.symbols[table].section = SymbolSection::Undefined;
    /// let (address, target) = (object.symbols[table].value, RelocationTarget::Symbol(table));
    /// object.relocations = vec![Relocation { address, kind: RelocationKind::Abs64, target, addend: 0 }];
    /// let mut image = object.image()?;
    /// let error = &object.apply_relocations(&mut image, 0).unwrap_err()[0];
    /// assert_eq!(error.to_string(), "undefined symbol table in the relocation at 0x600");
    /// let externals = |name: &str| (name == "table").then_some(0x5000);
    /// object.apply_relocations_with(&mut image, 0, &externals).expect("the symbol is defined");
    /// assert_eq!(image.get(address, 8), Some(&0x5000_u64.to_le_bytes()[..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn apply_relocations_with(
        &self,
        image: &mut LoadImage,
        load_address: u64,
        externals: Externals<'_>,
    ) -> Result<(), Vec<RelocationError>> {
        let mut errors = Vec::new();
        let moved = load_address.wrapping_sub(image.base);
        for relocation in &self.relocations {
            if let Err(error) = self.apply(relocation, image, moved, externals) {
                errors.push(error);
            }
        }
        if errors.is_empty() {
            Ok(())
        } else {
            Err(errors)
        }
    }

    /// Applies a relocation. `moved` is the load address minus the image's link address.
    fn apply(
        &self,
        relocation: &Relocation,
        image: &mut LoadImage,
        moved: u64,
        externals: Externals<'_>,
    ) -> Result<(), RelocationError> {
        let Relocation {
            address,
            kind,
            target,
            addend,
        } = *relocation;
        let width = match kind {
            RelocationKind::None => return Ok(()),
            RelocationKind::Other(number) => {
                return Err(RelocationError::Unknown { address, number });
            }
            _ if kind.without_got().is_some() => {
                return Err(RelocationError::NeedsLinker { address, kind });
            }
            _ => kind.width().unwrap_or(0),
        };
        let symbol = match target {
            _ if kind == RelocationKind::Relative64 => moved,
            RelocationTarget::Zero => 0,
            RelocationTarget::Address(address) => address.wrapping_add(moved),
            RelocationTarget::Symbol(index) => {
                self.symbol_value(index, address, moved, externals)?
            }
        };
        let mut value = symbol.wrapping_add_signed(addend);
        if kind.is_pc_relative() {
            value = value.wrapping_sub(address.wrapping_add(moved));
        }
        let field = image
            .get_mut(address, width)
            .ok_or(RelocationError::Outside { address })?;
        kind.store(value, field)
            .map_err(|_| RelocationError::Overflow {
                address,
                kind,
                value,
            })
    }

    fn symbol_value(
        &self,
        index: usize,
        address: u64,
        moved: u64,
        externals: Externals<'_>,
    ) -> Result<u64, RelocationError> {
        let undefined = |name: &str| RelocationError::Undefined {
            address,
            name: name.to_owned(),
        };
        let symbol = self.symbols.get(index).ok_or_else(|| undefined(""))?;
        match symbol.section {
            SymbolSection::Absolute => Ok(symbol.value),
            SymbolSection::Section(_) | SymbolSection::Common { .. } => {
                Ok(symbol.value.wrapping_add(moved))
            }
            SymbolSection::Undefined | SymbolSection::Other(_) => match externals(&symbol.name) {
                Some(value) => Ok(value),
                // Undefined weak symbols have the value zero in ELF.
                None if symbol.section == SymbolSection::Undefined
                    && symbol.binding == Binding::Weak =>
                {
                    Ok(0)
                }
                None => Err(undefined(&symbol.name)),
            },
        }
    }
}
