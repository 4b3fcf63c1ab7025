//! Tests of events for sequences of executed instructions.

use gcn_emu::observe::Events;

use super::Watching;
use super::common::GFX9;

#[test]
fn sequences_cover_all_executed_instructions() {
    let texts = [
        "s_mov_b32 s4, 3\nloop:\n v_add_u32 v1, v1, v0\n s_barrier\n s_sub_u32 s4, s4, 1\n v_mov_b32 v2, v1\n \
         s_cmp_eq_u32 s4, 0\n s_cbranch_scc0 loop\n s_nop 1\n s_sleep 1\n v_mov_b32 v3, v2\n s_endpgm",
        // The last instruction faults.
        "v_mov_b32 v1, 0\n v_mov_b32 v2, 0\n s_nop 0\n global_load_dword v3, v[1:2], off\n s_nop 1\n s_endpgm",
        "v_mov_b32 v1, 0\n s_trap 4\n s_endpgm",
    ];
    for text in texts {
        let of = |wants| {
            let mut names = Watching::names(GFX9, text, 128, wants, &[]);
            names.sort_by_key(|(wave, _)| *wave);
            names
        };
        let issued = of(Events::ISSUE);
        assert!(issued.len() >= 2, "{issued:?}");
        assert_eq!(of(Events::SEQUENCE), issued);
    }
}
