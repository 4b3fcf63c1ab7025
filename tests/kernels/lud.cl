//! # LU decomposition in place, a matrix for each workgroup, double precision; the diagonal is made dominant first.
//! [buffers]
//! a = "f64*512:random(181,-1,1)"
//! [[launch]]
//! grid = [32, 16]
//! group = [16, 16]
//! args = ["a"]
//! [compare]
//! a = "1e-12"
//! [bench.buffers]
//! a = "f64*524288:random(181,-1,1)"
//! [[bench.launch]]
//! grid = [32768, 16]
//! group = [16, 16]
//! args = ["a"]

kernel void lud(global double *a)
{
    local double m[16][16];
    uint x = get_local_id(0), y = get_local_id(1);
    a += get_group_id(0) * 256;
    m[y][x] = a[y * 16 + x] + (x == y ? 8.0 : 0.0);
    for (uint k = 0; k < 16; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (x == k && y > k)
            m[y][k] /= m[k][k];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (x > k && y > k)
            m[y][x] -= m[y][k] * m[k][x];
    }
    a[y * 16 + x] = m[y][x];
}
