//! # AES-128 of a block for each work-item; the S-box is computed into local memory.
//! [buffers]
//! out = "u8*2048"
//! in = "u8*2048:random(83)"
//! key = "u8:0x2b,0x7e,0x15,0x16,0x28,0xae,0xd2,0xa6,0xab,0xf7,0x15,0x88,0x09,0xcf,0x4f,0x3c"
//! [[launch]]
//! grid = 128
//! group = 64
//! args = ["out", "in", "key"]

static uchar twice(uchar x)
{
    return x << 1 ^ (x & 0x80 ? 0x1b : 0);
}

static uchar product(uchar a, uchar b)
{
    uchar sum = 0;
    for (; b; b >>= 1, a = twice(a))
        if (b & 1)
            sum ^= a;
    return sum;
}

static uchar substitute(uchar x)
{
    // x^254 is the inverse.
    uchar inverse = 1;
    for (uint n = 0; n < 254; n++)
        inverse = product(inverse, x);
    uchar result = inverse;
    for (uint n = 1; n < 5; n++)
        result ^= (uchar)(inverse << n | inverse >> (8 - n));
    return result ^ 0x63;
}

kernel void aes(global uchar *out, global const uchar *in, global const uchar *key)
{
    local uchar box[256], keys[176];
    size_t i = get_global_id(0);
    for (uint n = get_local_id(0); n < 256; n += get_local_size(0))
        box[n] = substitute(n);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        uchar round = 1;
        for (uint n = 0; n < 176; n++) {
            if (n < 16) {
                keys[n] = key[n];
                continue;
            }
            uchar x = keys[n - 4];
            if (n % 16 < 4) {
                x = box[keys[n - 4 + (n % 4 == 3 ? -3 : 1)]];
                if (n % 16 == 0) {
                    x ^= round;
                    round = twice(round);
                }
            }
            keys[n] = keys[n - 16] ^ x;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uchar state[16], next[16];
    for (uint n = 0; n < 16; n++)
        state[n] = in[i * 16 + n] ^ keys[n];
    for (uint round = 1; round <= 10; round++) {
        for (uint n = 0; n < 16; n++)
            next[n] = box[state[(n + 4 * (n % 4)) % 16]];
        for (uint n = 0; n < 16; n++) {
            uint column = n & 12;
            uchar a = next[n], b = next[column | (n + 1) & 3], c = next[column | (n + 2) & 3],
                  d = next[column | (n + 3) & 3];
            state[n] = keys[round * 16 + n] ^ (round == 10 ? a : twice(a) ^ twice(b) ^ b ^ c ^ d);
        }
    }
    for (uint n = 0; n < 16; n++)
        out[i * 16 + n] = state[n];
}
