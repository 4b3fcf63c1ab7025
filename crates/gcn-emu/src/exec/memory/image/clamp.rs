//! Coordinates beyond an image: the texels that stand for them (errata E326).

use gcn_isa::image::Clamp;

/// A coordinate that a filter has clamped before it chooses texels. `size` is the number of texels.
pub(super) fn before(clamp: Clamp, coordinate: f64, size: f64) -> f64 {
    match clamp {
        Clamp::HalfBorder => coordinate.clamp(0.0, size),
        Clamp::MirrorOnceHalfBorder => coordinate.abs().min(size),
        Clamp::MirrorOnceLastTexel | Clamp::MirrorOnceBorder => coordinate.abs(),
        Clamp::Wrap | Clamp::Mirror | Clamp::LastTexel | Clamp::Border => coordinate,
    }
}

/// The texel of a row of `size` that stands for the one with this number; nothing for the border.
pub(super) fn texel(clamp: Clamp, number: i64, size: u32) -> Option<u32> {
    let count = i64::from(size);
    // Below zero is what is mirrored there.
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

/// True if the border may stand for a texel.
pub(super) const fn has_border(clamp: Clamp) -> bool {
    matches!(
        clamp,
        Clamp::HalfBorder | Clamp::MirrorOnceHalfBorder | Clamp::Border | Clamp::MirrorOnceBorder
    )
}
