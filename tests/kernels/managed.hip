//! # HIP: managed variables, which code reaches by pointers that the runtime fills in, beside others with values and addresses.
//! except = { gfx600 = "pointers are generic in HIP" }
//! [buffers]
//! out = "i32*64"
//! [[launch]]
//! grid = 64
//! group = 64
//! reference = "managed_reference"
//! args = ["out"]

#ifdef REFERENCE
kernel void managed_reference(global int *out)
{
    const float tenths[] = {0.5f, 1.5f, 2.5f, 3.5f};
    for (int i = 0; i < 64; i++)
        out[i] = 42 + (int)(tenths[i & 3] * 10) + 7 * i + i % 3;
}
#else
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))

__managed__ int base = 42;
__managed__ float tenths[] = {0.5f, 1.5f, 2.5f, 3.5f};
__managed__ struct { char filler; long counts[3]; } table = {1, {0, 1, 2}};
__device__ int factor = 7;
__device__ int *where = &factor;
__constant__ int numbers[] = {0, 10, 20};

extern "C" __global__ void managed(int *out)
{
    int i = __builtin_amdgcn_workitem_id_x();
    out[i] = base + (int)(tenths[i & 3] * 10) + *where * i + (int)table.counts[i % 3] + numbers[i % 3] - 10 * (i % 3);
}
#endif
