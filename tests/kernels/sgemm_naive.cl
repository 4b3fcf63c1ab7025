//! # C = A B, a work-item for each element.
//! [buffers]
//! c = "f32*1056"
//! a = "f32*768:random(1,-1,1)"
//! b = "f32*792:random(2,-1,1)"
//! [[launch]]
//! grid = [40, 32]
//! group = [8, 8]
//! args = ["c", "a", "b", "u32:32", "u32:33", "u32:24"]

kernel void sgemm_naive(global float *c, global const float *a, global const float *b, uint m, uint n, uint k)
{
    uint column = get_global_id(0), row = get_global_id(1);
    if (row >= m || column >= n)
        return;
    float sum = 0;
    for (uint i = 0; i < k; i++)
        sum = fma(a[row * k + i], b[i * n + column], sum);
    c[row * n + column] = sum;
}
