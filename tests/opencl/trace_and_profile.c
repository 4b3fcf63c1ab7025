//! # Traces and profiles of a program's kernels: the program runs itself with settings; counts follow from its launches.
#include "check.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

// `mul_hi` of a value that is only known when the kernel runs is one instruction, in every round.
static const char* const SOURCE =
    "kernel void work(global uint* data, int rounds) {\n"
    "    uint x = data[get_global_id(0)];\n"
    "    _Pragma(\"clang loop unroll(disable)\")\n"
    "    for (int i = 0; i < rounds; i++) x = mul_hi(x, 0x9e3779b9u) + i;\n"
    "    data[get_global_id(0)] = x;\n"
    "}\n"
    "kernel void idle(void) {}\n";

static int child(void) {
    open_device();
    const cl_program program = build(SOURCE, "");
    const cl_kernel work = kernel_of(program, "work"), idle = kernel_of(program, "idle");
    const cl_mem buffer = buffer_of(384 * sizeof(cl_uint), NULL);
    const cl_uint zero = 0;
    CHECK(clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, 0, 384 * sizeof(cl_uint), 0, NULL, NULL));
    SET(work, 0, buffer);
    const int rounds[] = {5, 7};
    const size_t sizes[] = {384, 64};
    for (int i = 0; i < 2; i++) {
        SET(work, 1, rounds[i]);
        launch(work, sizes[i], i == 0 ? 128 : 64);
    }
    launch(idle, 128, 64);
    CHECK(clFinish(queue));
    return 0;
}

// Runs the program with a variable that names a file; its text, which the caller frees.
static char* run(const char* variable, const char* ending, const char* more, const char* value) {
    char file[100];
    snprintf(file, sizeof file, "/tmp/gcn-opencl-%ld%s", (long)getpid(), ending);
    const pid_t pid = fork();
    if (pid == 0) {
        setenv(variable, file, 1);
        setenv(more, value, 1);
        execl("/proc/self/exe", "child", "child", NULL);
        _exit(88);
    }
    int end = 0;
    REQUIRE(waitpid(pid, &end, 0) == pid && WIFEXITED(end), "the child ends with %#x", end);
    EXPECT_EQUAL(WEXITSTATUS(end), 0);
    FILE* const in = fopen(file, "r");
    REQUIRE(in != NULL, "%s is not written", file);
    char* const text = allocate(1 << 22, 1);
    const size_t length = fread(text, 1, (1 << 22) - 1, in);
    REQUIRE(length > 0 && length < (1 << 22) - 1, "%zu bytes", length);
    fclose(in);
    unlink(file);
    return text;
}

// The number behind a name in quotes, behind a place in the text.
static long long number(const char* text, const char* place, const char* name) {
    char key[100];
    snprintf(key, sizeof key, "\"%s\": ", name);
    const char* at = strstr(text, place);
    REQUIRE(at != NULL, "no %s in %s", place, text);
    at = strstr(at, key);
    REQUIRE(at != NULL, "no %s behind %s", name, place);
    return atoll(at + strlen(key));
}

static int lines_with(const char* text, const char* part) {
    int count = 0;
    for (const char* at = text; (at = strstr(at, part)) != NULL; at += strlen(part)) count++;
    return count;
}

int main(int count, char** arguments) {
    (void)arguments;
    if (count > 1) return child();
    char* const profile = run("GCN_PROFILE", ".json", "GCN_PROFILE_FORMAT", "json");
    const char *const work = "\"name\": \"work\"", *const idle = "\"name\": \"idle\"";
    EXPECT_EQUAL(number(profile, work, "dispatches"), 2);
    EXPECT_EQUAL(number(profile, work, "workgroups"), 3 + 1);
    EXPECT_EQUAL(number(profile, work, "waves"), 3 * 2 + 1);
    EXPECT_EQUAL(number(profile, "\"instruction\": \"v_mul_hi_u32", "executions"), 3 * 2 * 5 + 7);
    EXPECT_EQUAL(number(profile, "\"instruction\": \"v_mul_hi_u32", "active_lanes"), 64 * (3 * 2 * 5 + 7));
    EXPECT_EQUAL(number(profile, idle, "waves"), 2);
    free(profile);
    char* const trace = run("GCN_TRACE", ".txt", "GCN_TRACE_ONLY", "instruction=v_mul_hi_u32");
    EXPECT_EQUAL(lines_with(trace, "v_mul_hi_u32"), 3 * 2 * 5 + 7);
    EXPECT_EQUAL(lines_with(trace, "s_endpgm"), 0);
    free(trace);
    return passed();
}
