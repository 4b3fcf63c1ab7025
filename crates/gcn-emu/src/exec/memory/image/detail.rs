//! Level of detail of samples (errata E327).

use gcn_isa::effect::{DetailSource, Sampling};
use gcn_isa::image::SamplerDescriptor;

use super::bound::BoundImage;
use crate::wave::Wave;

/// Steps per level of detail in descriptors, which have 8 fractional bits.
const STEPS: f64 = 256.0;
/// Lane number bits within a quad: left or right in bit 0, upper or lower in bit 1.
const RIGHT: usize = 1;
const BELOW: usize = 2;

/// Level of detail of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Detail {
    /// Value before clamping.
    pub(super) raw: f64,
    /// Value clamped to the bounds of sampler, image and instruction.
    pub(super) bounded: f64,
}

/// Computes the level of detail in a lane.
pub(super) fn of(
    wave: &Wave,
    bound: &BoundImage<'_>,
    sampler: &SamplerDescriptor,
    sampling: Sampling,
    lane: usize,
) -> Detail {
    let level = |part| bound.number(wave, part, lane);
    let sampler_bias = f64::from(sampler.lod_bias) / STEPS;
    let raw = match sampling.detail {
        DetailSource::Zero => 0.0,
        DetailSource::Given => level(bound.address.level),
        DetailSource::Gradients => {
            let [across, down] = bound
                .address
                .gradients
                .map(|gradients| gradients.map(|gradient| bound.number(wave, gradient, lane)));
            of_gradients(bound, is_unnormalized(bound, sampler), across, down) + sampler_bias
        }
        DetailSource::Lanes | DetailSource::Biased => {
            let difference = |far: usize| {
                bound.address.coordinates.map(|coordinate| {
                    let at = |lane| bound.number(wave, coordinate, lane);
                    at(lane | far) - at(lane & !far)
                })
            };
            let own_bias = bound.number(wave, bound.address.bias, lane);
            let is_unnormalized = is_unnormalized(bound, sampler);
            let raw = of_gradients(bound, is_unnormalized, difference(RIGHT), difference(BELOW));
            raw + sampler_bias + own_bias
        }
    };
    let image_bound = f64::from(bound.image.min_lod) / STEPS;
    let mut low = (f64::from(sampler.min_lod) / STEPS).max(image_bound);
    if sampling.clamps {
        low = low.max(level(bound.address.level));
    }
    let high = f64::from(sampler.max_lod) / STEPS;
    // A NaN becomes the lower bound.
    let bounded = if raw.is_nan() { low } else { raw.max(low) };
    Detail {
        raw,
        bounded: bounded.min(high),
    }
}

/// True if coordinates are in texels.
pub(super) fn is_unnormalized(bound: &BoundImage<'_>, sampler: &SamplerDescriptor) -> bool {
    bound.image_plan.unnormalized || sampler.unnormalized
}

/// Computes the base-2 logarithm of the length of the longer gradient, measured in texels of BASE_LEVEL.
fn of_gradients(
    bound: &BoundImage<'_>,
    is_unnormalized: bool,
    across: [f64; 3],
    down: [f64; 3],
) -> f64 {
    let sizes = if is_unnormalized {
        [1.0; 3]
    } else {
        bound.level(0).map_or([1.0; 3], |it| {
            [it.width, it.height, it.depth].map(f64::from)
        })
    };
    let dimensions = bound.kind.dimensions();
    let square = |gradient: [f64; 3]| {
        let parts = gradient.iter().zip(sizes).take(dimensions);
        parts.map(|(part, size)| (part * size).powi(2)).sum::<f64>()
    };
    0.5 * square(across).max(square(down)).log2()
}
