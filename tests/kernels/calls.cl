//! # Calls that are not inlined: many arguments, structures returned, pointers to the caller's stack, nesting.
//! everywhere = true
//! versions = [3, 4, 6]
//! [buffers]
//! out = "i32*256"
//! in = "i32*256:random(41,-1000,1000)"
//! [[launch]]
//! grid = 256
//! group = 64
//! args = ["out", "in"]

#define CALLED __attribute__((noinline))

typedef struct {
    int sum, product, a[5];
} Many;

CALLED int leaf(int a, int b)
{
    return a * 31 + (b ^ 0x55);
}

CALLED int twenty(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l, int m, int n,
                  int o, int p, int q, int r, int s, int t, int u, int v, int w, int x, int y, int z, int aa, int bb,
                  int cc, int dd, int ee, int ff, int gg, int hh)
{
    return leaf(a - b + c * d, e) + leaf(f | g, h ^ i) + j + k - l + m * n - o + p + q - r + s * t + u - v + w - x + y -
           z + aa * 2 + bb * 3 + cc * 5 + dd * 7 + ee * 11 + ff * 13 + gg * 17 + hh * 19;
}

CALLED Many both(int a, int b)
{
    Many result = {a + b, a * b, {a, b, a - b, b - a, leaf(a, b)}};
    return result;
}

CALLED void through(private int *values, int count)
{
    for (int i = 1; i < count; i++)
        values[i] += leaf(values[i - 1], i);
}

CALLED int nested(int depth, int value)
{
    int local_values[8];
    for (int i = 0; i < 8; i++)
        local_values[i] = value * i + depth;
    through(local_values, 8);
    return local_values[value & 7];
}

kernel void calls(global int *out, global const int *in)
{
    size_t i = get_global_id(0);
    int x = in[i];
    Many m = both(x, (int)i);
    int sum = m.sum + m.product + m.a[x & 3] + m.a[4];
    if (x > 0)
        sum += nested(x, x / 3);
    else
        sum -= leaf(nested(-x, 1 - x), 5);
    out[i] = sum + twenty(x, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, x, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
                          26, 27, 28, 29, x + 1, x + 2, x + 3, x + 4);
}
