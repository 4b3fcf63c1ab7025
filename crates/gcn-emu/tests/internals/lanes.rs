//! Tests of the host's vectors against one lane at a time, at each level.

use gcn_emu::internals::{from_elements, narrowed, permuted, to_elements, widened};
use gcn_emu::run::Level;
use gcn_emu::wave::{LANES, Lanes};

use super::host_level::HostLevel;

/// Runs a test at every level that the host supports.
fn at_each_level(test: impl Fn(Level)) {
    let host = HostLevel::taken();
    for level in HostLevel::available() {
        host.set(level);
        test(level);
    }
}

#[test]
fn the_host_permutes_as_one_after_the_other_would() {
    let value = Lanes(std::array::from_fn(|lane| 7 * lane as u32));
    let from = Lanes(std::array::from_fn(|lane| {
        (lane as u32).wrapping_mul(0x9e37_79b9) >> 13
    }));
    let expected = from.0.map(|lane| value.0[lane as usize % LANES]);
    at_each_level(|level| {
        assert_eq!(permuted(&value, &from).0, expected, "{level}");
        assert_eq!(
            permuted(&value, &Lanes::splat(0x7f)),
            Lanes::splat(7 * 63),
            "{level}"
        );
    });
}

#[test]
fn the_host_moves_dwords_as_one_after_the_other_would() {
    let value = |register: usize, lane: usize| (1000 * register + lane) as u32;
    at_each_level(|level| {
        for count in 2..=4 {
            let registers: Vec<Lanes> = (0..count)
                .map(|register| Lanes(std::array::from_fn(|lane| value(register, lane))))
                .collect();
            let mut elements = vec![0; count * LANES];
            to_elements(&registers, &mut elements);
            let expected: Vec<u32> = (0..count * LANES)
                .map(|place| value(place % count, place / count))
                .collect();
            assert_eq!(elements, expected, "{level}");
            for exec in [u64::MAX, 0xffff_0001_8000_1234] {
                let mut loaded = vec![Lanes::ZERO; count];
                from_elements(&elements, exec, &mut loaded);
                for (number, register) in loaded.iter().enumerate() {
                    let expected = std::array::from_fn(|lane| {
                        let is_active = exec >> lane & 1 != 0;
                        if is_active { value(number, lane) } else { 0 }
                    });
                    assert_eq!(register.0, expected, "{level}, {exec:#x}");
                }
            }
        }
    });
}

#[test]
fn halves_are_widened_and_rounded_in_each_lane_as_the_library_has_it() {
    at_each_level(|level| {
        for first in (0..=u16::MAX).step_by(LANES) {
            let halves: [u16; LANES] = std::array::from_fn(|n| first + n as u16);
            let expected = halves.map(|half| half::f16::from_bits(half).to_f32().to_bits());
            let noise = 0xdead_0000;
            let low = widened(Lanes(halves.map(|half| u32::from(half) | noise)), 0);
            assert_eq!(low.0, expected, "{level}, {first:#x}");
            let high = widened(Lanes(halves.map(|half| u32::from(half) << 16 | 0xdead)), 16);
            assert_eq!(high.0, expected, "{level}, {first:#x}");
        }
        // Every sign and exponent with the top bits of a fraction, and values close to each.
        for first in (0..=u16::MAX).step_by(LANES) {
            for low in [0, 1, 0x7fff, 0x8000, 0x8001, 0xffff] {
                let singles: [u32; LANES] =
                    std::array::from_fn(|n| u32::from(first + n as u16) << 16 | low);
                let expected = singles
                    .map(|single| u32::from(half::f16::from_f32(f32::from_bits(single)).to_bits()));
                assert_eq!(
                    narrowed(Lanes(singles)).0,
                    expected,
                    "{level}, {first:#x} {low:#x}"
                );
            }
        }
    });
}
