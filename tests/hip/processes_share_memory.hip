//! # Memory that one process has and another changes: the handle goes through a pipe.
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

__global__ void add(int* values, int summand) {
    values[blockIdx.x * blockDim.x + threadIdx.x] += summand;
}

const unsigned COUNT = 5000;

// Adds to the first process's memory, with a kernel and with a copy.
int other_process(int from, int to) {
    hipIpcMemHandle_t handle;
    REQUIRE(read(from, &handle, sizeof handle) == sizeof handle, "no handle came");
    int* values = nullptr;
    CHECK(hipIpcOpenMemHandle((void**)&values, handle, hipIpcMemLazyEnablePeerAccess));
    add<<<COUNT / 1000, 1000>>>(values, 7);
    CHECK_LAUNCH();
    CHECK(hipDeviceSynchronize());
    int first = 0;
    CHECK(hipMemcpy(&first, values, sizeof first, hipMemcpyDeviceToHost));
    EXPECT_EQUAL(first, 7);
    const int last = -1;
    CHECK(hipMemcpy(values + COUNT - 1, &last, sizeof last, hipMemcpyHostToDevice));
    CHECK(hipIpcCloseMemHandle(values));
    handle.reserved[0] ^= 1;
    hipError_t refused = hipIpcOpenMemHandle((void**)&values, handle, hipIpcMemLazyEnablePeerAccess);
    REQUIRE(refused != hipSuccess, "a handle of nothing was opened");
    REQUIRE(write(to, "d", 1) == 1, "the pipe is closed");
    return 0;
}

int main() {
    int handles[2], done[2];
    REQUIRE(pipe(handles) == 0 && pipe(done) == 0, "no pipe");
    // A process that has called HIP cannot be copied.
    const pid_t child = fork();
    REQUIRE(child >= 0, "no process");
    if (child == 0) {
        return other_process(handles[0], done[1]);
    }
    int* values = nullptr;
    std::vector<int> host(COUNT);
    for (unsigned i = 0; i < COUNT; i++) {
        host[i] = int(i);
    }
    CHECK(hipMalloc(&values, COUNT * sizeof(int)));
    CHECK(hipMemcpy(values, host.data(), COUNT * sizeof(int), hipMemcpyHostToDevice));
    hipIpcMemHandle_t handle;
    CHECK(hipIpcGetMemHandle(&handle, values));
    REQUIRE(write(handles[1], &handle, sizeof handle) == sizeof handle, "the pipe is closed");
    char answer = 0;
    close(done[1]);
    REQUIRE(read(done[0], &answer, 1) == 1, "the other process has failed");
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child && status == 0, "status %#x", status);
    CHECK(hipMemcpy(host.data(), values, COUNT * sizeof(int), hipMemcpyDeviceToHost));
    for (unsigned i = 0; i + 1 < COUNT; i++) {
        EXPECT_EQUAL(host[i], int(i) + 7);
    }
    EXPECT_EQUAL(host[COUNT - 1], -1);
    CHECK(hipFree(values));
    // What comes after is its own again.
    CHECK(hipMalloc(&values, COUNT * sizeof(int)));
    CHECK(hipMemset(values, 0, COUNT * sizeof(int)));
    CHECK(hipFree(values));
    std::puts("ok");
}
