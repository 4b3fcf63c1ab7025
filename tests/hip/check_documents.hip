//! # Documents of findings, suppressions and exit statuses: the program runs itself with settings, and ends in several ways.
//! stderr = ["gcn: nothing was checked: no launched kernel is named scatter*; the launched kernels are gather(int const*, unsigned int const*, int*)", "gcn: nothing was checked: --launch-skip and --launch-count leave no launch"]
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

__global__ void gather(const int* data, const unsigned* places, int* result) {
    result[threadIdx.x] = data[places[threadIdx.x]];
}

// Has a finding, and ends.
static int child(const std::string& end) {
    const DeviceArray<int> data(std::vector<int>(64, 5)), result(64);
    const DeviceArray<unsigned> places(64);
    for (int i = 0; i < 2; i++) {
        gather<<<1, 64>>>(data, places, result);
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
    if (end == "abort") std::abort();
    if (end == "kill") kill(getpid(), SIGKILL);
    if (end == "exit") std::exit(0);
    return end == "fail" ? 5 : 0;
}

using Variables = std::vector<std::pair<const char*, std::string>>;

static std::string read(const std::string& file) {
    std::ifstream in(file);
    return std::string(std::istreambuf_iterator<char>(in), {});
}

static std::string path(const char* name) { return "/tmp/gcn-check-" + std::to_string(getpid()) + name; }

// Runs the child with checks: its status, and what it has written.
static std::pair<int, std::string> run(const char* end, const Variables& variables) {
    const std::string file = path("-%p");
    const pid_t pid = fork();
    if (pid == 0) {
        setenv("GCN_CHECK", "uninit", 1);
        setenv("GCN_CHECK_OUTPUT", file.c_str(), 1);
        for (const auto& [name, value] : variables) setenv(name, value.c_str(), 1);
        // A kernel that is stopped is reported there, unless it ends by itself before.
        if (getenv("GCN_CHECK_STOP_AT") && !freopen("/dev/null", "w", stderr)) _exit(87);
        execl("/proc/self/exe", "child", end, nullptr);
        _exit(88);
    }
    int status = 0;
    REQUIRE(waitpid(pid, &status, 0) == pid, "%s", end);
    const std::string own = file.substr(0, file.size() - 2) + std::to_string(pid);
    std::string text = read(own);
    unlink(own.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text};
}

static bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

int main(int count, char** arguments) {
    if (count > 1) return child(arguments[1]);
    const Variables json = {{"GCN_CHECK_FORMAT", "json"}, {"GCN_CHECK_ERROR_EXITCODE", "9"}};
    for (const auto& [end, expected] : {std::pair{"return", 9}, {"exit", 9}, {"fork", 9}, {"fail", 5}, {"abort", 134}, {"kill", 137}}) {
        const auto [status, text] = run(end, json);
        REQUIRE(status == expected, "%s: status %d", end, status);
        REQUIRE(has(text, "\"name\": \"uninitialized-address\""), "%s: %s", end, text.c_str());
        REQUIRE(text.front() == '[' && text.substr(text.size() - 2) == "]\n", "%s: %s", end, text.c_str());
        REQUIRE(text.find("\"name\"") == text.rfind("\"name\""), "%s: it is there once: %s", end, text.c_str());
    }
    // Both launches count.
    REQUIRE(has(run("return", json).second, "\"count\": 2"), "%s", run("return", json).second.c_str());
    const auto sarif = run("return", {{"GCN_CHECK_FORMAT", "sarif"}});
    REQUIRE(sarif.first == 0 && has(sarif.second, "\"ruleId\": \"uninitialized-address\""), "%s", sarif.second.c_str());
    const auto text = run("return", {});
    REQUIRE(text.first == 0 && has(text.second, "error[uninitialized-address]: "), "%s", text.second.c_str());

    const auto known = run("return", {{"GCN_CHECK_GEN_SUPPRESSIONS", "1"}});
    REQUIRE(has(known.second, "[[suppress]]\nname = \"uninitialized-address\"\nkernel = \"_Z6gather"), "%s", known.second.c_str());
    const std::string file = path(".toml");
    std::ofstream(file) << known.second;
    Variables quiet = json;
    for (const auto& [name, value] : Variables{{"GCN_CHECK_SUPPRESS", file},
                                               {"GCN_CHECK_KERNEL", "scatter*"},
                                               {"GCN_CHECK_LAUNCH_SKIP", "2"},
                                               {"GCN_CHECK_LAUNCH_COUNT", "0"}}) {
        quiet.push_back({name, value});
        const auto [status, text] = run("return", quiet);
        REQUIRE(status == 0 && text == "[]\n", "%s: status %d, %s", name, status, text.c_str());
        quiet.pop_back();
    }
    unlink(file.c_str());
    const auto none = run("return", {{"GCN_CHECK_FORMAT", "sarif"}, {"GCN_CHECK_KERNEL", "scatter"}});
    REQUIRE(has(none.second, "toolExecutionNotifications") && has(none.second, "no launched kernel is named scatter;"), "%s",
            none.second.c_str());
    // A kernel has its name in the source, too.
    const auto named = run("return", {{"GCN_CHECK_FORMAT", "sarif"}, {"GCN_CHECK_KERNEL", "gather"}});
    REQUIRE(has(named.second, "\"runs\"") && !has(named.second, "toolExecutionNotifications"), "%s", named.second.c_str());
    // The kernel is stopped, and HIP ends the program.
    const auto full = run("return", {{"GCN_CHECK_STOP_AT", "1"}});
    REQUIRE(has(full.second, "uninitialized-address"), "%s", full.second.c_str());
    return passed();
}
