//! Address registers of image instructions: location of each address component.
//!
//! Sources: AMD's manuals, the table of address registers in the section "Vector Memory Image Instructions"; 16-bit
//! components as packed by LLVM (`packImage16bitOpsToDwords`); errata E323.

use super::ImageKind;
use crate::effect::{DetailSource, Does, Half, ImageLevel, ImageOp, Sampling};

/// Maximum number of dimensions.
const DIMENSIONS: usize = 3;

/// Location of an address component: a register relative to the first one, or half of it.
///
/// # Examples
/// ```
/// use gcn_isa::effect::Half;
/// use gcn_isa::image::{AddressLayout, AddressPart, ImageKind};
/// use gcn_isa::{Op, mimg::Mimg};
/// // With A16 both coordinates of `image_load` are in one register.
/// let load = AddressLayout::of(Op::Mimg(Mimg::LOAD).row().does, ImageKind::D2, false, true);
/// assert_eq!(load.coordinates[1], Some(AddressPart { register: 0, half: Some(Half::High) }));
/// assert_eq!(load.registers, 1);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AddressPart {
    /// Index of the register, from 0.
    pub register: u8,
    /// Half of the register, for a 16-bit component.
    pub half: Option<Half>,
}

/// Locations of the components of an address.
///
/// # Examples
/// ```
/// use gcn_isa::image::{AddressLayout, ImageKind};
/// use gcn_isa::{Op, mimg::Mimg};
/// let does = Op::Mimg(Mimg::SAMPLE_C_B).row().does;
/// let of_plane = AddressLayout::of(does, ImageKind::D2, false, false);
/// let parts = [of_plane.bias, of_plane.reference, of_plane.coordinates[0], of_plane.coordinates[1]];
/// assert!(parts.iter().flatten().map(|part| part.register).eq(0..4));
/// let (fewest, most) = (AddressLayout::fewest(does, false, false), AddressLayout::most(does, false, false));
/// assert_eq!((fewest, of_plane.registers, most), (3, 4, 5), "for one, two and three dimensions");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct AddressLayout {
    /// Texel offsets: six bits in the byte of each dimension.
    pub offsets: Option<AddressPart>,
    /// Bias added to the level of detail.
    pub bias: Option<AddressPart>,
    /// Reference value for comparisons.
    pub reference: Option<AddressPart>,
    /// Gradients in the two directions, by dimension.
    pub gradients: [[Option<AddressPart>; DIMENSIONS]; 2],
    /// Coordinates by dimension.
    pub coordinates: [Option<AddressPart>; DIMENSIONS],
    /// Layer, or face of a cube.
    pub layer: Option<AddressPart>,
    /// Mip level, level of detail or minimum level of detail.
    pub level: Option<AddressPart>,
    /// Total number of registers.
    pub registers: u8,
}

/// Address components that an instruction has.
#[derive(Clone, Copy, Default)]
struct AddressParts {
    offsets: bool,
    bias: bool,
    reference: bool,
    gradients: bool,
    coordinates: bool,
    level: bool,
}

impl AddressParts {
    /// Address components of instructions with this effect; `None` for effects that no image instruction has.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "image instructions have no other effects"
    )]
    fn of(does: Does) -> Option<AddressParts> {
        let at = AddressParts {
            coordinates: true,
            ..AddressParts::default()
        };
        let of_sampling = |it: Sampling| AddressParts {
            offsets: it.offsets,
            bias: it.detail == DetailSource::Biased,
            reference: it.compares,
            gradients: it.detail == DetailSource::Gradients,
            coordinates: true,
            level: it.clamps || it.detail == DetailSource::Given,
        };
        Some(match does {
            Does::Image(ImageOp::Load(_, level) | ImageOp::Store(_, level)) => AddressParts {
                level: level == ImageLevel::Given,
                ..at
            },
            Does::Image(ImageOp::Sample(it) | ImageOp::Gather(it)) => of_sampling(it),
            Does::Image(ImageOp::Size) => AddressParts {
                level: true,
                ..AddressParts::default()
            },
            Does::Image(ImageOp::GatherRow | ImageOp::LevelOfDetail) | Does::Atomic(..) => at,
            _ => return None,
        })
    }
}

/// Allocates consecutive registers to components.
#[derive(Default)]
struct Placer {
    /// Next register.
    next: u8,
    /// True if the upper half of the previous register is free.
    has_half: bool,
}

impl Placer {
    fn whole(&mut self) -> AddressPart {
        self.has_half = false;
        self.next += 1;
        AddressPart {
            register: self.next - 1,
            half: None,
        }
    }

    /// Allocates a 16-bit component in the free half, or in the next register.
    fn half(&mut self) -> AddressPart {
        if std::mem::take(&mut self.has_half) {
            return AddressPart {
                register: self.next - 1,
                half: Some(Half::High),
            };
        }
        self.next += 1;
        self.has_half = true;
        AddressPart {
            register: self.next - 1,
            half: Some(Half::Low),
        }
    }

    fn part(&mut self, is_half: bool) -> AddressPart {
        if is_half { self.half() } else { self.whole() }
    }

    /// Makes the next component start a new register.
    fn align(&mut self) {
        self.has_half = false;
    }
}

impl AddressLayout {
    /// Address layout for an image of `dimensions` dimensions; `has_layer` is DA, and `is_short` is A16. Empty for
    /// effects that no image instruction has.
    pub fn new(does: Does, dimensions: usize, has_layer: bool, is_short: bool) -> AddressLayout {
        let Some(parts) = AddressParts::of(does) else {
            return AddressLayout::default();
        };
        let dimensions = dimensions.min(DIMENSIONS);
        let mut placer = Placer::default();
        let mut layout = AddressLayout {
            offsets: parts.offsets.then(|| placer.whole()),
            bias: parts.bias.then(|| placer.part(is_short)),
            ..AddressLayout::default()
        };
        placer.align();
        layout.reference = parts.reference.then(|| placer.whole());
        if parts.gradients {
            for direction in &mut layout.gradients {
                placer.align();
                for gradient in &mut direction[..dimensions] {
                    *gradient = Some(placer.part(is_short));
                }
            }
        }
        placer.align();
        if parts.coordinates {
            for coordinate in &mut layout.coordinates[..dimensions] {
                *coordinate = Some(placer.part(is_short));
            }
            layout.layer = (has_layer && dimensions < DIMENSIONS).then(|| placer.part(is_short));
        }
        layout.level = parts.level.then(|| placer.part(is_short));
        layout.registers = placer.next;
        layout
    }

    /// Number of registers for a one-dimensional image, the minimum over all image kinds.
    pub fn fewest(does: Does, has_layer: bool, is_short: bool) -> u8 {
        AddressLayout::new(does, 1, has_layer, is_short).registers
    }

    /// Maximum number of registers over all image kinds.
    pub fn most(does: Does, has_layer: bool, is_short: bool) -> u8 {
        let of = |dimensions| AddressLayout::new(does, dimensions, has_layer, is_short).registers;
        of(2).max(of(DIMENSIONS))
    }

    /// Address layout for an image of this kind.
    pub fn of(does: Does, kind: ImageKind, has_layer: bool, is_short: bool) -> AddressLayout {
        AddressLayout::new(does, kind.dimensions(), has_layer, is_short)
    }
}
