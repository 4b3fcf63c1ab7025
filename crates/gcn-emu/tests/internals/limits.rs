//! Tests of the number of workgroups that a compute unit can hold.

use gcn_emu::run::{Unfit, fits};

#[test]
fn a_compute_unit_holds_what_its_registers_and_its_lds_hold() {
    for (waves, vgprs, lds, expected) in [
        (1, 24, 0, Ok(40)),
        (1, 25, 0, Ok(36)),
        (1, 256, 0, Ok(4)),
        (16, 64, 0, Ok(1)),
        (4, 64, 20 << 10, Ok(3)),
        (1, 8, 64 << 10, Ok(1)),
    ] {
        assert_eq!(fits(waves, vgprs, lds), expected, "{waves} {vgprs} {lds}");
    }
    let unfit = fits(16, 65, 0).expect_err("12 waves fit");
    assert_eq!(
        unfit.to_string(),
        "a workgroup of 16 waves with 65 VGPRs each does not fit a compute unit, which holds 12 such waves"
    );
    assert_eq!(fits(1, 8, 65537), Err(Unfit::Lds(65537)));
}
