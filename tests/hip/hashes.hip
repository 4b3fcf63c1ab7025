//! # SHA-256, CRC-32 and FNV of many messages of all lengths, tables in constant memory.
#include "check.h"

#include <string>

__constant__ uint32_t device_constants[64];
__constant__ uint32_t device_crc_table[256];
uint32_t host_constants[64], host_crc_table[256];

__host__ __device__ inline uint32_t constant(unsigned i) {
#ifdef __HIP_DEVICE_COMPILE__
    return device_constants[i];
#else
    return host_constants[i];
#endif
}

__host__ __device__ inline uint32_t crc_entry(unsigned i) {
#ifdef __HIP_DEVICE_COMPILE__
    return device_crc_table[i];
#else
    return host_crc_table[i];
#endif
}

__host__ __device__ inline uint32_t turned(uint32_t x, unsigned by) { return x >> by | x << (32 - by); }

// A byte of the message with its padding.
__host__ __device__ inline uint32_t padded(const unsigned char* text, unsigned length, unsigned place, unsigned end) {
    if (place < length) {
        return text[place];
    }
    if (place == length) {
        return 0x80;
    }
    return place + 4 < end ? 0 : uint32_t(length * 8) >> 8 * (end - 1 - place) & 0xff;
}

__host__ __device__ void sha256(const unsigned char* text, unsigned length, uint32_t state[8]) {
    const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (int i = 0; i < 8; i++) {
        state[i] = start[i];
    }
    const unsigned end = (length + 9 + 63) / 64 * 64;
    for (unsigned block = 0; block < end; block += 64) {
        uint32_t w[16], v[8];
        for (int i = 0; i < 8; i++) {
            v[i] = state[i];
        }
        for (unsigned i = 0; i < 64; i++) {
            if (i < 16) {
                w[i] = 0;
                for (unsigned b = 0; b < 4; b++) {
                    w[i] = w[i] << 8 | padded(text, length, block + 4 * i + b, end);
                }
            } else {
                const uint32_t a = w[(i + 1) % 16], e = w[(i + 14) % 16];
                w[i % 16] += (turned(a, 7) ^ turned(a, 18) ^ a >> 3) + w[(i + 9) % 16] + (turned(e, 17) ^ turned(e, 19) ^ e >> 10);
            }
            const uint32_t first = v[7] + (turned(v[4], 6) ^ turned(v[4], 11) ^ turned(v[4], 25)) + ((v[4] & v[5]) ^ (~v[4] & v[6])) +
                                   constant(i) + w[i % 16];
            const uint32_t second =
                (turned(v[0], 2) ^ turned(v[0], 13) ^ turned(v[0], 22)) + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
            for (int k = 7; k > 0; k--) {
                v[k] = v[k - 1];
            }
            v[4] += first;
            v[0] = first + second;
        }
        for (int i = 0; i < 8; i++) {
            state[i] += v[i];
        }
    }
}

struct Hashes {
    uint32_t sha[8], crc;
    uint64_t fnv;
};

__host__ __device__ Hashes hash(const unsigned char* text, unsigned length) {
    Hashes hashes = {};
    sha256(text, length, hashes.sha);
    hashes.crc = ~0u;
    hashes.fnv = 0xcbf29ce484222325;
    for (unsigned i = 0; i < length; i++) {
        hashes.crc = hashes.crc >> 8 ^ crc_entry((hashes.crc ^ text[i]) & 0xff);
        hashes.fnv = (hashes.fnv ^ text[i]) * 0x100000001b3;
    }
    hashes.crc = ~hashes.crc;
    return hashes;
}

__global__ void hash_all(const unsigned char* texts, Hashes* out, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        out[i] = hash(texts + i, i);
    }
}

int main() {
    // The constants are the fractions of the cube roots of primes.
    for (unsigned i = 0, prime = 2; i < 64; prime++) {
        bool is_prime = true;
        for (unsigned d = 2; d * d <= prime; d++) {
            is_prime = is_prime && prime % d != 0;
        }
        if (is_prime) {
            const long double root = cbrtl(prime);
            host_constants[i++] = uint32_t((root - std::floor(root)) * 4294967296.0L);
        }
    }
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; bit++) {
            value = value & 1 ? value >> 1 ^ 0xedb88320 : value >> 1;
        }
        host_crc_table[i] = value;
    }
    // The reference is right for what everybody knows.
    const unsigned char* abc = reinterpret_cast<const unsigned char*>("abc");
    EXPECT_EQUAL(hash(abc, 3).sha[0], 0xba7816bf);
    EXPECT_EQUAL(hash(abc, 3).sha[7], 0xf20015ad);
    EXPECT_EQUAL(hash(reinterpret_cast<const unsigned char*>("123456789"), 9).crc, 0xcbf43926);

    CHECK(hipMemcpyToSymbol(HIP_SYMBOL(device_constants), host_constants, sizeof(host_constants)));
    CHECK(hipMemcpyToSymbol(HIP_SYMBOL(device_crc_table), host_crc_table, sizeof(host_crc_table)));
    const unsigned count = 200;
    const auto texts = random_bits<unsigned char>(2 * count, 1);
    const DeviceArray<unsigned char> device(texts);
    const DeviceArray<Hashes> out(count);
    hash_all<<<groups_of(count, 64), 64>>>(device, out, count);
    CHECK_LAUNCH();
    const auto got = out.download();
    for (unsigned i = 0; i < count; i++) {
        const Hashes expected = hash(&texts[i], i);
        for (int k = 0; k < 8; k++) {
            EXPECT_EQUAL(got[i].sha[k], expected.sha[k]);
        }
        EXPECT_EQUAL(got[i].crc, expected.crc);
        EXPECT_EQUAL(got[i].fnv, expected.fnv);
    }
    return passed();
}
