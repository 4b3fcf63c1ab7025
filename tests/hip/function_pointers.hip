//! # Calls through pointers and virtual functions on the device, other ones in each lane.
//! # hipcc inlines all calls unless it is told not to, and then cannot know what such a call needs.
//! flags = ["-mllvm", "-amdgpu-function-calls=true"]
#include "check.h"

typedef int (*Operation)(int, int);

__device__ __attribute__((noinline)) int add(int a, int b) { return a + b; }
__device__ __attribute__((noinline)) int multiply(int a, int b) { return a * b; }
__device__ __attribute__((noinline)) int larger(int a, int b) { return a > b ? a : b; }

__device__ const Operation operations[] = {add, multiply, larger};

__global__ void by_table(const int* a, const int* b, int* out) {
    const unsigned i = threadIdx.x;
    out[i] = operations[i % 3](a[i], b[i]);
}

class Shape {
  public:
    __device__ virtual float area() const = 0;
    __device__ virtual ~Shape() {}
};

class Rectangle : public Shape {
  public:
    __device__ Rectangle(float width, float height) : width_(width), height_(height) {}
    __device__ float area() const override { return width_ * height_; }

  private:
    float width_, height_;
};

class Triangle : public Shape {
  public:
    __device__ Triangle(float base, float height) : base_(base), height_(height) {}
    __device__ float area() const override { return base_ * height_ / 2; }

  private:
    float base_, height_;
};

__device__ __attribute__((noinline)) float area_of(const Shape& shape) { return shape.area(); }

__global__ void by_class(float* out) {
    const unsigned i = threadIdx.x;
    const Rectangle rectangle(i, 2);
    const Triangle triangle(i, 3);
    const Shape& shape = i % 5 < 2 ? static_cast<const Shape&>(rectangle) : triangle;
    out[i] = area_of(shape);
}

int main() {
    const unsigned count = 256;
    const auto a = random_bits<int>(count, 1), b = random_bits<int>(count, 2);
    const DeviceArray<int> device_a(a), device_b(b), out(count);
    by_table<<<1, count>>>(device_a, device_b, out);
    CHECK_LAUNCH();
    std::vector<int> expected(count);
    for (unsigned i = 0; i < count; i++) {
        const unsigned x = unsigned(a[i]), y = unsigned(b[i]);
        expected[i] = i % 3 == 0 ? int(x + y) : i % 3 == 1 ? int(x * y) : std::max(a[i], b[i]);
    }
    expect_same("by table", out.download(), expected);

    const DeviceArray<float> areas(count);
    by_class<<<1, count>>>(areas);
    CHECK_LAUNCH();
    std::vector<float> expected_areas(count);
    for (unsigned i = 0; i < count; i++) {
        expected_areas[i] = i % 5 < 2 ? i * 2.0f : i * 1.5f;
    }
    expect_same("areas", areas.download(), expected_areas);
    return passed();
}
