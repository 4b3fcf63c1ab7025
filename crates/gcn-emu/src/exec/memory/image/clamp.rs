//! Clamping and wrapping of coordinates outside an image (errata E326).

use gcn_isa::image::Clamp;

/// Clamps or mirrors a coordinate before a filter selects texels. `size` is the number of texels.
pub(super) fn before(clamp: Clamp, coordinate: f64, size: f64) -> f64 {
    match clamp {
        Clamp::HalfBorder => coordinate.clamp(0.0, size),
        Clamp::MirrorOnceHalfBorder => coordinate.abs().min(size),
        Clamp::MirrorOnceLastTexel | Clamp::MirrorOnceBorder => coordinate.abs(),
        Clamp::Wrap | Clamp::Mirror | Clamp::LastTexel | Clamp::Border => coordinate,
    }
}

/// Returns the index of the texel that replaces texel `number` in a row of `size` texels; `None` for the border.
pub(super) fn texel(clamp: Clamp, number: i64, size: u32) -> Option<u32> {
    let count = i64::from(size);
    // Negative numbers are mirrored.
    let mirrored = if number < 0 { -1 - number } else { number };
    let number = match clamp {
        Clamp::Wrap => number.rem_euclid(count),
        Clamp::Mirror => {
            let inside = number.rem_euclid(2 * count);
            inside.min(2 * count - 1 - inside)
        }
        Clamp::LastTexel => number.clamp(0, count - 1),
        Clamp::MirrorOnceLastTexel => mirrored.min(count - 1),
        Clamp::HalfBorder | Clamp::Border => number,
        Clamp::MirrorOnceHalfBorder | Clamp::MirrorOnceBorder => mirrored,
    };
    u32::try_from(number).ok().filter(|&number| number < size)
}

/// True if the border can replace a texel.
pub(super) const fn has_border(clamp: Clamp) -> bool {
    matches!(
        clamp,
        Clamp::HalfBorder | Clamp::MirrorOnceHalfBorder | Clamp::Border | Clamp::MirrorOnceBorder
    )
}
