//! # The game of life on a torus, 32 cells in a word, with the sums of neighbours in bit planes.
//! [buffers]
//! a = "u32*64:random(293)"
//! b = "u32*64"
//! [[launch]]
//! grid = 64
//! group = 64
//! args = ["b", "a"]
//! [[launch]]
//! grid = 64
//! group = 64
//! args = ["a", "b"]

kernel void life(global uint *to, global const uint *from)
{
    uint y = get_global_id(0), ones = 0, twos = 0, fours = 0;
    for (uint n = 0; n < 9; n++) {
        if (n == 4)
            continue;
        uint row = from[(y + 63 + n / 3) & 63], next = rotate(row, n % 3 + 31);
        uint carry = ones & next;
        ones ^= next;
        fours |= twos & carry;
        twos ^= carry;
    }
    to[y] = twos & ~fours & (ones | from[y]);
}
