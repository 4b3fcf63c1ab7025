// Two waves meet at the dword at s[0:1] in each round. Then each stores 1 in its own array, loads what the other one has stored
// in its array, and keeps that. `own`, `other` and `result` are the arrays' offsets; v1 is 1, v2 is 0.
	s_movk_i32 s4, 8000
	v_mov_b32 v3, own
	v_mov_b32 v4, other
	v_mov_b32 v5, result
	v_mov_b32 v6, 2
round:
	global_atomic_add v2, v1, s[0:1]
meet:
	global_load_dword v7, v2, s[0:1] glc
	s_waitcnt vmcnt(0)
	v_cmp_gt_u32 vcc, v6, v7
	s_cbranch_vccnz meet
	global_store_dword v3, v1, s[0:1]
	s_waitcnt vmcnt(0)
	global_load_dword v7, v4, s[0:1] glc
	s_waitcnt vmcnt(0)
	global_store_dword v5, v7, s[0:1]
	v_add_u32 v3, 4, v3
	v_add_u32 v4, 4, v4
	v_add_u32 v5, 4, v5
	v_add_u32 v6, 2, v6
	s_sub_u32 s4, s4, 1
	s_cmp_lg_u32 s4, 0
	s_cbranch_scc1 round
