//! # printf in kernels: every conversion, long strings, many arguments, and output of all lanes.
// HIP 5.2 takes a padded string for as long as it is printed, in words of eight bytes, and loses its place; the fields here
// end in the word that the string ends in.
#include <algorithm>
#include <sstream>
#include <string>
#include <unistd.h>

#include "check.h"

__global__ void formats(const char* word) {
    printf("integers %d %u %x %#X %o %+d |%5d|%-5d|%05d\n", -5, 4294967291u, 255, 255, 15, 7, 42, 42, 42);
    printf("wide %lld %llu %lx %llo\n", -9000000000ll, ~0ull, 0xdeadbeefcafeul, ~0ull);
    printf("short %hhd %hhu %hd %hu\n", (signed char)-1, (unsigned char)255, (short)-2, (unsigned short)65534);
    printf("floats %f %.3e %g %G %a %f %f %.1f\n", 1.5, -2250.0, 0.0001, 1e10, 3.0, HUGE_VAL, __builtin_nan(""), -0.0);
    printf("precise %.2f |%7.3f| %g %g\n", 3.14159, 2.71828f, 123456789.0, 1e5);
    printf("strings %s |%7s|%-6s|%.3s and a percent %%\n", word, "right", "left", "truncated");
    printf("characters %c %c\n", 'A', 'z');
    printf("starred |%*d|%*.*f|%.*s\n", 6, 7, 7, 3, 1.5, 3, "abcdef");
    printf("many %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    printf("%s: the end\n", "a longer string with all the words that it takes to be more than one packet of fifty-six bytes");
    printf("pointer %p\n", (void*)0x7f1234567890);
    const int printed = printf("fourteen long\n");
    printf("result %d\n", printed);
}

const char* const EXPECTED =
    "integers -5 4294967291 ff 0XFF 17 +7 |   42|42   |00042\n"
    "wide -9000000000 18446744073709551615 deadbeefcafe 1777777777777777777777\n"
    "short -1 255 -2 65534\n"
    "floats 1.500000 -2.250e+03 0.0001 1E+10 0x1.8p+1 inf nan -0.0\n"
    "precise 3.14 |  2.718| 1.23457e+08 100000\n"
    "strings hello |  right|left  |tru and a percent %\n"
    "characters A z\n"
    "starred |     7|  1.500|abc\n"
    "many 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
    "a longer string with all the words that it takes to be more than one packet of fifty-six bytes: the end\n"
    "pointer 0x7f1234567890\n"
    "fourteen long\n"
    "result 14\n";

__global__ void lanes() {
    const unsigned lane = threadIdx.x, group = blockIdx.x;
    if (lane % 3 == 0) {
        printf("lane %u of group %u\n", lane, group);
    }
}

// Standard output of a function.
template <typename Body>
std::string captured(Body body) {
    std::fflush(stdout);
    const int before = dup(1);
    std::FILE* file = std::tmpfile();
    REQUIRE(file != nullptr && dup2(fileno(file), 1) == 1, "no temporary file");
    body();
    std::fflush(stdout);
    dup2(before, 1);
    std::rewind(file);
    std::string text;
    for (int c; (c = std::fgetc(file)) != EOF;) {
        text.push_back(char(c));
    }
    std::fclose(file);
    return text;
}

int main() {
    char* word;
    CHECK(hipHostMalloc(&word, 16, 0));
    std::strcpy(word, "hello");
    const std::string got = captured([=] {
        formats<<<1, 1>>>(word);
        CHECK_LAUNCH();
        CHECK(hipDeviceSynchronize());
    });
    REQUIRE(got == EXPECTED, "expected:\n%sgot:\n%s", EXPECTED, got.c_str());

    const std::string unordered = captured([] {
        lanes<<<3, 96>>>();
        CHECK_LAUNCH();
        CHECK(hipDeviceSynchronize());
    });
    std::vector<std::string> lines, expected;
    std::istringstream stream(unordered);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    for (unsigned group = 0; group < 3; group++) {
        for (unsigned lane = 0; lane < 96; lane += 3) {
            expected.push_back("lane " + std::to_string(lane) + " of group " + std::to_string(group));
        }
    }
    std::sort(lines.begin(), lines.end());
    std::sort(expected.begin(), expected.end());
    REQUIRE(lines == expected, "the lanes printed:\n%s", unordered.c_str());
    CHECK(hipHostFree(word));
    return passed();
}
