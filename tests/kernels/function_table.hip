//! # HIP: a table of functions, virtual functions, recursion, and variables that other objects could replace, so that they are reached through the global offset table.
//! except = { gfx600 = "pointers are generic in HIP", "gfx700 clang-19 -O0" = "clang-19 takes null for the implicit arguments in functions that are not inlined", "gfx803 clang-19 -O0" = "clang-19 takes null for the implicit arguments in functions that are not inlined" }
//! [buffers]
//! out = "i32*192"
//! [[launch]]
//! grid = 192
//! group = 96
//! reference = "function_table_reference"
//! args = ["out", "i32:3"]

#ifdef REFERENCE
int area(int kind, int side) { return kind == 0 ? side * side : kind == 1 ? 3 * side : side + 100; }
int triangle(int n) { return n * (n + 1) / 2; }
kernel void function_table_reference(global int *out, int by)
{
    const int weights[4] = {1, -2, 30, 400};
    for (int i = 0; i < 192; i++) {
        int step = i % 3 == 0 ? i + by : i % 3 == 1 ? i * by : i - by;
        out[i] = step * 1000 + area(i / 3 % 3, i & 7) * 10 + triangle(i % 6) + weights[(i + 1) & 3];
    }
}
#else
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))

typedef int (*Function)(int, int);
__device__ __attribute__((noinline)) int plus(int a, int b) { return a + b; }
__device__ __attribute__((noinline)) int times(int a, int b) { return a * b; }
__device__ __attribute__((noinline)) int minus(int a, int b) { return a - b; }
__device__ Function functions[] = {plus, times, minus};
__device__ int weights[] = {1, -2, 30, 400};
__device__ int *behind_the_first = weights + 1;

struct Shape {
    __device__ virtual int area(int side) const { return side + 100; }
};
struct Square : Shape {
    __device__ int area(int side) const override { return side * side; }
};
struct Triple : Shape {
    __device__ int area(int side) const override { return 3 * side; }
};

__device__ __attribute__((noinline)) int triangle(int n) { return n == 0 ? 0 : n + triangle(n - 1); }

extern "C" __global__ void function_table(int *out, int by)
{
    int i = __builtin_amdgcn_workgroup_id_x() * 96 + __builtin_amdgcn_workitem_id_x();
    Square square;
    Triple triple;
    Shape plain;
    Shape *shapes[] = {&square, &triple, &plain};
    int place = ((i + 1) & 3) - 1;
    out[i] = functions[i % 3](i, by) * 1000 + shapes[i / 3 % 3]->area(i & 7) * 10 + triangle(i % 6) + behind_the_first[place];
}
#endif
