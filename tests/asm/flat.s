// RUN: tahiti bonaire fiji gfx900 gfx906
// FLAT, GLOBAL and SCRATCH: what is there on which generation, addresses, offsets, atomics with and without a result.

flat_load_dword v1, v[2:3]
// GCN 1.0: error: GCN 1.0 has no instruction `flat_load_dword`
// GCN 1.1: [0x00,0x00,0x30,0xdc,0x02,0x00,0x00,0x01]
// GCN 1.2, 1.4, 1.4.1: [0x00,0x00,0x50,0xdc,0x02,0x00,0x00,0x01]
flat_load_ubyte v1, v[254:255] glc
// GCN 1.0: error: GCN 1.0 has no instruction `flat_load_ubyte`
// GCN 1.1: [0x00,0x00,0x21,0xdc,0xfe,0x00,0x00,0x01]
// GCN 1.2, 1.4, 1.4.1: [0x00,0x00,0x41,0xdc,0xfe,0x00,0x00,0x01]
flat_load_dwordx3 v[1:3], v[4:5] slc
// GCN 1.0: error: GCN 1.0 has no instruction `flat_load_dwordx3`
// GCN 1.1: [0x00,0x00,0x3e,0xdc,0x04,0x00,0x00,0x01]
// GCN 1.2, 1.4, 1.4.1: [0x00,0x00,0x5a,0xdc,0x04,0x00,0x00,0x01]
flat_load_dwordx4 v[1:4], v[5:6] glc slc
// GCN 1.0: error: GCN 1.0 has no instruction `flat_load_dwordx4`
// GCN 1.1: [0x00,0x00,0x3b,0xdc,0x05,0x00,0x00,0x01]
// GCN 1.2, 1.4, 1.4.1: [0x00,0x00,0x5f,0xdc,0x05,0x00,0x00,0x01]
flat_load_dwordx4 v[1:4], v[5:6] slc glc
// GCN 1.0: error: GCN 1.0 has no instruction `flat_load_dwordx4`
// GCN 1.1: [0x00,0x00,0x3b,0xdc,0x05,0x00,0x00,0x01]
// GCN 1.2, 1.4, 1.4.1: [0x00,0x00,0x5f,0xdc,0x05,0x00,0x00,0x01]
flat_load_dword v1, v[2:3] offset:4095
// GCN 1.0: error: GCN 1.0 has no instruction `flat_load_dword`
// GCN 1.1: error: `offset` is not allowed on `flat_load_dword` of GCN 1.1
// GCN 1.2: error: `offset` is not allowed on `flat_load_dword` of GCN 1.2
// GCN 1.4, 1.4.1: [0xff,0x0f,0x50,0xdc,0x02,0x00,0x00,0x01]
flat_load_short_d16 v1, v[2:3]
// GCN 1.0: error: GCN 1.0 has no instruction `flat_load_short_d16`
// GCN 1.1: error: GCN 1.1 has no instruction `flat_load_short_d16`
// GCN 1.2: error: GCN 1.2 has no instruction `flat_load_short_d16`
// GCN 1.4, 1.4.1: [0x00,0x00,0x90,0xdc,0x02,0x00,0x00,0x01]
flat_store_byte v[1:2], v3
// GCN 1.0: error: GCN 1.0 has no instruction `flat_store_byte`
// GCN 1.1, 1.2, 1.4, 1.4.1: [0x00,0x00,0x60,0xdc,0x01,0x03,0x00,0x00]
flat_store_dwordx3 v[1:2], v[3:5]
// GCN 1.0: error: GCN 1.0 has no instruction `flat_store_dwordx3`
// GCN 1.1: [0x00,0x00,0x7c,0xdc,0x01,0x03,0x00,0x00]
// GCN 1.2, 1.4, 1.4.1: [0x00,0x00,0x78,0xdc,0x01,0x03,0x00,0x00]
flat_store_dwordx4 v[1:2], v[3:6]
// GCN 1.0: error: GCN 1.0 has no instruction `flat_store_dwordx4`
// GCN 1.1: [0x00,0x00,0x78,0xdc,0x01,0x03,0x00,0x00]
// GCN 1.2, 1.4, 1.4.1: [0x00,0x00,0x7c,0xdc,0x01,0x03,0x00,0x00]
flat_store_dword v[1:2], v3 offset:8 glc
// GCN 1.0: error: GCN 1.0 has no instruction `flat_store_dword`
// GCN 1.1: error: `offset` is not allowed on `flat_store_dword` of GCN 1.1
// GCN 1.2: error: `offset` is not allowed on `flat_store_dword` of GCN 1.2
// GCN 1.4, 1.4.1: [0x08,0x00,0x71,0xdc,0x01,0x03,0x00,0x00]
flat_store_byte_d16_hi v[1:2], v3
// GCN 1.0: error: GCN 1.0 has no instruction `flat_store_byte_d16_hi`
// GCN 1.1: error: GCN 1.1 has no instruction `flat_store_byte_d16_hi`
// GCN 1.2: error: GCN 1.2 has no instruction `flat_store_byte_d16_hi`
// GCN 1.4, 1.4.1: [0x00,0x00,0x64,0xdc,0x01,0x03,0x00,0x00]

