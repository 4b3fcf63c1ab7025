//! Formats of elements of typed buffers and images.
//!
//! Source: AMD's Southern Islands, Sea Islands, GCN3 and Vega manuals, chapter "Vector Memory Buffer Instructions";
//! which bits are which component as Mesa's drivers use the formats; errata E200–E203.

use gcn_isa::Isa;
use gcn_isa::image::{COMPONENT_WIDTHS, ImageDescriptor, number_format};

/// Components of an element, at most.
pub const COMPONENTS: usize = 4;

/// The format of a buffer's elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ElementFormat {
    /// Bits of each component, the lowest first; 0 of those that there are not.
    pub(crate) widths: [u8; COMPONENTS],
    pub(crate) numbers: Numbers,
    /// Selection of each component of a register.
    pub(crate) select: [ComponentSelect; COMPONENTS],
}

/// Number format of a component.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Numbers {
    /// 0 to 1.
    Unorm,
    /// −1 to 1, the lowest value beside −1.
    Snorm,
    /// −1 to 1 without a zero.
    SnormOgl,
    /// An unsigned integer as floating point.
    Uscaled,
    /// A signed integer as floating point.
    Sscaled,
    /// An unsigned integer.
    #[default]
    Uint,
    /// A signed integer.
    Sint,
    /// Floating point; with 10 and 11 bits without sign.
    Float,
}

/// Source of a component of a register.
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
/// The number format of sRGB, which images alone have.
const SRGB: u32 = number_format::IMG_NUM_FORMAT_SRGB as u32;

impl ElementFormat {
    /// From a data format and a number format; components are where they are (MTBUF).
    pub fn new(isa: Isa, data: u32, numbers: u32) -> ElementFormat {
        let select = [0, 1, 2, 3].map(ComponentSelect::Component);
        ElementFormat {
            widths: COMPONENT_WIDTHS[(data & DATA) as usize],
            numbers: Numbers::numbered(isa, numbers & NUMBERS),
            select,
        }
    }

    /// From a descriptor's fourth dword (MUBUF).
    pub fn of_descriptor(isa: Isa, last: u32) -> ElementFormat {
        ElementFormat {
            select: std::array::from_fn(|n| {
                ComponentSelect::numbered(last >> (SELECT_BITS * n as u32))
            }),
            ..ElementFormat::new(isa, last >> DATA_SHIFT, last >> NUMBERS_SHIFT)
        }
    }

    /// The format of an image's texels. Numbers of sRGB are normalised ones, to which the transfer function comes.
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

    /// Bytes of an element; 0 where the format is none.
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
