//! Addresses near the ends of ranges, and at which sums overflow.

use arbitrary::Unstructured;
use gcn_emu::device::Apertures;

use super::frame::{IMAGE, LDS_BYTES, OFFSETS};

/// Distances from special addresses: an element, a row of lanes, a page.
const DISTANCES: [u64; 10] = [0, 1, 3, 4, 8, 16, 64, 256, 4096, 8192];

/// Random address near 0, 2^32, 2^47, 2^48, 2^63 or 2^64, or near the end of an aperture.
fn address(u: &mut Unstructured<'_>) -> arbitrary::Result<u64> {
    let Apertures { shared, private } = Apertures::default();
    let apertures = [shared, private].map(|it| u64::from(it) << 32);
    let special = [
        0,
        0,
        1 << 32,
        1 << 47,
        1 << 48,
        1 << 63,
        apertures[0],
        apertures[0] + u64::from(LDS_BYTES),
        apertures[1],
        apertures[1] + (1 << 32),
    ];
    let at = *u.choose(&special)?;
    let distance = *u.choose(&DISTANCES)?;
    Ok(match u.ratio(1, 4)? {
        true => at.wrapping_add(distance),
        false => at.wrapping_sub(distance),
    })
}

/// Statements that set these addresses in all address registers: s[0:1], descriptors and their offset, vector
/// registers, and M0.
pub(super) fn registers(u: &mut Unstructured<'_>) -> arbitrary::Result<String> {
    let mut text = String::new();
    let low = |address: u64| address as u32;
    let high = |address: u64| (address >> 32) as u32;
    let pointer = address(u)?;
    text += &format!(
        "s_mov_b32 s0, {:#x}\n s_mov_b32 s1, {:#x}\n",
        low(pointer),
        high(pointer)
    );
    for first in [4, 8] {
        let base = address(u)?;
        let stride = *u.choose(&[0, 0x8_0000, 0x3fff_0000])?;
        let records = low(address(u)?);
        text += &format!(
            "s_mov_b32 s{first}, {:#x}\n s_mov_b32 s{}, {:#x}\n s_mov_b32 s{}, {records:#x}\n",
            low(base),
            first + 1,
            high(base) & 0xffff | stride,
            first + 2
        );
    }
    let image = address(u)?;
    text += &format!("s_mov_b32 s{IMAGE}, {:#x}\n", low(image));
    for register in ["s12", "m0"] {
        text += &format!("s_mov_b32 {register}, {:#x}\n", low(address(u)?));
    }
    for first in [2, 4, 6, 8, 10, 12, 14, 16] {
        let base = address(u)?;
        text += &format!(
            "v_mov_b32 v{first}, {:#x}\n v_mov_b32 v{}, {:#x}\n",
            low(base),
            first + 1,
            high(base)
        );
        if u.ratio(3, 4)? {
            // A row of lanes, in ascending order if the base is a multiple of 256.
            text += &format!("v_xor_b32 v{first}, v{first}, v{OFFSETS}\n");
        }
    }
    Ok(text)
}
