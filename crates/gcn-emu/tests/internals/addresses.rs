//! Tests of properties of an access's addresses.

use gcn_emu::internals::{Strides, ordered_up_to};

#[test]
fn masks_that_take_low_bits_alone_keep_the_order() {
    for (mask, expected) in [
        (u32::MAX, Some(u32::MAX)),
        (!3, Some(u32::MAX)),
        (!7, Some(u32::MAX)),
        (0xffff, Some(0xffff)),
        (0xfffc, Some(0xffff)),
        (0xfff0_ffff, None),
        (0xff0c, None),
    ] {
        assert_eq!(ordered_up_to(mask), expected, "{mask:#x}");
    }
}

#[test]
fn a_load_is_expected_where_it_will_be_after_two_equal_strides() {
    let mut strides = Strides::default();
    let visits = [0x1000, 0x1040, 0x1080, 0x10c0, 0x4000, 0x4040];
    let next = visits.map(|address| strides.next(3, address));
    assert_eq!(next, [None, None, Some(0x40), Some(0x40), None, None]);
    assert_eq!(strides.next(4, 0x10), None, "another load");
    assert_eq!(strides.next(3, 0x4000), None, "back");
    assert_eq!(strides.next(3, 0x3fc0), Some(0x40_u64.wrapping_neg()));
    assert_eq!(strides.next(3, 0x3fc0), None, "nowhere else");
}
