#!/bin/sh
# Compiles the kernels into the code objects beside them, or into the directory that is given.
# Debian packages: clang-19 lld-19 rocm-device-libs
# -cl-kernel-arg-info keeps the names of the arguments, for launch files to use.
set -eu
out=$(cd "${1:-$(dirname "$0")}" && pwd)
cd "$(dirname "$0")"
libraries=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode

for tool in clang-19 ld.lld-19; do
    command -v $tool > /dev/null || { echo "$0: $tool is missing: apt-get install clang-19 lld-19" >&2; exit 1; }
done
test -d $libraries || { echo "$0: $libraries is missing: apt-get install rocm-device-libs" >&2; exit 1; }

for kernel in vadd reduce; do
    for chip in gfx803 gfx900; do
        clang-19 -x cl -cl-std=CL2.0 -O2 -cl-kernel-arg-info -target amdgcn-amd-amdhsa -mcpu=$chip \
            -mcode-object-version=5 --rocm-path=/usr --rocm-device-lib-path=$libraries \
            $kernel.cl -o "$out/$kernel-$chip.co"
        chmod 644 "$out/$kernel-$chip.co" # the linker makes it executable
    done
done
