//! # HIP: memory that every lane allocates for itself, from slabs and directly from the host.
//! everywhere = true
//! except = { gfx600 = "no generic pointers, which the device library's calls need", gfx700 = "no ds_bpermute, which its malloc needs" }
//! [buffers]
//! out = "u32*256"
//! [[launch]]
//! grid = 256
//! group = 128
//! reference = "lists_reference"
//! args = ["out", "u32:4096"]

#ifdef REFERENCE
kernel void lists_reference(global uint *out, uint most)
{
    for (uint i = 0; i < 256; i++) {
        uint sum = 0;
        for (uint size = 1; size <= most; size *= 8)
            for (uint n = 0; n < size; n++)
                sum += i * n + size;
        out[i] = sum;
    }
}
#else
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
extern "C" __device__ void *__ockl_dm_alloc(unsigned long bytes);
extern "C" __device__ void __ockl_dm_dealloc(unsigned long address);

extern "C" __global__ void device_malloc(unsigned *out, unsigned most)
{
    unsigned i = __builtin_amdgcn_workgroup_id_x() * 128 + __builtin_amdgcn_workitem_id_x(), sum = 0;
    for (unsigned size = 1; size <= most; size *= 8) {
        unsigned *mine = (unsigned *)__ockl_dm_alloc(size * sizeof *mine);
        if (!mine) {
            sum = ~0u;
            break;
        }
        for (unsigned n = 0; n < size; n++)
            mine[n] = i * n + size;
        for (unsigned n = 0; n < size; n++)
            sum += mine[n];
        __ockl_dm_dealloc((unsigned long)mine);
    }
    out[i] = sum;
}
#endif
