//! # SHA-256 of many messages, with the constants in constant memory; known digests, and the host's own of the others.
//! targets = ["gfx803", "gfx900", "gfx906"]
#include "check.h"

static const cl_uint CONSTANTS[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static const char* const SOURCE =
    "constant uint START[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};\n"
    "uint turn(uint x, uint n) { return rotate(x, 32 - n); }\n"
    "void block(uint* state, uint* w, constant uint* k) {\n"
    "    for (int t = 16; t < 64; t++) {\n"
    "        uint a = w[t - 15], b = w[t - 2];\n"
    "        w[t] = w[t - 16] + (turn(a, 7) ^ turn(a, 18) ^ (a >> 3)) + w[t - 7] + (turn(b, 17) ^ turn(b, 19) ^ (b >> 10));\n"
    "    }\n"
    "    uint s[8];\n"
    "    for (int i = 0; i < 8; i++) s[i] = state[i];\n"
    "    for (int t = 0; t < 64; t++) {\n"
    "        uint one = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + bitselect(s[6], s[5], s[4]) + k[t] + w[t];\n"
    "        uint two = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + ((s[0] & s[1]) | (s[2] & (s[0] | s[1])));\n"
    "        for (int i = 7; i > 0; i--) s[i] = s[i - 1];\n"
    "        s[4] += one; s[0] = one + two;\n"
    "    }\n"
    "    for (int i = 0; i < 8; i++) state[i] += s[i];\n"
    "}\n"
    "kernel void digest(global const uchar* text, global const uint* starts, global uint* to, constant uint* k) {\n"
    "    uint i = get_global_id(0), first = starts[i], length = starts[i + 1] - first;\n"
    "    uint state[8], w[64];\n"
    "    for (int j = 0; j < 8; j++) state[j] = START[j];\n"
    "    for (uint at = 0; at < length + 9; at += 64) {\n"
    "        for (uint j = 0; j < 16; j++) {\n"
    "            uint word = 0;\n"
    "            for (uint b = 0; b < 4; b++) {\n"
    "                uint p = at + 4 * j + b;\n"
    "                word = word << 8 | (p < length ? text[first + p] : p == length ? 0x80 : 0);\n"
    "            }\n"
    "            w[j] = word;\n"
    "        }\n"
    "        if (at + 64 >= length + 9) w[15] = length * 8;\n"
    "        block(state, w, k);\n"
    "    }\n"
    "    for (int j = 0; j < 8; j++) to[i * 8 + j] = state[j];\n"
    "}\n";

static cl_uint right(cl_uint x, int n) { return x >> n | x << (32 - n); }

static void host_digest(const unsigned char* text, size_t length, cl_uint* state) {
    const cl_uint start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(state, start, sizeof start);
    for (size_t at = 0; at < length + 9; at += 64) {
        cl_uint w[64] = {0}, s[8];
        for (size_t p = at; p < at + 64; p++) {
            const cl_uint byte = p < length ? text[p] : p == length ? 0x80 : 0;
            w[(p - at) / 4] |= byte << (24 - 8 * (p % 4));
        }
        if (at + 64 >= length + 9) {
            w[15] = (cl_uint)(8 * length);
        }
        for (int t = 16; t < 64; t++) {
            w[t] = w[t - 16] + w[t - 7] + (right(w[t - 15], 7) ^ right(w[t - 15], 18) ^ w[t - 15] >> 3) + (right(w[t - 2], 17) ^ right(w[t - 2], 19) ^ w[t - 2] >> 10);
        }
        memcpy(s, state, sizeof s);
        for (int t = 0; t < 64; t++) {
            const cl_uint one = s[7] + (right(s[4], 6) ^ right(s[4], 11) ^ right(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + CONSTANTS[t] + w[t];
            const cl_uint two = (right(s[0], 2) ^ right(s[0], 13) ^ right(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
            memmove(s + 1, s, 7 * sizeof *s);
            s[4] += one;
            s[0] = one + two;
        }
        for (int i = 0; i < 8; i++) {
            state[i] += s[i];
        }
    }
}

enum { MESSAGES = 130 };

int main(void) {
    open_device();
    const cl_program program = build(SOURCE, "-cl-std=CL1.2");
    const cl_kernel kernel = kernel_of(program, "digest");
    static unsigned char text[MESSAGES * 200];
    static cl_uint starts[MESSAGES + 1], expected[MESSAGES][8], got[MESSAGES][8];
    random_fill(text, sizeof text, 61);
    memcpy(text, "abc", 3);
    for (cl_uint i = 0; i < MESSAGES; i++) {
        starts[i + 1] = starts[i] + (i == 0 ? 3 : i == 1 ? 0 : i);
        host_digest(text + starts[i], starts[i + 1] - starts[i], expected[i]);
    }
    // The digests of "abc" and of nothing, as the standard has them.
    const cl_uint known[2][8] = {
        {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223, 0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad},
        {0xe3b0c442, 0x98fc1c14, 0x9afbf4c8, 0x996fb924, 0x27ae41e4, 0x649b934c, 0xa495991b, 0x7852b855}};
    expect_same("host's digest", expected, known, 16, sizeof(cl_uint));
    const cl_mem from = buffer_of(sizeof text, text), places = buffer_of(sizeof starts, starts);
    const cl_mem to = buffer_of(sizeof got, NULL), constants = buffer_of(sizeof CONSTANTS, CONSTANTS);
    SET(kernel, 0, from);
    SET(kernel, 1, places);
    SET(kernel, 2, to);
    SET(kernel, 3, constants);
    launch(kernel, MESSAGES, 0);
    download(to, sizeof got, got);
    expect_same("digest", got, expected, MESSAGES * 8, sizeof(cl_uint));
    CHECK(clReleaseMemObject(from));
    CHECK(clReleaseMemObject(places));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseMemObject(constants));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
