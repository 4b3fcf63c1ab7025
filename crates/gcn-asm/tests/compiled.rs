//! Assembly that clang writes gives the same bytes as clang's objects.

mod common;

use std::path::PathBuf;

use common::{target, tool};
use gcn_asm::{Options, Source, assemble};
use gcn_object::read;

const TARGETS: [&str; 5] = ["gfx600", "gfx700", "gfx803", "gfx900", "gfx906"];

/// Kernels that need no library. Generic pointers and halves do not exist on GCN 1.0.
const KERNELS: &[(&str, &str)] = &[
    (
        "saxpy",
        r"
        __kernel void saxpy(__global float *a, __global const float *b, float x) {
            size_t i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
            a[i] += b[i] * x;
        }",
    ),
    (
        "reduce",
        r"
        __kernel void reduce(__global const uint *in, __global uint *out) {
            __local uint part[256];
            uint l = __builtin_amdgcn_workitem_id_x(), g = __builtin_amdgcn_workgroup_id_x();
            part[l] = in[g * 256 + l];
            for (uint n = 128; n; n >>= 1) {
                __builtin_amdgcn_fence(__ATOMIC_RELEASE, ``workgroup``);
                __builtin_amdgcn_s_barrier();
                if (l < n) part[l] += part[l + n];
            }
            if (l == 0) out[g] = part[0];
        }",
    ),
    (
        "mixed",
        r"
        static __constant float table[4] = {1.0f, 2.5f, -3.0f, 1e10f};
        __kernel void mixed(__global double *d, __global ulong *u, __global char *c, __global float *f, int n, long m) {
            uint i = __builtin_amdgcn_workitem_id_x();
            double x = d[i] * 2.5 + (double)n;
            d[i] = x > 100.0 ? x : -x;
            u[i] = (u[i] << (n & 63)) / (ulong)(m | 1) ^ (u[i + 1] * 0x123456789abcdefUL);
            c[i] = (char)(c[i] * 3 + n % 7);
            f[i] = __builtin_sqrtf(f[i]) / table[i & 3] + __builtin_fabsf(f[i + 1]) - (float)c[i];
        }",
    ),
    (
        "scratch",
        r"
        __kernel void scratch(__global int *out, __global const int *in, int n) {
            int local_[64];
            uint i = __builtin_amdgcn_workitem_id_x();
            for (int k = 0; k < 64; k++) local_[k] = in[k * n + i];
            int s = 0;
            for (int k = 0; k < n; k++) { s += local_[in[k] & 63]; local_[s & 63] = k; }
            out[i] = s + local_[n & 63];
        }",
    ),
    (
        "atomics",
        r"
        __kernel void atomics(__global int *a, __local int *l) {
            uint i = __builtin_amdgcn_workitem_id_x();
            __opencl_atomic_fetch_add((__local atomic_int *)&l[i & 7], 3, __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_WORK_GROUP);
            int old = __opencl_atomic_fetch_max((__global atomic_int *)&a[i & 15], l[0], __ATOMIC_SEQ_CST, __OPENCL_MEMORY_SCOPE_DEVICE);
            __opencl_atomic_exchange((__global atomic_int *)&a[16], old, __ATOMIC_ACQ_REL, __OPENCL_MEMORY_SCOPE_DEVICE);
        }",
    ),
    (
        "calls",
        r"
        __attribute__((noinline)) int callee(int a, int b) { return a * b + (a ^ b); }
        __kernel void calls(__global int *a) {
            uint i = __builtin_amdgcn_workitem_id_x();
            a[i] = callee(a[i], (int)i);
        }",
    ),
];

/// A directory of this test's own.
fn directory() -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("compiled");
    std::fs::create_dir_all(&path).expect("a directory for the test");
    path
}

/// Runs clang on a source; yields what it writes.
fn clang(
    target: &str,
    language: &str,
    extension: &str,
    name: &str,
    extra: &[&str],
    source: &str,
) -> Vec<u8> {
    let out = directory().join(format!("{name}.{target}.{extension}"));
    let mcpu = format!("-mcpu={target}");
    let path = out.to_string_lossy().into_owned();
    let mut arguments = vec!["-target", "amdgcn-amd-amdhsa", &mcpu, "-x", language];
    arguments.extend_from_slice(extra);
    arguments.extend_from_slice(&["-o", &path, "-"]);
    let (_, err) = tool("clang-19", "clang-19", &arguments, source);
    std::fs::read(&out).unwrap_or_else(|error| panic!("{name} on {target}: {error}\n{err}"))
}

#[test]
fn compiler_output_assembles_to_the_compilers_bytes() {
    for (name, kernel) in KERNELS {
        let kernel = kernel.replace("``", "\"");
        for cpu in TARGETS {
            let options = ["-cl-std=CL2.0", "-O2", "-nogpulib", "-S"];
            let assembly = clang(cpu, "cl", "s", name, &options, &kernel);
            let text = String::from_utf8(assembly).expect("assembly is text");
            let object = clang(cpu, "assembler", "o", name, &["-c"], &text);
            let source = Source { name, text: &text };
            let ours = assemble(&source, &Options::new(target(cpu)));
            let shown: Vec<String> = ours
                .diagnostics
                .iter()
                .take(10)
                .map(|d| format!("{}: {}", &text[d.span.clone()], d.message))
                .collect();
            assert!(shown.is_empty(), "{name} on {cpu}:\n{}", shown.join("\n"));
            // A section of the relocatable object, which the reader takes too.
            let theirs = section(&object, ".text");
            assert!(!theirs.is_empty(), "{name} on {cpu} has code");
            assert_eq!(ours.program.to_raw(), theirs, "{name} on {cpu}: .text");
            let rodata = ours.program.section(".rodata").map(|s| s.bytes.clone());
            assert_eq!(
                rodata.unwrap_or_default(),
                section(&object, ".rodata"),
                "{name} on {cpu}: .rodata"
            );
            // The linked object has the kernel with the same descriptor.
            let linked = ours.program.to_object(None);
            let linked = linked.unwrap_or_else(|error| panic!("{name} on {cpu}: {error:?}"));
            let linked = read(&linked).unwrap_or_else(|error| panic!("{name} on {cpu}: {error}"));
            assert!(
                linked.kernels.iter().any(|k| k.name == *name),
                "{name} on {cpu}"
            );
        }
    }
}

/// The bytes of a section of an ELF file of 64 bits.
fn section(object: &[u8], name: &str) -> Vec<u8> {
    let number = |at: usize, width: usize| {
        let mut bytes = [0; 8];
        bytes[..width].copy_from_slice(&object[at..at + width]);
        u64::from_le_bytes(bytes) as usize
    };
    let (headers, size, count, names) =
        (number(40, 8), number(58, 2), number(60, 2), number(62, 2));
    let names = number(headers + names * size + 24, 8);
    for header in (0..count).map(|i| headers + i * size) {
        let at = names + number(header, 4);
        let length = object[at..]
            .iter()
            .position(|&b| b == 0)
            .expect("names end with 0");
        if &object[at..at + length] == name.as_bytes() {
            let offset = number(header + 24, 8);
            return object[offset..offset + number(header + 32, 8)].to_vec();
        }
    }
    Vec::new()
}
