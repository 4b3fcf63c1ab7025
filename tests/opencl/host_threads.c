//! # Threads of the host: they enqueue to one queue and to their own, build programs, and share kernels' buffers.
#include "check.h"

#include <pthread.h>

enum { THREADS = 6, TURNS = 40, LENGTH = 64 };

static const char* const SOURCE =
    "kernel void add(global int* data, int by) { data[get_global_id(0)] += by; }\n"
    "kernel void total(global int* sum, int by) { if (get_global_id(0) == 0) atomic_add(sum, by); }\n";

static cl_program program;
static cl_mem sum;
static pthread_barrier_t start;

typedef struct {
    int index;
    cl_command_queue by;
} Job;

// Each thread has its buffer and kernels; the queue may be everybody's.
static void* work(void* user) {
    const Job* const job = user;
    const cl_kernel add = kernel_of(program, "add"), total = kernel_of(program, "total");
    const int zeros[LENGTH] = {0};
    const cl_mem data = buffer_of(sizeof zeros, zeros);
    const size_t global = LENGTH;
    pthread_barrier_wait(&start);
    int expected = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        const cl_int by = job->index * 1000 + turn;
        expected += by;
        SET(add, 0, data);
        SET(add, 1, by);
        SET(total, 0, sum);
        SET(total, 1, by);
        cl_event event;
        CHECK(clEnqueueNDRangeKernel(job->by, add, 1, NULL, &global, NULL, 0, NULL, &event));
        CHECK(clEnqueueNDRangeKernel(job->by, total, 1, NULL, &global, NULL, 1, &event, NULL));
        if (turn % 7 == 0) {
            CHECK(clWaitForEvents(1, &event));
        }
        if (turn % 11 == 0) {
            int got[LENGTH];
            CHECK(clEnqueueReadBuffer(job->by, data, CL_TRUE, 0, sizeof got, got, 1, &event, NULL));
            for (int i = 0; i < LENGTH; i++) {
                EXPECT_EQUAL(got[i], expected);
            }
        }
        CHECK(clReleaseEvent(event));
    }
    CHECK(clFinish(job->by));
    int got[LENGTH];
    CHECK(clEnqueueReadBuffer(job->by, data, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < LENGTH; i++) {
        EXPECT_EQUAL(got[i], expected);
    }
    CHECK(clReleaseMemObject(data));
    CHECK(clReleaseKernel(add));
    CHECK(clReleaseKernel(total));
    return NULL;
}

static void run(void* (*function)(void*), Job* jobs) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        jobs[i].index = i;
        REQUIRE(pthread_create(&threads[i], NULL, function, &jobs[i]) == 0, "no thread");
    }
    for (int i = 0; i < THREADS; i++) {
        REQUIRE(pthread_join(threads[i], NULL) == 0, "a thread is lost");
    }
}

static void check_queues(bool is_one) {
    Job jobs[THREADS];
    const int zero = 0;
    sum = buffer_of(4, &zero);
    for (int i = 0; i < THREADS; i++) {
        jobs[i].by = is_one ? queue : make_queue(i % 2 == 0 ? 0 : CL_QUEUE_PROFILING_ENABLE);
    }
    run(work, jobs);
    int expected = 0, got;
    for (int i = 0; i < THREADS; i++) {
        expected += i * 1000 * TURNS + TURNS * (TURNS - 1) / 2;
        if (!is_one) {
            CHECK(clReleaseCommandQueue(jobs[i].by));
        }
    }
    download(sum, sizeof got, &got);
    EXPECT_EQUAL(got, expected);
    CHECK(clReleaseMemObject(sum));
}

// Contexts, programs and queues of a thread's own, made and ended at the same time.
static void* make_all(void* user) {
    const Job* const job = user;
    pthread_barrier_wait(&start);
    for (int turn = 0; turn < 3; turn++) {
        char source[100];
        const char* text = source;
        sprintf(source, "kernel void answer(global int* to) { to[0] = %d; }", job->index * 10 + turn);
        const cl_context own = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
        CHECK(status);
        const cl_command_queue by = clCreateCommandQueueWithProperties(own, device, NULL, &status);
        CHECK(status);
        const cl_program made = clCreateProgramWithSource(own, 1, &text, NULL, &status);
        CHECK(status);
        CHECK(clBuildProgram(made, 1, &device, "", NULL, NULL));
        const cl_kernel kernel = kernel_of(made, "answer");
        const cl_mem to = clCreateBuffer(own, CL_MEM_WRITE_ONLY, 4, NULL, &status);
        CHECK(status);
        SET(kernel, 0, to);
        const size_t one = 1;
        int got = -1;
        CHECK(clEnqueueNDRangeKernel(by, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(by, to, CL_TRUE, 0, 4, &got, 0, NULL, NULL));
        EXPECT_EQUAL(got, job->index * 10 + turn);
        CHECK(clReleaseMemObject(to));
        CHECK(clReleaseKernel(kernel));
        CHECK(clReleaseProgram(made));
        CHECK(clReleaseCommandQueue(by));
        CHECK(clReleaseContext(own));
    }
    return NULL;
}

int main(void) {
    open_device();
    REQUIRE(pthread_barrier_init(&start, NULL, THREADS) == 0, "no barrier");
    program = build(SOURCE, "");
    check_queues(true);
    check_queues(false);
    Job jobs[THREADS];
    run(make_all, jobs);
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
