//! # CRC-32 by bits and by a table in local memory, Adler-32 beside it.
//! [buffers]
//! out = "u32*192"
//! data = "u8*4096:random(89)"
//! [[launch]]
//! grid = 64
//! group = 64
//! args = ["out", "data"]

static uint step(uint crc)
{
    for (uint bit = 0; bit < 8; bit++)
        crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    return crc;
}

kernel void crc32(global uint *out, global const uchar *data)
{
    local uint table[256];
    uint i = get_local_id(0);
    for (uint n = 0; n < 4; n++)
        table[i * 4 + n] = step(i * 4 + n);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint bits = ~0u, bytes = ~0u, a = 1, b = 0;
    for (uint n = 0; n < 64; n++) {
        uchar byte = data[i * 64 + n];
        bits = step(bits ^ byte);
        bytes = bytes >> 8 ^ table[(bytes ^ byte) & 255];
        a = (a + byte) % 65521;
        b = (b + a) % 65521;
    }
    out[i] = ~bits;
    out[i + 64] = ~bytes;
    out[i + 128] = b << 16 | a;
}
