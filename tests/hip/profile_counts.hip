//! # Profiles of all kernels of a program: the program runs itself with settings; the expected counts follow from its launches.
//! devices = 2
#include "check.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <utility>

// Work-items of a workgroup that execute V_EXP_F32.
constexpr unsigned SOME = 40;
// Floats from one load to the next, so that each is in a line of 64 bytes of its own.
constexpr unsigned STRIDE = 16;

__global__ void work(const float* data, float* result, int rounds) {
    const unsigned item = blockIdx.x * blockDim.x + threadIdx.x;
    const float* place = data + item * STRIDE;
    float x;
    asm volatile("flat_load_dword %0, %1\n s_waitcnt vmcnt(0) lgkmcnt(0)" : "=v"(x) : "v"(place));
#pragma unroll 1
    for (int i = 0; i < rounds; i++) asm volatile("v_sin_f32 %0, %0" : "+v"(x));
    if (threadIdx.x < SOME) asm volatile("v_exp_f32 %0, %0" : "+v"(x));
    result[item] = x;
}

__global__ void idle() {}

__global__ void store(int* place) { *place = 1; }

// Every device executes the same.
static int child(const std::string& end) {
    if (end == "nothing") return hipInit(0) == hipSuccess ? 0 : 1;
    for (const int device : {0, 1}) {
        CHECK(hipSetDevice(device));
        const DeviceArray<float> data(3 * 128 * STRIDE), result(3 * 128);
        work<<<3, 128>>>(data, result, 5);
        work<<<1, 64>>>(data, result, 7);
        idle<<<2, 64>>>();
        CHECK_LAUNCH();
        CHECK(hipDeviceSynchronize());
    }
    if (end == "fork") {
        // A child's end is not the program's.
        const pid_t forked = fork();
        if (forked == 0) std::exit(0);
        int status = 0;
        if (waitpid(forked, &status, 0) != forked || status != 0) return 77;
    }
    if (end == "fault") {
        store<<<1, 64>>>(nullptr);
        (void)hipDeviceSynchronize();
        return 66;
    }
    return 0;
}

static std::string path() { return "/tmp/gcn-profile-" + std::to_string(getpid()); }

// Runs the child with a profile in a file whose name ends in `ending`, or on standard error without one: its status and the profile.
static std::pair<int, std::string> run(const char* end, const std::string& ending, const char* form = "") {
    const std::string file = path() + "-%p" + ending;
    const std::string standard = path() + "-error";
    const pid_t pid = fork();
    if (pid == 0) {
        setenv("GCN_PROFILE", ending.empty() ? "-" : file.c_str(), 1);
        setenv("GCN_PROFILE_FORMAT", form, 1);
        dup2(open(standard.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600), 2);
        execl("/proc/self/exe", "child", end, nullptr);
        _exit(88);
    }
    int status = 0;
    REQUIRE(waitpid(pid, &status, 0) == pid, "%s", end);
    const std::string own = ending.empty() ? standard : path() + "-" + std::to_string(pid) + ending;
    std::ifstream in(own);
    std::string text(std::istreambuf_iterator<char>(in), {});
    unlink(own.c_str());
    unlink(standard.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text};
}

static bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

// The sum of a count over the places behind which it comes.
static long long sum(const std::string& json, const std::string& before, const std::string& count) {
    long long sum = 0;
    for (size_t at = json.find(before); at != std::string::npos; at = json.find(before, at + 1)) {
        const std::string key = "\"" + count + "\": ";
        const size_t value = json.find(key, at);
        REQUIRE(value != std::string::npos, "%s has no %s", before.c_str(), count.c_str());
        sum += std::stoll(json.substr(value + key.size()));
    }
    return sum;
}

static void expect_counts(const std::string& json) {
    const std::string work = "\"name\": \"_Z4workPKfPfi\"";
    REQUIRE(has(json, work.c_str()) && json.find(work) == json.rfind(work), "one entry for both devices: %s", json.c_str());
    EXPECT_EQUAL(sum(json, work, "dispatches"), 2 * 2);
    EXPECT_EQUAL(sum(json, work, "workgroups"), 2 * (3 + 1));
    // A wave has 64 work-items.
    const long long waves = 2 * (3 * 2 + 1);
    EXPECT_EQUAL(sum(json, work, "waves"), waves);
    const std::string load = "\"instruction\": \"flat_load_dword ";
    EXPECT_EQUAL(sum(json, load, "executions"), waves);
    EXPECT_EQUAL(sum(json, load, "active_lanes"), 64 * waves);
    EXPECT_EQUAL(sum(json, load, "bytes"), 4 * 64 * waves);
    EXPECT_EQUAL(sum(json, load, "memory_accesses"), waves);
    EXPECT_EQUAL(sum(json, load, "cache_lines"), 64 * waves);
    const std::string sine = "\"instruction\": \"v_sin_f32";
    EXPECT_EQUAL(sum(json, sine, "executions"), 2 * (3 * 2 * 5 + 7));
    EXPECT_EQUAL(sum(json, sine, "active_lanes"), 64 * 2 * (3 * 2 * 5 + 7));
    EXPECT_EQUAL(sum(json, "\"instruction\": \"v_exp_f32", "active_lanes"), 2 * (3 + 1) * SOME);
    const std::string idle = "\"name\": \"_Z4idlev\"";
    EXPECT_EQUAL(sum(json, idle, "dispatches"), 2);
    EXPECT_EQUAL(sum(json, idle, "waves"), 2 * 2);
    // S_ENDPGM alone.
    EXPECT_EQUAL(sum(json, idle, "executions"), 2 * 2);
}

int main(int count, char** arguments) {
    if (count > 1) return child(arguments[1]);
    for (const char* end : {"return", "fork"}) {
        const auto [status, json] = run(end, ".json");
        REQUIRE(status == 0, "%s: status %d", end, status);
        expect_counts(json);
        REQUIRE(!has(json, "_Z5storePi"), "%s", json.c_str());
    }
    // The profile of a program that a fault ends has the kernel with the fault.
    const auto [status, json] = run("fault", ".profile", "json");
    EXPECT_EQUAL(status, 128 + SIGABRT);
    expect_counts(json);
    EXPECT_EQUAL(sum(json, "\"name\": \"_Z5storePi\"", "waves"), 1);

    const auto text = run("return", "");
    REQUIRE(text.first == 0 && has(text.second, "  kernel\n"), "%s", text.second.c_str());
    REQUIRE(has(text.second, "\nkernel _Z4idlev (idle): 2 dispatches, 4 workgroups, 4 waves, 4 instructions executed\n"), "%s",
            text.second.c_str());
    const auto page = run("return", ".html");
    REQUIRE(page.first == 0 && has(page.second, "<!DOCTYPE html>") && has(page.second, "_Z4workPKfPfi"), "%s", page.second.c_str());
    const auto nothing = run("nothing", ".json");
    REQUIRE(nothing.first == 0 && has(nothing.second, "\"kernels\": []"), "%s", nothing.second.c_str());
    return passed();
}
