//! # Dense and sparse switches, a table of constants, a jump table if the compiler makes one.
//! [buffers]
//! out = "i32*512"
//! in = "i32*512:random(43,-3,40)"
//! [[launch]]
//! grid = 512
//! group = 64
//! args = ["out", "in"]

kernel void switch_table(global int *out, global const int *in)
{
    size_t i = get_global_id(0);
    int x = in[i], y = 1;
    switch (x) {
    case 0: y = 11; break;
    case 1: y = 7 * x; break;
    case 2: y = x << 20;
    case 3: y ^= 0x1234; break;
    case 4: y = -5; break;
    case 5: y = 1000003 / (x + 1); break;
    case 6: case 7: case 8: y = x * x * x; break;
    case 9: for (int k = 0; k < x; k++) y += k * y; break;
    case 20: y = 99; break;
    case 30: y = -99; break;
    case 40: y = popcount(x * 77); break;
    default: y = ~x;
    }
    switch (y & 7) {
    case 0: y += 100; break; case 1: y += 211; break; case 2: y -= 37; break; case 3: y *= 3; break;
    case 4: y ^= 4; break; case 5: y |= 64; break; case 6: y = -y; break; case 7: y >>= 1; break;
    }
    out[i] = y;
}
