//! Element formats of typed buffers and images.
//!
//! Sources: AMD's Southern Islands, Sea Islands, GCN3 and Vega manuals, section "Vector Memory Buffer Instructions";
//! Mesa's drivers for the bit positions of components; errata E200–E203.

use gcn_isa::Isa;
use gcn_isa::image::{COMPONENT_WIDTHS, ImageDescriptor, number_format};

/// Maximum number of components of an element.
pub const COMPONENTS: usize = 4;

/// Format of an element of a typed buffer or image.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ElementFormat {
    /// Width of each component in bits, lowest component first; 0 for missing components.
    pub(crate) widths: [u8; COMPONENTS],
    pub(crate) numbers: Numbers,
    /// Source of each register component.
    pub(crate) select: [ComponentSelect; COMPONENTS],
}

/// Number format of a component.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Numbers {
    /// Unsigned normalized, 0 to 1.
    Unorm,
    /// Signed normalized, −1 to 1. The two lowest values are both −1.
    Snorm,
    /// Signed normalized, −1 to 1 without a zero.
    SnormOgl,
    /// Unsigned integer converted to floating point.
    Uscaled,
    /// Signed integer converted to floating point.
    Sscaled,
    /// Unsigned integer.
    #[default]
    Uint,
    /// Signed integer.
    Sint,
    /// Floating point. 10-bit and 11-bit formats have no sign.
    Float,
}

/// Source of a register component: a constant, or a component of the element.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum ComponentSelect {
    #[default]
    Zero,
    One,
    Component(u8),
}

// Fields of a descriptor's fourth dword.
const SELECT_BITS: u32 = 3;
const NUMBERS_SHIFT: u32 = 12;
const NUMBERS: u32 = 7;
const DATA_SHIFT: u32 = 15;
const DATA: u32 = 0xf;
/// Number format of sRGB, which only images use.
const SRGB: u32 = number_format::IMG_NUM_FORMAT_SRGB as u32;

impl ElementFormat {
    /// Creates a format from a data format and a number format, without component selection (MTBUF).
    pub fn new(isa: Isa, data: u32, numbers: u32) -> ElementFormat {
        let select = [0, 1, 2, 3].map(ComponentSelect::Component);
        ElementFormat {
            widths: COMPONENT_WIDTHS[(data & DATA) as usize],
            numbers: Numbers::numbered(isa, numbers & NUMBERS),
            select,
        }
    }

    /// Decodes the fourth dword of a descriptor (MUBUF).
    pub fn of_descriptor(isa: Isa, last: u32) -> ElementFormat {
        ElementFormat {
            select: std::array::from_fn(|n| {
                ComponentSelect::numbered(last >> (SELECT_BITS * n as u32))
            }),
            ..ElementFormat::new(isa, last >> DATA_SHIFT, last >> NUMBERS_SHIFT)
        }
    }

    /// Returns the format of an image's texels. sRGB values are decoded as normalized values, before the transfer
    /// function is applied.
    pub fn of_image(isa: Isa, image: &ImageDescriptor) -> ElementFormat {
        let numbers = match u32::from(image.number_format) {
            SRGB => Numbers::Unorm,
            numbers => Numbers::numbered(isa, numbers),
        };
        let widths = COMPONENT_WIDTHS.get(usize::from(image.data_format));
        ElementFormat {
            widths: widths.copied().unwrap_or_default(),
            numbers,
            select: image
                .select
                .map(|select| ComponentSelect::numbered(select as u32)),
        }
    }

    /// Returns the size of an element in bytes, or 0 for an invalid format.
    pub fn bytes(&self) -> u8 {
        self.widths.iter().sum::<u8>() / 8
    }
}

impl ComponentSelect {
    fn numbered(number: u32) -> ComponentSelect {
        match number & ((1 << SELECT_BITS) - 1) {
            1 => ComponentSelect::One,
            n @ 4..=7 => ComponentSelect::Component(n as u8 - 4),
            _ => ComponentSelect::Zero,
        }
    }
}

impl Numbers {
    fn numbered(isa: Isa, number: u32) -> Numbers {
        match number {
            0 => Numbers::Unorm,
            1 => Numbers::Snorm,
            2 => Numbers::Uscaled,
            3 => Numbers::Sscaled,
            5 => Numbers::Sint,
            6 if isa < Isa::Vi => Numbers::SnormOgl,
            7 => Numbers::Float,
            _ => Numbers::Uint,
        }
    }
}
