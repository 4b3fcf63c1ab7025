// Compression function of SHA-256 on one 64-byte block per work-item.
// s[0:1]: digests, s[2:3]: blocks, s4: workgroup ID, v0: work-item ID.
// Then v[0:15] hold the message schedule, v[16:23] the working variables a to h.
    s_lshl_b32 s4, s4, 6
    v_add_u32 v30, s4, v0
    v_lshlrev_b32 v31, 6, v30
    v_lshlrev_b32 v30, 5, v30
    global_load_dwordx4 v[0:3], v31, s[2:3]
    global_load_dwordx4 v[4:7], v31, s[2:3] offset:16
    global_load_dwordx4 v[8:11], v31, s[2:3] offset:32
    global_load_dwordx4 v[12:15], v31, s[2:3] offset:48
    v_mov_b32 v16, 0x6a09e667
    v_mov_b32 v17, 0xbb67ae85
    v_mov_b32 v18, 0x3c6ef372
    v_mov_b32 v19, 0xa54ff53a
    v_mov_b32 v20, 0x510e527f
    v_mov_b32 v21, 0x9b05688c
    v_mov_b32 v22, 0x1f83d9ab
    v_mov_b32 v23, 0x5be0cd19
    s_waitcnt vmcnt(0)
    // Computes the next word of the schedule, which replaces the word 16 positions earlier.
    .macro next word, after, ninth, fourteenth
    v_alignbit_b32 v24, v\after, v\after, 7
    v_alignbit_b32 v25, v\after, v\after, 18
    v_lshrrev_b32 v26, 3, v\after
    v_xor_b32 v24, v24, v25
    v_xor_b32 v24, v24, v26
    v_alignbit_b32 v25, v\fourteenth, v\fourteenth, 17
    v_alignbit_b32 v26, v\fourteenth, v\fourteenth, 19
    v_lshrrev_b32 v27, 10, v\fourteenth
    v_xor_b32 v25, v25, v26
    v_xor_b32 v25, v25, v27
    v_add3_u32 v\word, v\word, v24, v25
    v_add_u32 v\word, v\word, v\ninth
    .endm
    // Performs a round. The register of h then holds the new a.
    .macro round constant, word, a, b, c, d, e, f, g, h
    v_alignbit_b32 v24, v\e, v\e, 6
    v_alignbit_b32 v25, v\e, v\e, 11
    v_alignbit_b32 v26, v\e, v\e, 25
    v_xor_b32 v24, v24, v25
    v_xor_b32 v24, v24, v26
    v_bfi_b32 v25, v\e, v\f, v\g
    s_mov_b32 s5, \constant
    v_add3_u32 v24, v24, v25, v\h
    v_add3_u32 v24, v24, v\word, s5
    v_add_u32 v\d, v\d, v24
    v_alignbit_b32 v25, v\a, v\a, 2
    v_alignbit_b32 v26, v\a, v\a, 13
    v_alignbit_b32 v27, v\a, v\a, 22
    v_xor_b32 v25, v25, v26
    v_xor_b32 v25, v25, v27
    v_xor_b32 v26, v\a, v\c
    v_bfi_b32 v26, v26, v\b, v\a
    v_add3_u32 v\h, v24, v25, v26
    .endm
    round 0x428a2f98, 0, 16, 17, 18, 19, 20, 21, 22, 23
    round 0x71374491, 1, 23, 16, 17, 18, 19, 20, 21, 22
    round 0xb5c0fbcf, 2, 22, 23, 16, 17, 18, 19, 20, 21
    round 0xe9b5dba5, 3, 21, 22, 23, 16, 17, 18, 19, 20
    round 0x3956c25b, 4, 20, 21, 22, 23, 16, 17, 18, 19
    round 0x59f111f1, 5, 19, 20, 21, 22, 23, 16, 17, 18
    round 0x923f82a4, 6, 18, 19, 20, 21, 22, 23, 16, 17
    round 0xab1c5ed5, 7, 17, 18, 19, 20, 21, 22, 23, 16
    round 0xd807aa98, 8, 16, 17, 18, 19, 20, 21, 22, 23
    round 0x12835b01, 9, 23, 16, 17, 18, 19, 20, 21, 22
    round 0x243185be, 10, 22, 23, 16, 17, 18, 19, 20, 21
    round 0x550c7dc3, 11, 21, 22, 23, 16, 17, 18, 19, 20
    round 0x72be5d74, 12, 20, 21, 22, 23, 16, 17, 18, 19
    round 0x80deb1fe, 13, 19, 20, 21, 22, 23, 16, 17, 18
    round 0x9bdc06a7, 14, 18, 19, 20, 21, 22, 23, 16, 17
    round 0xc19bf174, 15, 17, 18, 19, 20, 21, 22, 23, 16
    next 0, 1, 9, 14
    round 0xe49b69c1, 0, 16, 17, 18, 19, 20, 21, 22, 23
    next 1, 2, 10, 15
    round 0xefbe4786, 1, 23, 16, 17, 18, 19, 20, 21, 22
    next 2, 3, 11, 0
    round 0x0fc19dc6, 2, 22, 23, 16, 17, 18, 19, 20, 21
    next 3, 4, 12, 1
    round 0x240ca1cc, 3, 21, 22, 23, 16, 17, 18, 19, 20
    next 4, 5, 13, 2
    round 0x2de92c6f, 4, 20, 21, 22, 23, 16, 17, 18, 19
    next 5, 6, 14, 3
    round 0x4a7484aa, 5, 19, 20, 21, 22, 23, 16, 17, 18
    next 6, 7, 15, 4
    round 0x5cb0a9dc, 6, 18, 19, 20, 21, 22, 23, 16, 17
    next 7, 8, 0, 5
    round 0x76f988da, 7, 17, 18, 19, 20, 21, 22, 23, 16
    next 8, 9, 1, 6
    round 0x983e5152, 8, 16, 17, 18, 19, 20, 21, 22, 23
    next 9, 10, 2, 7
    round 0xa831c66d, 9, 23, 16, 17, 18, 19, 20, 21, 22
    next 10, 11, 3, 8
    round 0xb00327c8, 10, 22, 23, 16, 17, 18, 19, 20, 21
    next 11, 12, 4, 9
    round 0xbf597fc7, 11, 21, 22, 23, 16, 17, 18, 19, 20
    next 12, 13, 5, 10
    round 0xc6e00bf3, 12, 20, 21, 22, 23, 16, 17, 18, 19
    next 13, 14, 6, 11
    round 0xd5a79147, 13, 19, 20, 21, 22, 23, 16, 17, 18
    next 14, 15, 7, 12
    round 0x06ca6351, 14, 18, 19, 20, 21, 22, 23, 16, 17
    next 15, 0, 8, 13
    round 0x14292967, 15, 17, 18, 19, 20, 21, 22, 23, 16
    next 0, 1, 9, 14
    round 0x27b70a85, 0, 16, 17, 18, 19, 20, 21, 22, 23
    next 1, 2, 10, 15
    round 0x2e1b2138, 1, 23, 16, 17, 18, 19, 20, 21, 22
    next 2, 3, 11, 0
    round 0x4d2c6dfc, 2, 22, 23, 16, 17, 18, 19, 20, 21
    next 3, 4, 12, 1
    round 0x53380d13, 3, 21, 22, 23, 16, 17, 18, 19, 20
    next 4, 5, 13, 2
    round 0x650a7354, 4, 20, 21, 22, 23, 16, 17, 18, 19
    next 5, 6, 14, 3
    round 0x766a0abb, 5, 19, 20, 21, 22, 23, 16, 17, 18
    next 6, 7, 15, 4
    round 0x81c2c92e, 6, 18, 19, 20, 21, 22, 23, 16, 17
    next 7, 8, 0, 5
    round 0x92722c85, 7, 17, 18, 19, 20, 21, 22, 23, 16
    next 8, 9, 1, 6
    round 0xa2bfe8a1, 8, 16, 17, 18, 19, 20, 21, 22, 23
    next 9, 10, 2, 7
    round 0xa81a664b, 9, 23, 16, 17, 18, 19, 20, 21, 22
    next 10, 11, 3, 8
    round 0xc24b8b70, 10, 22, 23, 16, 17, 18, 19, 20, 21
    next 11, 12, 4, 9
    round 0xc76c51a3, 11, 21, 22, 23, 16, 17, 18, 19, 20
    next 12, 13, 5, 10
    round 0xd192e819, 12, 20, 21, 22, 23, 16, 17, 18, 19
    next 13, 14, 6, 11
    round 0xd6990624, 13, 19, 20, 21, 22, 23, 16, 17, 18
    next 14, 15, 7, 12
    round 0xf40e3585, 14, 18, 19, 20, 21, 22, 23, 16, 17
    next 15, 0, 8, 13
    round 0x106aa070, 15, 17, 18, 19, 20, 21, 22, 23, 16
    next 0, 1, 9, 14
    round 0x19a4c116, 0, 16, 17, 18, 19, 20, 21, 22, 23
    next 1, 2, 10, 15
    round 0x1e376c08, 1, 23, 16, 17, 18, 19, 20, 21, 22
    next 2, 3, 11, 0
    round 0x2748774c, 2, 22, 23, 16, 17, 18, 19, 20, 21
    next 3, 4, 12, 1
    round 0x34b0bcb5, 3, 21, 22, 23, 16, 17, 18, 19, 20
    next 4, 5, 13, 2
    round 0x391c0cb3, 4, 20, 21, 22, 23, 16, 17, 18, 19
    next 5, 6, 14, 3
    round 0x4ed8aa4a, 5, 19, 20, 21, 22, 23, 16, 17, 18
    next 6, 7, 15, 4
    round 0x5b9cca4f, 6, 18, 19, 20, 21, 22, 23, 16, 17
    next 7, 8, 0, 5
    round 0x682e6ff3, 7, 17, 18, 19, 20, 21, 22, 23, 16
    next 8, 9, 1, 6
    round 0x748f82ee, 8, 16, 17, 18, 19, 20, 21, 22, 23
    next 9, 10, 2, 7
    round 0x78a5636f, 9, 23, 16, 17, 18, 19, 20, 21, 22
    next 10, 11, 3, 8
    round 0x84c87814, 10, 22, 23, 16, 17, 18, 19, 20, 21
    next 11, 12, 4, 9
    round 0x8cc70208, 11, 21, 22, 23, 16, 17, 18, 19, 20
    next 12, 13, 5, 10
    round 0x90befffa, 12, 20, 21, 22, 23, 16, 17, 18, 19
    next 13, 14, 6, 11
    round 0xa4506ceb, 13, 19, 20, 21, 22, 23, 16, 17, 18
    next 14, 15, 7, 12
    round 0xbef9a3f7, 14, 18, 19, 20, 21, 22, 23, 16, 17
    next 15, 0, 8, 13
    round 0xc67178f2, 15, 17, 18, 19, 20, 21, 22, 23, 16
    v_add_u32 v16, 0x6a09e667, v16
    v_add_u32 v17, 0xbb67ae85, v17
    v_add_u32 v18, 0x3c6ef372, v18
    v_add_u32 v19, 0xa54ff53a, v19
    v_add_u32 v20, 0x510e527f, v20
    v_add_u32 v21, 0x9b05688c, v21
    v_add_u32 v22, 0x1f83d9ab, v22
    v_add_u32 v23, 0x5be0cd19, v23
    global_store_dwordx4 v30, v[16:19], s[0:1]
    global_store_dwordx4 v30, v[20:23], s[0:1] offset:16
    s_endpgm
