//! Image samplers.

use gcn_isa::image::{Clamp, SamplerDescriptor, TexelFilter};

pub use gcn_isa::image::SAMPLER_DWORDS;

/// Addressing mode for coordinates outside the image.
///
/// # Examples
/// ```
/// use gcn_runtime::image::Addressing;
/// assert_ne!(Addressing::Edge, Addressing::Border);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Addressing {
    /// Clamps to the edge texel.
    Edge,
    /// Returns the border colour: 0 in each component, except alpha 1 for formats without alpha.
    Border,
    /// Repeats the image.
    Repeat,
    /// Repeats the image, mirroring every other copy.
    MirroredRepeat,
}

impl Addressing {
    const fn clamp(self) -> Clamp {
        match self {
            Addressing::Edge => Clamp::LastTexel,
            Addressing::Border => Clamp::Border,
            Addressing::Repeat => Clamp::Wrap,
            Addressing::MirroredRepeat => Clamp::Mirror,
        }
    }
}

/// Filter applied to sampled texels.
///
/// # Examples
/// ```
/// use gcn_runtime::image::Filter;
/// assert_ne!(Filter::Nearest, Filter::Linear);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Filter {
    /// Nearest texel.
    Nearest,
    /// Linear interpolation between neighbouring texels.
    Linear,
}

/// Sampler state.
///
/// # Examples
/// ```
/// use gcn_runtime::image::{Addressing, Filter, Sampler};
/// let sampler = Sampler {
///     is_normalized: true,
///     addressing: [Addressing::MirroredRepeat; 3],
///     filter: Filter::Linear,
/// };
/// assert_eq!(sampler.words(), [0x1000_0049, 0x00ff_f000, 0x0050_0000, 0]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sampler {
    /// True if coordinates are normalized to the range 0 to 1.
    pub is_normalized: bool,
    /// Addressing mode of each dimension.
    pub addressing: [Addressing; 3],
    /// Filter mode.
    pub filter: Filter,
}

impl Sampler {
    /// Returns the descriptor words. They are the same on all generations, and equal those that the device library
    /// builds for samplers in source code (`opencl/src/image/isamp.cl`).
    pub fn words(self) -> [u32; SAMPLER_DWORDS] {
        let filter = match self.filter {
            Filter::Nearest => TexelFilter::Point,
            Filter::Linear => TexelFilter::Linear,
        };
        let descriptor = SamplerDescriptor {
            clamp: self.addressing.map(Addressing::clamp),
            unnormalized: !self.is_normalized,
            no_cube_wrap: true,
            mag_filter: filter,
            min_filter: filter,
            ..SamplerDescriptor::default()
        };
        descriptor.words()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_are_those_of_the_device_library() {
        let words = |is_normalized, addressing, filter| {
            let sampler = Sampler {
                is_normalized,
                addressing: [addressing; 3],
                filter,
            };
            sampler.words()
        };
        let clamp = words(true, Addressing::Border, Filter::Nearest);
        assert_eq!(clamp, [0x1000_01b6, 0x00ff_f000, 0, 0]);
        let edge = words(false, Addressing::Edge, Filter::Linear);
        assert_eq!(edge, [0x1000_8092, 0x00ff_f000, 0x0050_0000, 0]);
    }
}
