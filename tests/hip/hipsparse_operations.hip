//! # hipSPARSE over rocSPARSE: vectors, matrix times vector, triangular systems, the generic interface.
//! links = ["hipsparse", "rocsparse"]
#include "sparse_reference.h"

#include <hipsparse/hipsparse.h>

#define CHECK_SPARSE(call)                                                                      \
    do {                                                                                        \
        const hipsparseStatus_t check_got = (call);                                             \
        REQUIRE(check_got == HIPSPARSE_STATUS_SUCCESS, "%s: %d", #call, int(check_got));        \
    } while (0)

int main() {
    hipsparseHandle_t handle;
    hipsparseMatDescr_t description;
    CHECK_SPARSE(hipsparseCreate(&handle));
    CHECK_SPARSE(hipsparseCreateMatDescr(&description));
    const int size = 120;
    const Csr matrix = Csr::random(size, size, 9, true, 8);
    const DeviceCsr device(matrix);
    const auto x = random_reals<double>(size, -1, 1, 1);
    const auto product = matrix.times(x);
    const DeviceArray<double> device_x(x), y(size);
    const double one = 1, zero = 0;
    const auto none = HIPSPARSE_OPERATION_NON_TRANSPOSE;
    y.clear();
    CHECK_SPARSE(hipsparseDcsrmv(handle, none, size, size, matrix.count(), &one, description, device.values, device.starts, device.indices,
                                 device_x, &zero, y));
    expect_near("csrmv", y.download(), product, 1e-12);

    // The same by the interface with descriptions.
    hipsparseSpMatDescr_t sparse;
    hipsparseDnVecDescr_t in, out;
    CHECK_SPARSE(hipsparseCreateCsr(&sparse, size, size, matrix.count(), device.starts, device.indices, device.values, HIPSPARSE_INDEX_32I,
                                    HIPSPARSE_INDEX_32I, HIPSPARSE_INDEX_BASE_ZERO, HIP_R_64F));
    CHECK_SPARSE(hipsparseCreateDnVec(&in, size, device_x.data(), HIP_R_64F));
    CHECK_SPARSE(hipsparseCreateDnVec(&out, size, y.data(), HIP_R_64F));
    size_t bytes = 0;
    y.clear();
    CHECK_SPARSE(hipsparseSpMV_bufferSize(handle, none, &one, sparse, in, &zero, out, HIP_R_64F, HIPSPARSE_MV_ALG_DEFAULT, &bytes));
    const DeviceArray<char> buffer(bytes + 1);
    CHECK_SPARSE(hipsparseSpMV(handle, none, &one, sparse, in, &zero, out, HIP_R_64F, HIPSPARSE_MV_ALG_DEFAULT, buffer.data()));
    expect_near("SpMV", y.download(), product, 1e-12);
    CHECK_SPARSE(hipsparseDestroySpMat(sparse));
    CHECK_SPARSE(hipsparseDestroyDnVec(in));
    CHECK_SPARSE(hipsparseDestroyDnVec(out));

    // The lower half is solved.
    csrsv2Info_t info;
    CHECK_SPARSE(hipsparseCreateCsrsv2Info(&info));
    CHECK_SPARSE(hipsparseSetMatFillMode(description, HIPSPARSE_FILL_MODE_LOWER));
    CHECK_SPARSE(hipsparseSetMatDiagType(description, HIPSPARSE_DIAG_TYPE_NON_UNIT));
    std::vector<double> right(size, 0);
    for (int r = 0; r < size; r++) {
        for (int k = matrix.starts[r]; k < matrix.starts[r + 1] && matrix.indices[k] <= r; k++) {
            right[r] += matrix.values[k] * x[matrix.indices[k]];
        }
    }
    const DeviceArray<double> device_right(right);
    int solve_bytes = 0;
    CHECK_SPARSE(hipsparseDcsrsv2_bufferSize(handle, none, size, matrix.count(), description, device.values, device.starts, device.indices,
                                             info, &solve_bytes));
    const DeviceArray<char> solve_buffer(solve_bytes + 1);
    CHECK_SPARSE(hipsparseDcsrsv2_analysis(handle, none, size, matrix.count(), description, device.values, device.starts, device.indices,
                                           info, HIPSPARSE_SOLVE_POLICY_USE_LEVEL, solve_buffer.data()));
    CHECK_SPARSE(hipsparseDcsrsv2_solve(handle, none, size, matrix.count(), &one, description, device.values, device.starts, device.indices,
                                        info, device_right, y, HIPSPARSE_SOLVE_POLICY_USE_LEVEL, solve_buffer.data()));
    expect_near("csrsv2", y.download(), x, 1e-11);
    CHECK_SPARSE(hipsparseDestroyCsrsv2Info(info));

    const int count = 30;
    std::vector<int> places(count);
    for (int i = 0; i < count; i++) {
        places[i] = 4 * i;
    }
    const auto values = random_reals<double>(count, -1, 1, 9);
    const DeviceArray<int> device_places(places);
    const DeviceArray<double> device_values(values);
    auto expected = x;
    for (int i = 0; i < count; i++) {
        expected[places[i]] += values[i];
    }
    CHECK_SPARSE(hipsparseDaxpyi(handle, count, &one, device_values, device_places, device_x, HIPSPARSE_INDEX_BASE_ZERO));
    expect_near("axpyi", device_x.download(), expected, 1e-15);
    CHECK_SPARSE(hipsparseDestroyMatDescr(description));
    CHECK_SPARSE(hipsparseDestroy(handle));
    return passed();
}
