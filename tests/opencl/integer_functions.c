//! # Functions of integers of every size and sign, against the host's 128-bit arithmetic.
#include "check.h"

__extension__ typedef __int128 Wide;

static const struct {
    const char* name;
    int bits;
    bool is_signed;
} TYPES[] = {{"char", 8, true}, {"uchar", 8, false}, {"short", 16, true}, {"ushort", 16, false},
             {"int", 32, true}, {"uint", 32, false}, {"long", 64, true},  {"ulong", 64, false}};

enum { POINTS = 200, RESULTS = 16 };

static const char* const PATTERN =
    "kernel void call_%s(global const %s* a, global const %s* b, global const %s* c, global %s* to, global u%s* u) {\n"
    "    size_t i = get_global_id(0), n = get_global_size(0);\n"
    "    %s x = a[i], y = b[i], z = c[i];\n"
    "    u[i] = abs(x); u[n + i] = abs_diff(x, y);\n"
    "    to[i] = add_sat(x, y); to[n + i] = sub_sat(x, y); to[2 * n + i] = hadd(x, y); to[3 * n + i] = rhadd(x, y);\n"
    "    to[4 * n + i] = clz(x); to[5 * n + i] = mul_hi(x, y); to[6 * n + i] = mad_hi(x, y, z); to[7 * n + i] = mad_sat(x, y, z);\n"
    "    to[8 * n + i] = max(x, y); to[9 * n + i] = min(x, y); to[10 * n + i] = rotate(x, y); to[11 * n + i] = popcount(x);\n"
    "    to[12 * n + i] = clamp(x, min(y, z), max(y, z)); to[13 * n + i] = ctz(x);\n"
    "    to[14 * n + i] = y != 0 && (x > 0 || y > 0 || -1 - y != 0) ? x / y : 0; to[15 * n + i] = x >> (y & 7);\n"
    "}\n";

static Wide low_of(int bits, bool is_signed) { return is_signed ? -((Wide)1 << (bits - 1)) : 0; }
static Wide high_of(int bits, bool is_signed) { return ((Wide)1 << (bits - is_signed)) - 1; }
static Wide limited(Wide value, Wide low, Wide high) { return value < low ? low : value > high ? high : value; }

// The low bits of a value, as unsigned.
static uint64_t bits_of(Wide value, int bits) { return (uint64_t)value & (bits == 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1); }

static Wide load(const unsigned char* at, int bits, bool is_signed) {
    uint64_t value = 0;
    memcpy(&value, at, (size_t)bits / 8);
    return is_signed && value >> (bits - 1) ? (Wide)value - ((Wide)1 << bits) : (Wide)value;
}

// The high half of a product; that of unsigned 64-bit numbers needs all 128 bits, which wrap to the same.
static Wide high_half(Wide x, Wide y, int bits, bool is_signed) {
    __extension__ typedef unsigned __int128 Unsigned;
    return is_signed ? (x * y) >> bits : (Wide)((Unsigned)x * (Unsigned)y >> bits);
}

static Wide saturated_product(Wide x, Wide y, Wide z, Wide low, Wide high) {
    // Only the product of two unsigned 64-bit numbers has more than 127 bits.
    if (low == 0 && x != 0 && y > high / x) {
        return high;
    }
    return limited(x * y + z, low, high);
}

static void expect(int row, Wide x, Wide y, Wide z, int bits, bool is_signed, uint64_t* to, uint64_t* u) {
    const Wide low = low_of(bits, is_signed), high = high_of(bits, is_signed);
    const uint64_t pattern = bits_of(x, bits);
    const int turn = (int)(bits_of(y, bits) % (uint64_t)bits);
    const Wide least = y < z ? y : z, most = y < z ? z : y;
    int zeros = 0, trailing = 0, ones = 0;
    while (zeros < bits && !(pattern >> (bits - 1 - zeros) & 1)) {
        zeros++;
    }
    while (trailing < bits && !(pattern >> trailing & 1)) {
        trailing++;
    }
    for (int k = 0; k < bits; k++) {
        ones += pattern >> k & 1;
    }
    const bool divides = y != 0 && (x > 0 || y > 0 || y != -1);
    const Wide results[RESULTS] = {limited(x + y, low, high),
                                   limited(x - y, low, high),
                                   (x + y) >> 1,
                                   (x + y + 1) >> 1,
                                   zeros,
                                   high_half(x, y, bits, is_signed),
                                   high_half(x, y, bits, is_signed) + z,
                                   saturated_product(x, y, z, low, high),
                                   x > y ? x : y,
                                   x < y ? x : y,
                                   (Wide)(turn == 0 ? pattern : pattern << turn | pattern >> (bits - turn)),
                                   ones,
                                   limited(x, least, most),
                                   trailing,
                                   divides ? x / y : 0,
                                   x >> (bits_of(y, bits) & 7)};
    for (int k = 0; k < RESULTS; k++) {
        to[k * POINTS + row] = bits_of(results[k], bits);
    }
    u[row] = bits_of(x < 0 ? -x : x, bits);
    u[POINTS + row] = bits_of(x > y ? x - y : y - x, bits);
}

