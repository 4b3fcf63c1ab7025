//! Samples and gathers: selection of texels by coordinates, and filtering (errata E326, E327, E331).

use gcn_isa::effect::{DetailSource, ImageOp, Sampling};
use gcn_isa::image::{
    BorderColor, Clamp, ImageKind, MipFilter, Reduction, SamplerDescriptor, TexelFilter,
};
use gcn_isa::{Does, Isa};

use super::bound::BoundImage;
use super::clamp;
use super::detail::{self, Detail};
use super::texel::Values;
use crate::fault::ImageProblem;
use crate::step::COMPONENTS;
use crate::wave::Wave;

/// Maximum number of texels per sample or gather: eight in each of two levels.
pub const MAX_TEXELS: usize = 16;

/// Number of steps of a filter weight between 0 and 1.
const STEPS: f64 = 256.0;
/// Bound on the magnitude of coordinates, beyond every image. Larger ones are clamped to it.
const FARTHEST: f64 = (1u64 << 32) as f64;
/// Component orders of a border color, indexed by BC_SWIZZLE.
const BORDER_SWIZZLES: [[usize; COMPONENTS]; 6] = [
    [0, 1, 2, 3],
    [0, 3, 1, 2],
    [3, 2, 1, 0],
    [3, 0, 1, 2],
    [2, 1, 0, 3],
    [1, 0, 3, 2],
];
/// Number of cube faces, and the coordinate distance between the first faces of two consecutive cubes.
const FACES: u32 = 6;
const FACE_DISTANCE: u32 = 8;

/// Texel with its weight in the result.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WeightedTexel {
    /// Address; `None` for the border.
    pub(super) address: Option<u64>,
    /// Weight in the result.
    pub(super) weight: f64,
}

/// Texels that a lane accesses.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Footprint {
    texels: [WeightedTexel; MAX_TEXELS],
    count: usize,
    /// True for a single texel, whose bits the result preserves.
    pub(super) is_point: bool,
}

impl Footprint {
    /// Returns the texels in the order of access.
    pub(super) fn texels(&self) -> &[WeightedTexel] {
        &self.texels[..self.count]
    }

    fn push(&mut self, texel: WeightedTexel) {
        if let Some(place) = self.texels.get_mut(self.count) {
            *place = texel;
            self.count += 1;
        }
    }
}

/// Sample or gather instruction with its sampler.
pub(super) struct BoundSampler<'a> {
    bound: &'a BoundImage<'a>,
    pub(super) sampling: Sampling,
    pub(super) descriptor: SamplerDescriptor,
    is_gather: bool,
}

/// Texels that a filter selects in one dimension: the first and, for a linear filter, the weight of the second.
struct TexelSpan {
    first: i64,
    second: Option<f64>,
}