flat_atomic_add v[1:2], v3
// GCN 1.0: error: GCN 1.0 has no instruction `flat_atomic_add`
// GCN 1.1: [0x00,0x00,0xc8,0xdc,0x01,0x03,0x00,0x00]
// GCN 1.2, 1.4, 1.4.1: [0x00,0x00,0x08,0xdd,0x01,0x03,0x00,0x00]
flat_atomic_add v0, v[1:2], v3 glc
// GCN 1.0: error: GCN 1.0 has no instruction `flat_atomic_add`
// GCN 1.1: [0x00,0x00,0xc9,0xdc,0x01,0x03,0x00,0x00]
// GCN 1.2, 1.4, 1.4.1: [0x00,0x00,0x09,0xdd,0x01,0x03,0x00,0x00]
flat_atomic_cmpswap v[1:2], v[3:4]
// GCN 1.0: error: GCN 1.0 has no instruction `flat_atomic_cmpswap`
// GCN 1.1: [0x00,0x00,0xc4,0xdc,0x01,0x03,0x00,0x00]
// GCN 1.2, 1.4, 1.4.1: [0x00,0x00,0x04,0xdd,0x01,0x03,0x00,0x00]
flat_atomic_cmpswap v0, v[1:2], v[3:4] glc
// GCN 1.0: error: GCN 1.0 has no instruction `flat_atomic_cmpswap`
// GCN 1.1: [0x00,0x00,0xc5,0xdc,0x01,0x03,0x00,0x00]
// GCN 1.2, 1.4, 1.4.1: [0x00,0x00,0x05,0xdd,0x01,0x03,0x00,0x00]
flat_atomic_cmpswap_x2 v[1:2], v[3:6] slc
// GCN 1.0: error: GCN 1.0 has no instruction `flat_atomic_cmpswap_x2`
// GCN 1.1: [0x00,0x00,0x46,0xdd,0x01,0x03,0x00,0x00]
// GCN 1.2, 1.4, 1.4.1: [0x00,0x00,0x86,0xdd,0x01,0x03,0x00,0x00]
flat_atomic_swap_x2 v[0:1], v[2:3], v[4:5] glc
// GCN 1.0: error: GCN 1.0 has no instruction `flat_atomic_swap_x2`
// GCN 1.1: [0x00,0x00,0x41,0xdd,0x02,0x04,0x00,0x00]
// GCN 1.2, 1.4, 1.4.1: [0x00,0x00,0x81,0xdd,0x02,0x04,0x00,0x00]
flat_atomic_inc v[1:2], v3
// GCN 1.0: error: GCN 1.0 has no instruction `flat_atomic_inc`
// GCN 1.1: [0x00,0x00,0xf0,0xdc,0x01,0x03,0x00,0x00]
// GCN 1.2, 1.4, 1.4.1: [0x00,0x00,0x2c,0xdd,0x01,0x03,0x00,0x00]
flat_atomic_fmax v[1:2], v3
// GCN 1.0: error: GCN 1.0 has no instruction `flat_atomic_fmax`
// GCN 1.1: [0x00,0x00,0x00,0xdd,0x01,0x03,0x00,0x00]
// GCN 1.2: error: GCN 1.2 has no instruction `flat_atomic_fmax`
// GCN 1.4: error: GCN 1.4 has no instruction `flat_atomic_fmax`
// GCN 1.4.1: error: GCN 1.4.1 has no instruction `flat_atomic_fmax`
flat_atomic_fcmpswap_x2 v[1:2], v[3:6]
// GCN 1.0: error: GCN 1.0 has no instruction `flat_atomic_fcmpswap_x2`
// GCN 1.1: [0x00,0x00,0x78,0xdd,0x01,0x03,0x00,0x00]
// GCN 1.2: error: GCN 1.2 has no instruction `flat_atomic_fcmpswap_x2`
// GCN 1.4: error: GCN 1.4 has no instruction `flat_atomic_fcmpswap_x2`
// GCN 1.4.1: error: GCN 1.4.1 has no instruction `flat_atomic_fcmpswap_x2`