static void check_type(cl_program program, const char* name, int bits, bool is_signed) {
    char kernel_name[20];
    snprintf(kernel_name, sizeof kernel_name, "call_%s", name);
    const cl_kernel kernel = kernel_of(program, kernel_name);
    const size_t size = (size_t)bits / 8;
    static unsigned char inputs[3][POINTS * 8], got[RESULTS * POINTS * 8], got_u[2 * POINTS * 8];
    static uint64_t to[RESULTS * POINTS], u[2 * POINTS];
    cl_mem buffers[5];
    for (int k = 0; k < 3; k++) {
        random_fill(inputs[k], sizeof inputs[k], (uint64_t)(bits + k + is_signed * 10));
        // Some small and extreme values among them.
        for (int i = 0; i < POINTS; i += 4) {
            const int which = (i / 4 + k * (i / 28)) % 7;
            const Wide special[7] = {0, 1, -1, 5, -7, low_of(bits, is_signed), high_of(bits, is_signed)};
            const uint64_t value = bits_of(special[which], bits);
            memcpy(inputs[k] + (size_t)i * size, &value, size);
        }
        buffers[k] = buffer_of(POINTS * size, inputs[k]);
    }
    buffers[3] = buffer_of(RESULTS * POINTS * size, NULL);
    buffers[4] = buffer_of(2 * POINTS * size, NULL);
    for (cl_uint k = 0; k < 5; k++) {
        SET(kernel, k, buffers[k]);
    }
    launch(kernel, POINTS, 0);
    download(buffers[3], RESULTS * POINTS * size, got);
    download(buffers[4], 2 * POINTS * size, got_u);
    for (int i = 0; i < POINTS; i++) {
        Wide values[3];
        for (int k = 0; k < 3; k++) {
            values[k] = load(inputs[k] + (size_t)i * size, bits, is_signed);
        }
        expect(i, values[0], values[1], values[2], bits, is_signed, to, u);
    }
    for (int k = 0; k < (RESULTS + 2) * POINTS; k++) {
        const bool is_u = k >= RESULTS * POINTS;
        const int at = is_u ? k - RESULTS * POINTS : k;
        // AMD's device library subtracts int and long as they are: it has no difference that they cannot hold.
        if (k >= (RESULTS + 1) * POINTS && is_signed && bits >= 32 && u[at] >> (bits - 1)) {
            continue;
        }
        const uint64_t have = bits_of(load((is_u ? got_u : got) + (size_t)at * size, bits, false), bits), want = is_u ? u[at] : to[at];
        REQUIRE(have == want, "%s, function %d of %#llx, %#llx, %#llx: expected %#llx, got %#llx", name, k / POINTS,
                (unsigned long long)bits_of(load(inputs[0] + (size_t)(k % POINTS) * size, bits, false), bits),
                (unsigned long long)bits_of(load(inputs[1] + (size_t)(k % POINTS) * size, bits, false), bits),
                (unsigned long long)bits_of(load(inputs[2] + (size_t)(k % POINTS) * size, bits, false), bits),
                (unsigned long long)want, (unsigned long long)have);
    }
    for (int k = 0; k < 5; k++) {
        CHECK(clReleaseMemObject(buffers[k]));
    }
    CHECK(clReleaseKernel(kernel));
}

// Functions that have a type of their own: products of 24 bits, and values put together from halves.
static const char* const OTHERS =
    "kernel void others(global const int* a, global int* to, global long* wide) {\n"
    "    int x = a[0], y = a[1], z = a[2];\n"
    "    to[0] = mul24(x, y); to[1] = mad24(x, y, z); to[2] = mul24((uint)z, (uint)y);\n"
    "    to[3] = upsample((char)x, (uchar)y); to[4] = upsample((short)x, (ushort)y); to[5] = upsample((uchar)z, (uchar)y);\n"
    "    wide[0] = upsample(x, (uint)y); wide[1] = upsample((uint)z, (uint)x);\n"
    "}\n";

static void check_others(cl_program program) {
    const int values[3] = {-1234, 4321, 98765};
    const int expected[6] = {-1234 * 4321, -1234 * 4321 + 98765, 98765 * 4321,
                             (int)(int16_t)((uint16_t)((-1234 & 0xff) << 8) | (4321 & 0xff)),
                             (int)(((unsigned)-1234 & 0xffff) << 16 | 4321), (98765 & 0xff) << 8 | (4321 & 0xff)};
    const cl_long expected_wide[2] = {(cl_long)((cl_ulong)-1234 << 32 | 4321), (cl_long)((cl_ulong)98765 << 32 | (cl_uint)-1234)};
    int got[6];
    cl_long wide[2];
    const cl_kernel kernel = kernel_of(program, "others");
    const cl_mem from = buffer_of(sizeof values, values), to = buffer_of(sizeof got, NULL), more = buffer_of(sizeof wide, NULL);
    SET(kernel, 0, from);
    SET(kernel, 1, to);
    SET(kernel, 2, more);
    launch(kernel, 1, 1);
    download(to, sizeof got, got);
    download(more, sizeof wide, wide);
    expect_same("others", got, expected, 6, sizeof(int));
    expect_same("wide", wide, expected_wide, 2, sizeof *wide);
    CHECK(clReleaseMemObject(from));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseMemObject(more));
    CHECK(clReleaseKernel(kernel));
}

int main(void) {
    open_device();
    static char source[16000];
    size_t at = 0;
    for (size_t i = 0; i < COUNT(TYPES); i++) {
        const char *const name = TYPES[i].name, *const base = TYPES[i].is_signed ? name : name + 1;
        at += (size_t)snprintf(source + at, sizeof source - at, PATTERN, name, name, name, name, name, base, name);
    }
    REQUIRE(at + strlen(OTHERS) < sizeof source, "a long source");
    strcpy(source + at, OTHERS);
    const cl_program program = build(source, "");
    for (size_t i = 0; i < COUNT(TYPES); i++) {
        check_type(program, TYPES[i].name, TYPES[i].bits, TYPES[i].is_signed);
    }
    check_others(program);
    CHECK(clReleaseProgram(program));
    close_device();
    return passed();
}
