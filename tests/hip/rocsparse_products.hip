//! # rocSPARSE: vectors (axpyi, doti, gather, scatter), matrix times vector and matrix, product of sparse matrices.
//! links = ["rocsparse"]
#include "sparse_reference.h"

#include <rocsparse/rocsparse.h>

#define CHECK_SPARSE(call)                                                                  \
    do {                                                                                    \
        const rocsparse_status check_got = (call);                                          \
        REQUIRE(check_got == rocsparse_status_success, "%s: %d", #call, int(check_got));    \
    } while (0)

void vectors(rocsparse_handle handle) {
    const int size = 5000, count = 700;
    std::vector<int> places(count);
    for (int i = 0; i < count; i++) {
        places[i] = i * 7 + i % 3;
    }
    const auto x = random_reals<double>(count, -1, 1, 1), y = random_reals<double>(size, -1, 1, 2);
    const DeviceArray<int> device_places(places);
    const DeviceArray<double> device_x(x), device_y(y), gathered(count);
    const double alpha = 2.5;
    double dot = 0, expected_dot = 0;
    auto expected = y;
    std::vector<double> expected_gather(count);
    for (int i = 0; i < count; i++) {
        expected_dot += x[i] * y[places[i]];
        expected_gather[i] = y[places[i]];
        expected[places[i]] += alpha * x[i];
    }
    const auto base = rocsparse_index_base_zero;
    CHECK_SPARSE(rocsparse_ddoti(handle, count, device_x, device_places, device_y, &dot, base));
    REQUIRE(std::fabs(dot - expected_dot) < 1e-12, "dot: expected %.15g, got %.15g", expected_dot, dot);
    CHECK_SPARSE(rocsparse_dgthr(handle, count, device_y, gathered, device_places, base));
    expect_same("gathered", gathered.download(), expected_gather);
    CHECK_SPARSE(rocsparse_daxpyi(handle, count, &alpha, device_x, device_places, device_y, base));
    expect_near("axpyi", device_y.download(), expected, 1e-15);
    CHECK_SPARSE(rocsparse_dsctr(handle, count, device_x, device_places, device_y, base));
    for (int i = 0; i < count; i++) {
        expected[places[i]] = x[i];
    }
    expect_near("scattered", device_y.download(), expected, 1e-15);
}

void matrices(rocsparse_handle handle, rocsparse_mat_descr description, int rows, int columns, int rarity) {
    const Csr matrix = Csr::random(rows, columns, rarity, false, rows);
    const DeviceCsr device(matrix);
    const double alpha = 1.5, beta = -0.5;
    for (const bool transposed : {false, true}) {
        const auto x = random_reals<double>(transposed ? rows : columns, -1, 1, 1), y = random_reals<double>(transposed ? columns : rows, -1, 1, 2);
        const DeviceArray<double> device_x(x), device_y(y);
        CHECK_SPARSE(rocsparse_dcsrmv(handle, transposed ? rocsparse_operation_transpose : rocsparse_operation_none, rows, columns,
                                      matrix.count(), &alpha, description, device.values, device.starts, device.indices, nullptr,
                                      device_x, &beta, device_y));
        auto expected = (transposed ? matrix.transposed() : matrix).times(x);
        for (size_t i = 0; i < expected.size(); i++) {
            expected[i] = alpha * expected[i] + beta * y[i];
        }
        expect_near("csrmv", device_y.download(), expected, 1e-12);
    }
    // Dense matrices are column by column.
    const int width = 9;
    const auto b = random_reals<double>(columns * width, -1, 1, 3), c = random_reals<double>(rows * width, -1, 1, 4);
    const DeviceArray<double> device_b(b), device_c(c);
    CHECK_SPARSE(rocsparse_dcsrmm(handle, rocsparse_operation_none, rocsparse_operation_none, rows, width, columns, matrix.count(),
                                  &alpha, description, device.values, device.starts, device.indices, device_b, columns, &beta,
                                  device_c, rows));
    std::vector<double> expected;
    for (int w = 0; w < width; w++) {
        auto column = matrix.times({b.begin() + w * columns, b.begin() + (w + 1) * columns});
        for (int r = 0; r < rows; r++) {
            expected.push_back(alpha * column[r] + beta * c[w * rows + r]);
        }
    }
    expect_near("csrmm", device_c.download(), expected, 1e-12);
}

void sparse_by_sparse(rocsparse_handle handle, rocsparse_mat_descr description) {
    const int m = 60, k = 45, n = 70;
    const Csr a = Csr::random(m, k, 9, false, 1), b = Csr::random(k, n, 8, false, 2);
    const DeviceCsr device_a(a), device_b(b);
    const double alpha = 2;
    rocsparse_mat_info info;
    CHECK_SPARSE(rocsparse_create_mat_info(&info));
    const auto none = rocsparse_operation_none;
    size_t size = 0;
    CHECK_SPARSE(rocsparse_dcsrgemm_buffer_size(handle, none, none, m, n, k, &alpha, description, a.count(), device_a.starts,
                                                device_a.indices, description, b.count(), device_b.starts, device_b.indices, nullptr,
                                                nullptr, 0, nullptr, nullptr, info, &size));
    const DeviceArray<char> buffer(size + 1);
    const DeviceArray<int> starts(m + 1);
    int count = 0;
    CHECK_SPARSE(rocsparse_csrgemm_nnz(handle, none, none, m, n, k, description, a.count(), device_a.starts, device_a.indices, description,
                                       b.count(), device_b.starts, device_b.indices, nullptr, 0, nullptr, nullptr, description, starts,
                                       &count, info, buffer));
    REQUIRE(count > 0 && count <= m * n, "%d elements", count);
    const DeviceArray<int> indices(count);
    const DeviceArray<double> values(count);
    CHECK_SPARSE(rocsparse_dcsrgemm(handle, none, none, m, n, k, &alpha, description, a.count(), device_a.values, device_a.starts,
                                    device_a.indices, description, b.count(), device_b.values, device_b.starts, device_b.indices, nullptr,
                                    nullptr, 0, nullptr, nullptr, nullptr, description, values, starts, indices, info, buffer));
    Csr product;
    product.rows = m;
    product.columns = n;
    product.starts = starts.download();
    product.indices = indices.download();
    product.values = values.download();
    const auto dense_a = a.dense(), dense_b = b.dense();
    std::vector<double> expected(m * n, 0);
    for (int i = 0; i < m * n; i++) {
        for (int l = 0; l < k; l++) {
            expected[i] += alpha * dense_a[i / n * k + l] * dense_b[l * n + i % n];
        }
    }
    expect_near("csrgemm", product.dense(), expected, 1e-13);
    CHECK_SPARSE(rocsparse_destroy_mat_info(info));
}

int main() {
    rocsparse_handle handle;
    rocsparse_mat_descr description;
    CHECK_SPARSE(rocsparse_create_handle(&handle));
    CHECK_SPARSE(rocsparse_create_mat_descr(&description));
    vectors(handle);
    matrices(handle, description, 100, 80, 10);
    matrices(handle, description, 33, 300, 2);
    matrices(handle, description, 500, 500, 200);
    sparse_by_sparse(handle, description);
    CHECK_SPARSE(rocsparse_destroy_mat_descr(description));
    CHECK_SPARSE(rocsparse_destroy_handle(handle));
    return passed();
}