global_load_dword v1, v[2:3], off
// GCN 1.0: error: GCN 1.0 has no instruction `global_load_dword`
// GCN 1.1: error: GCN 1.1 has no instruction `global_load_dword`
// GCN 1.2: error: GCN 1.2 has no instruction `global_load_dword`
// GCN 1.4, 1.4.1: [0x00,0x80,0x50,0xdc,0x02,0x00,0x7f,0x01]
global_load_dword v1, v[2:3], off offset:4095
// GCN 1.0: error: GCN 1.0 has no instruction `global_load_dword`
// GCN 1.1: error: GCN 1.1 has no instruction `global_load_dword`
// GCN 1.2: error: GCN 1.2 has no instruction `global_load_dword`
// GCN 1.4, 1.4.1: [0xff,0x8f,0x50,0xdc,0x02,0x00,0x7f,0x01]
global_load_dword v1, v[2:3], off offset:-4096
// GCN 1.0: error: GCN 1.0 has no instruction `global_load_dword`
// GCN 1.1: error: GCN 1.1 has no instruction `global_load_dword`
// GCN 1.2: error: GCN 1.2 has no instruction `global_load_dword`
// GCN 1.4, 1.4.1: [0x00,0x90,0x50,0xdc,0x02,0x00,0x7f,0x01]
global_load_dword v1, v2, s[4:5]
// GCN 1.0: error: GCN 1.0 has no instruction `global_load_dword`
// GCN 1.1: error: GCN 1.1 has no instruction `global_load_dword`
// GCN 1.2: error: GCN 1.2 has no instruction `global_load_dword`
// GCN 1.4, 1.4.1: [0x00,0x80,0x50,0xdc,0x02,0x00,0x04,0x01]
global_load_dword v1, v2, vcc offset:16
// GCN 1.0: error: GCN 1.0 has no instruction `global_load_dword`
// GCN 1.1: error: GCN 1.1 has no instruction `global_load_dword`
// GCN 1.2: error: GCN 1.2 has no instruction `global_load_dword`
// GCN 1.4, 1.4.1: [0x10,0x80,0x50,0xdc,0x02,0x00,0x6a,0x01]
global_load_dwordx3 v[1:3], v[4:5], off glc slc
// GCN 1.0: error: GCN 1.0 has no instruction `global_load_dwordx3`
// GCN 1.1: error: GCN 1.1 has no instruction `global_load_dwordx3`
// GCN 1.2: error: GCN 1.2 has no instruction `global_load_dwordx3`
// GCN 1.4, 1.4.1: [0x00,0x80,0x5b,0xdc,0x04,0x00,0x7f,0x01]
global_load_ubyte_d16_hi v1, v[2:3], off
// GCN 1.0: error: GCN 1.0 has no instruction `global_load_ubyte_d16_hi`
// GCN 1.1: error: GCN 1.1 has no instruction `global_load_ubyte_d16_hi`
// GCN 1.2: error: GCN 1.2 has no instruction `global_load_ubyte_d16_hi`
// GCN 1.4, 1.4.1: [0x00,0x80,0x84,0xdc,0x02,0x00,0x7f,0x01]
global_store_dword v[1:2], v3, off
// GCN 1.0: error: GCN 1.0 has no instruction `global_store_dword`
// GCN 1.1: error: GCN 1.1 has no instruction `global_store_dword`
// GCN 1.2: error: GCN 1.2 has no instruction `global_store_dword`
// GCN 1.4, 1.4.1: [0x00,0x80,0x70,0xdc,0x01,0x03,0x7f,0x00]
global_store_dwordx4 v1, v[2:5], s[6:7] offset:-8
// GCN 1.0: error: GCN 1.0 has no instruction `global_store_dwordx4`
// GCN 1.1: error: GCN 1.1 has no instruction `global_store_dwordx4`
// GCN 1.2: error: GCN 1.2 has no instruction `global_store_dwordx4`
// GCN 1.4, 1.4.1: [0xf8,0x9f,0x7c,0xdc,0x01,0x02,0x06,0x00]
global_store_short_d16_hi v[1:2], v3, off
// GCN 1.0: error: GCN 1.0 has no instruction `global_store_short_d16_hi`
// GCN 1.1: error: GCN 1.1 has no instruction `global_store_short_d16_hi`
// GCN 1.2: error: GCN 1.2 has no instruction `global_store_short_d16_hi`
// GCN 1.4, 1.4.1: [0x00,0x80,0x6c,0xdc,0x01,0x03,0x7f,0x00]
global_atomic_add v[1:2], v3, off
// GCN 1.0: error: GCN 1.0 has no instruction `global_atomic_add`
// GCN 1.1: error: GCN 1.1 has no instruction `global_atomic_add`
// GCN 1.2: error: GCN 1.2 has no instruction `global_atomic_add`
// GCN 1.4, 1.4.1: [0x00,0x80,0x08,0xdd,0x01,0x03,0x7f,0x00]
global_atomic_add v0, v[1:2], v3, off glc
// GCN 1.0: error: GCN 1.0 has no instruction `global_atomic_add`
// GCN 1.1: error: GCN 1.1 has no instruction `global_atomic_add`
// GCN 1.2: error: GCN 1.2 has no instruction `global_atomic_add`
// GCN 1.4, 1.4.1: [0x00,0x80,0x09,0xdd,0x01,0x03,0x7f,0x00]
global_atomic_umax v1, v2, s[4:5] offset:4
// GCN 1.0: error: GCN 1.0 has no instruction `global_atomic_umax`
// GCN 1.1: error: GCN 1.1 has no instruction `global_atomic_umax`
// GCN 1.2: error: GCN 1.2 has no instruction `global_atomic_umax`
// GCN 1.4, 1.4.1: [0x04,0x80,0x1c,0xdd,0x01,0x02,0x04,0x00]
global_atomic_cmpswap_x2 v[0:1], v[2:3], v[4:7], off offset:-16 glc
// GCN 1.0: error: GCN 1.0 has no instruction `global_atomic_cmpswap_x2`
// GCN 1.1: error: GCN 1.1 has no instruction `global_atomic_cmpswap_x2`
// GCN 1.2: error: GCN 1.2 has no instruction `global_atomic_cmpswap_x2`
// GCN 1.4, 1.4.1: [0xf0,0x9f,0x85,0xdd,0x02,0x04,0x7f,0x00]

