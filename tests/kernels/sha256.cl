//! # SHA-256 of two blocks for each work-item, again and again if there are to be more.
//! [buffers]
//! digests = "u32*1024"
//! data = "u32*4096:random(79)"
//! [[launch]]
//! grid = 128
//! group = 64
//! args = ["digests", "data", "u32:2"]
//! [bench.buffers]
//! digests = "u32*131072"
//! data = "u32*524288:random(79)"
//! [[bench.launch]]
//! grid = 16384
//! group = 64
//! args = ["digests", "data", "u32:160"]

constant uint k[] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

#define RIGHT(x, n) rotate(x, (uint)(32 - n))

kernel void sha256(global uint *digests, global const uint *data, uint blocks)
{
    size_t i = get_global_id(0);
    uint h[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
    };
    for (uint block = 0; block < blocks; block++) {
        uint w[16], v[8];
        for (uint n = 0; n < 16; n++)
            w[n] = data[i * 32 + (block & 1) * 16 + n];
        for (uint n = 0; n < 8; n++)
            v[n] = h[n];
        for (uint n = 0; n < 64; n++) {
            if (n >= 16) {
                uint a = w[(n + 1) & 15], b = w[(n + 14) & 15];
                a = RIGHT(a, 7) ^ RIGHT(a, 18) ^ a >> 3;
                b = RIGHT(b, 17) ^ RIGHT(b, 19) ^ b >> 10;
                w[n & 15] += a + b + w[(n + 9) & 15];
            }
            uint e = RIGHT(v[4], 6) ^ RIGHT(v[4], 11) ^ RIGHT(v[4], 25);
            uint t = v[7] + e + bitselect(v[6], v[5], v[4]) + k[n] + w[n & 15];
            uint a = RIGHT(v[0], 2) ^ RIGHT(v[0], 13) ^ RIGHT(v[0], 22);
            uint u = a + bitselect(v[0], v[1], v[0] ^ v[2]);
            for (uint m = 7; m > 0; m--)
                v[m] = v[m - 1];
            v[4] += t;
            v[0] = t + u;
        }
        for (uint n = 0; n < 8; n++)
            h[n] += v[n];
    }
    for (uint n = 0; n < 8; n++)
        digests[i * 8 + n] = h[n];
}