impl<'a> BoundSampler<'a> {
    /// Decodes the sampler descriptor.
    pub(super) fn new(
        wave: &Wave,
        bound: &'a BoundImage<'a>,
        sampling: Sampling,
    ) -> Result<BoundSampler<'a>, ImageProblem> {
        let words = wave.scalars_from(bound.image_plan.sampler);
        let descriptor = SamplerDescriptor::from_words(words);
        let is_gather = matches!(bound.plan.does, Does::Image(ImageOp::Gather(_)));
        let filters = [descriptor.mag_filter, descriptor.min_filter];
        let is_linear = is_gather || filters.iter().any(|filter| filter.is_linear());
        if !is_gather && descriptor.reduction == Reduction::Reserved {
            return Err(ImageProblem::Reduction);
        }
        let is_anisotropic = filters.iter().any(|filter| {
            matches!(
                filter,
                TexelFilter::AnisotropicPoint | TexelFilter::AnisotropicLinear
            )
        });
        let has_direction = !matches!(sampling.detail, DetailSource::Given | DetailSource::Zero);
        if is_anisotropic && descriptor.max_aniso_ratio != 0 && has_direction && !is_gather {
            return Err(ImageProblem::Anisotropic);
        }
        let used = &descriptor.clamp[..bound.kind.dimensions()];
        let has_border = used.iter().any(|it| clamp::has_border(*it));
        let is_cube = bound.kind == ImageKind::Cube;
        if has_border && !is_cube && descriptor.border == BorderColor::Table {
            return Err(ImageProblem::BorderTable);
        }
        if is_cube && is_linear && !descriptor.no_cube_wrap {
            return Err(ImageProblem::CubeEdges);
        }
        Ok(BoundSampler {
            bound,
            sampling,
            descriptor,
            is_gather,
        })
    }

    /// Computes the level of detail in a lane.
    pub(super) fn detail(&self, wave: &Wave, lane: usize) -> Detail {
        detail::of(wave, self.bound, &self.descriptor, self.sampling, lane)
    }

    /// Finds the texels that a lane accesses. A gather's texels are in the order of its result.
    pub(super) fn footprint(&self, wave: &Wave, lane: usize) -> Footprint {
        let detail = self.detail(wave, lane).bounded;
        let last = f64::from(self.bound.last_level());
        let level = detail.clamp(0.0, last);
        let is_enlarged = detail <= 0.0;
        let filter = if is_enlarged {
            self.descriptor.mag_filter
        } else {
            self.descriptor.min_filter
        };
        let mut footprint = Footprint::default();
        if self.is_gather {
            let nearest = self.nearest_level(level);
            self.add_level(wave, lane, nearest, true, 1.0, &mut footprint);
            return footprint;
        }
        let is_linear = filter.is_linear() && !self.is_integer();
        if self.descriptor.mip_filter == MipFilter::Linear && !self.is_integer() {
            let steps = (level * STEPS).round_ties_even();
            let (whole, part) = ((steps / STEPS).floor(), steps % STEPS / STEPS);
            self.add_level(
                wave,
                lane,
                whole as u32,
                is_linear,
                1.0 - part,
                &mut footprint,
            );
            if part > 0.0 {
                self.add_level(
                    wave,
                    lane,
                    whole as u32 + 1,
                    is_linear,
                    part,
                    &mut footprint,
                );
            }
        } else {
            let nearest = self.nearest_level(level);
            self.add_level(wave, lane, nearest, is_linear, 1.0, &mut footprint);
        }
        footprint.is_point = footprint.count == 1;
        footprint
    }

    fn nearest_level(&self, level: f64) -> u32 {
        match self.descriptor.mip_filter {
            MipFilter::None => 0,
            MipFilter::Linear | MipFilter::Point | MipFilter::PointAdjusted => {
                (level + 0.5).floor() as u32
            }
        }
    }

    /// True for integer formats, which are not filtered.
    fn is_integer(&self) -> bool {
        self.bound.format.numbers.is_integer()
    }

    fn add_level(
        &self,
        wave: &Wave,
        lane: usize,
        level: u32,
        is_linear: bool,
        weight: f64,
        footprint: &mut Footprint,
    ) {
        let bound = self.bound;
        let level = level.min(bound.last_level());
        let sizes = bound
            .level(level)
            .map_or([1; 3], |it| [it.width, it.height, it.depth]);
        let offsets = bound.part(wave, bound.address.offsets, lane);
        let dimensions = bound.kind.dimensions();
        let span = |n: usize| {
            if n >= dimensions {
                return TexelSpan {
                    first: 0,
                    second: None,
                };
            }
            let coordinate = bound.number(wave, bound.address.coordinates[n], lane);
            let is_linear = is_linear && (n < 2 || self.filters_depth());
            self.span(n, coordinate, sizes[n], offset(offsets, n), is_linear)
        };
        let [x, y, z] = [0, 1, 2].map(span);
        let layer = self.layer(wave, lane);
        let texel = |numbers: [i64; 3]| {
            let mut place = [0; 3];
            for (n, place) in place.iter_mut().enumerate().take(dimensions) {
                *place = clamp::texel(self.clamp(n), numbers[n], sizes[n])?;
            }
            bound.at(level, place, layer)
        };
        if self.is_gather {
            // Counterclockwise, starting at the lower left.
            for (right, below) in [(0, 1), (1, 1), (1, 0), (0, 0)] {
                let below = if dimensions > 1 { below } else { 0 };
                let numbers = [x.first + right, y.first + below, z.first];
                footprint.push(WeightedTexel {
                    address: texel(numbers),
                    weight: 1.0,
                });
            }
            return;
        }
        for (far_z, weight_z) in z.texels() {
            for (far_y, weight_y) in y.texels() {
                for (far_x, weight_x) in x.texels() {
                    footprint.push(WeightedTexel {
                        address: texel([x.first + far_x, y.first + far_y, z.first + far_z]),
                        weight: weight * weight_x * weight_y * weight_z,
                    });
                }
            }
        }
    }

    /// True unless the sampler disables filtering in the third dimension.
    fn filters_depth(&self) -> bool {
        self.descriptor.z_filter != MipFilter::Point
    }

    /// Returns the clamp mode of a dimension. Cube faces always clamp to the edge, regardless of the sampler.
    fn clamp(&self, n: usize) -> Clamp {
        if self.bound.kind == ImageKind::Cube {
            Clamp::LastTexel
        } else {
            self.descriptor.clamp[n]
        }
    }

    fn span(
        &self,
        n: usize,
        coordinate: f64,
        size: u32,
        offset: i64,
        is_linear: bool,
    ) -> TexelSpan {
        let count = f64::from(size);
        let is_unnormalized = detail::is_unnormalized(self.bound, &self.descriptor);
        let coordinate = if self.bound.kind == ImageKind::Cube {
            // Coordinates on a face range from 1 to 2.
            (coordinate - 1.0) * count
        } else if is_unnormalized {
            coordinate
        } else {
            coordinate * count
        };
        let inside = if coordinate.is_nan() {
            0.0
        } else {
            coordinate.clamp(-FARTHEST, FARTHEST)
        };
        let coordinate = inside + offset as f64;
        let clamp = self.clamp(n);
        let coordinate = clamp::before(clamp, coordinate, count);
        // Before GCN 1.4, a gather of integers has no half-texel shift.
        let has_shift = !(self.is_gather && self.is_integer() && self.is_old());
        if is_linear && has_shift {
            let steps = ((coordinate - 0.5) * STEPS + 0.5).floor();
            let first = (steps / STEPS).floor();
            return TexelSpan {
                first: first as i64,
                second: Some(steps / STEPS - first),
            };
        }
        // Without TRUNC_COORD, a point filter rounds to the last fractional bit, like a linear filter.
        let has_fraction = is_linear || self.descriptor.truncates;
        let inside = if has_fraction {
            coordinate
        } else {
            (coordinate * STEPS + 0.5).floor() / STEPS
        };
        let mut first = inside.floor() as i64;
        if !is_linear && matches!(clamp, Clamp::HalfBorder | Clamp::MirrorOnceHalfBorder) {
            // The nearest texel is never the border.
            first = first.min(i64::from(size) - 1);
        }
        TexelSpan {
            first,
            second: None,
        }
    }

    fn is_old(&self) -> bool {
        self.bound.isa < Isa::Gfx9
    }

    /// Returns the layer or face closest to a lane's coordinate.
    fn layer(&self, wave: &Wave, lane: usize) -> u32 {
        let bound = self.bound;
        let coordinate = bound.number(wave, bound.address.layer, lane);
        let nearest = coordinate.round_ties_even() as u32;
        let layer = if bound.kind == ImageKind::Cube {
            nearest / FACE_DISTANCE * FACES + (nearest % FACE_DISTANCE).min(FACES - 1)
        } else {
            nearest
        };
        layer.min(bound.layers().saturating_sub(1))
    }

    /// Returns the component values of the border.
    pub(super) fn border(&self) -> Values {
        let color: [f64; COMPONENTS] = match self.descriptor.border {
            BorderColor::TransparentBlack | BorderColor::Table => [0.0; COMPONENTS],
            BorderColor::OpaqueBlack => [0.0, 0.0, 0.0, 1.0],
            BorderColor::OpaqueWhite => [1.0; COMPONENTS],
        };
        let swizzle = BORDER_SWIZZLES.get(usize::from(self.bound.image.border_swizzle));
        let swizzle = swizzle.unwrap_or(&BORDER_SWIZZLES[0]);
        let has = self.bound.present();
        std::array::from_fn(|n| has[n].then(|| color[swizzle[n]]))
    }

    /// Combines texel values and weights according to the sampler's reduction mode.
    pub(super) fn filtered(&self, texels: &[(Values, f64)]) -> Values {
        let mut filtered = [None; COMPONENTS];
        for (n, filtered) in filtered.iter_mut().enumerate() {
            let values = || {
                let present = texels.iter().filter(|(_, weight)| *weight > 0.0);
                present.filter_map(move |(values, weight)| Some((values[n]?, *weight)))
            };
            *filtered = match self.descriptor.reduction {
                Reduction::Blend | Reduction::Reserved => {
                    let sum = values().map(|(value, weight)| value * weight).sum();
                    values().next().map(|_| sum)
                }
                Reduction::Minimum => values().map(|(value, _)| value).reduce(f64::min),
                Reduction::Maximum => values().map(|(value, _)| value).reduce(f64::max),
            };
        }
        filtered
    }

    /// Compares the reference with a texel. The first component of the result is 0 or 1.
    pub(super) fn compared(&self, reference: f64, values: Values) -> Values {
        let Some(value) = values[0] else {
            return values;
        };
        let is_true = match self.descriptor.compare {
            0 => false,
            1 => reference < value,
            2 => reference == value,
            3 => reference <= value,
            4 => reference > value,
            5 => reference != value,
            6 => reference >= value,
            _ => true,
        };
        [Some(f64::from(u8::from(is_true))), None, None, None]
    }

    /// Returns the reference value of a lane, clamped to 0..=1 for normalized texels.
    pub(super) fn reference(&self, wave: &Wave, lane: usize) -> f64 {
        let reference = self.bound.number(wave, self.bound.address.reference, lane);
        if self.bound.is_normalized() {
            reference.clamp(0.0, 1.0)
        } else {
            reference
        }
    }
}

impl TexelSpan {
    /// Returns the distances of the texels from the first, with their weights.
    fn texels(&self) -> impl Iterator<Item = (i64, f64)> + use<> {
        let second = self.second;
        let first = (0, 1.0 - second.unwrap_or(0.0));
        // Texels with weight zero are not accessed.
        let second = second
            .filter(|&weight| weight > 0.0)
            .map(|weight| (1, weight));
        [Some(first), second].into_iter().flatten()
    }
}

/// Extracts the texel offset in a dimension: a signed 6-bit field in each byte.
fn offset(offsets: u32, dimension: usize) -> i64 {
    const BITS: u32 = 6;
    let shifted = offsets >> (8 * dimension as u32);
    i64::from((shifted << (u32::BITS - BITS)) as i32 >> (u32::BITS - BITS))
}