scratch_load_dword v1, v2, off
// GCN 1.0: error: GCN 1.0 has no instruction `scratch_load_dword`
// GCN 1.1: error: GCN 1.1 has no instruction `scratch_load_dword`
// GCN 1.2: error: GCN 1.2 has no instruction `scratch_load_dword`
// GCN 1.4, 1.4.1: [0x00,0x40,0x50,0xdc,0x02,0x00,0x7f,0x01]
scratch_load_dword v1, off, s3
// GCN 1.0: error: GCN 1.0 has no instruction `scratch_load_dword`
// GCN 1.1: error: GCN 1.1 has no instruction `scratch_load_dword`
// GCN 1.2: error: GCN 1.2 has no instruction `scratch_load_dword`
// GCN 1.4, 1.4.1: [0x00,0x40,0x50,0xdc,0x00,0x00,0x03,0x01]
scratch_load_dword v1, off, s3 offset:4095
// GCN 1.0: error: GCN 1.0 has no instruction `scratch_load_dword`
// GCN 1.1: error: GCN 1.1 has no instruction `scratch_load_dword`
// GCN 1.2: error: GCN 1.2 has no instruction `scratch_load_dword`
// GCN 1.4, 1.4.1: [0xff,0x4f,0x50,0xdc,0x00,0x00,0x03,0x01]
scratch_load_dwordx4 v[1:4], v5, off offset:-4096 slc
// GCN 1.0: error: GCN 1.0 has no instruction `scratch_load_dwordx4`
// GCN 1.1: error: GCN 1.1 has no instruction `scratch_load_dwordx4`
// GCN 1.2: error: GCN 1.2 has no instruction `scratch_load_dwordx4`
// GCN 1.4, 1.4.1: [0x00,0x50,0x5e,0xdc,0x05,0x00,0x7f,0x01]
scratch_load_sbyte_d16 v1, v2, off
// GCN 1.0: error: GCN 1.0 has no instruction `scratch_load_sbyte_d16`
// GCN 1.1: error: GCN 1.1 has no instruction `scratch_load_sbyte_d16`
// GCN 1.2: error: GCN 1.2 has no instruction `scratch_load_sbyte_d16`
// GCN 1.4, 1.4.1: [0x00,0x40,0x88,0xdc,0x02,0x00,0x7f,0x01]
scratch_store_dword v1, v2, off
// GCN 1.0: error: GCN 1.0 has no instruction `scratch_store_dword`
// GCN 1.1: error: GCN 1.1 has no instruction `scratch_store_dword`
// GCN 1.2: error: GCN 1.2 has no instruction `scratch_store_dword`
// GCN 1.4, 1.4.1: [0x00,0x40,0x70,0xdc,0x01,0x02,0x7f,0x00]
scratch_store_dword off, v2, s3
// GCN 1.0: error: GCN 1.0 has no instruction `scratch_store_dword`
// GCN 1.1: error: GCN 1.1 has no instruction `scratch_store_dword`
// GCN 1.2: error: GCN 1.2 has no instruction `scratch_store_dword`
// GCN 1.4, 1.4.1: [0x00,0x40,0x70,0xdc,0x00,0x02,0x03,0x00]
scratch_store_dwordx2 off, v[2:3], vcc_lo offset:8 glc
// GCN 1.0: error: GCN 1.0 has no instruction `scratch_store_dwordx2`
// GCN 1.1: error: GCN 1.1 has no instruction `scratch_store_dwordx2`
// GCN 1.2: error: GCN 1.2 has no instruction `scratch_store_dwordx2`
// GCN 1.4, 1.4.1: [0x08,0x40,0x75,0xdc,0x00,0x02,0x6a,0x00]
