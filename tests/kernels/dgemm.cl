//! # C = alpha A B + beta C in double precision, by tiles.
//! [buffers]
//! c = "f64*1024:random(3,-1,1)"
//! a = "f64*1024:random(1,-1,1)"
//! b = "f64*1024:random(2,-1,1)"
//! [[launch]]
//! grid = [32, 32]
//! group = [8, 8]
//! args = ["c", "a", "b", "u32:32", "f64:1.5", "f64:-0.75"]
//! [bench.buffers]
//! c = "f64*262144:random(3,-1,1)"
//! a = "f64*262144:random(1,-1,1)"
//! b = "f64*262144:random(2,-1,1)"
//! [[bench.launch]]
//! grid = [512, 512]
//! group = [8, 8]
//! args = ["c", "a", "b", "u32:512", "f64:1.5", "f64:-0.75"]
//! repeat = 2

#define TILE 8

kernel void dgemm(global double *c, global const double *a, global const double *b, uint n, double alpha, double beta)
{
    local double left[TILE][TILE], right[TILE][TILE];
    uint x = get_local_id(0), y = get_local_id(1);
    size_t at = get_global_id(1) * n + get_global_id(0);
    double sum = 0;
    for (uint tile = 0; tile < n; tile += TILE) {
        left[y][x] = a[get_global_id(1) * n + tile + x];
        right[y][x] = b[(tile + y) * n + get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; i < TILE; i++)
            sum = fma(left[y][i], right[i][x], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[at] = fma(alpha, sum, beta * c[at]);
}
