//! # rocSPARSE: triangular systems, incomplete LU, conversions between formats, sorting of columns.
//! links = ["rocsparse"]
#include "sparse_reference.h"

#include <rocsparse/rocsparse.h>

#define CHECK_SPARSE(call)                                                                  \
    do {                                                                                    \
        const rocsparse_status check_got = (call);                                          \
        REQUIRE(check_got == rocsparse_status_success, "%s: %d", #call, int(check_got));    \
    } while (0)

// Solves with one half of a matrix; the half is the matrix's own fill mode.
std::vector<double> solve(rocsparse_handle handle, const Csr& matrix, const DeviceCsr& device, bool lower, bool unit,
                          const std::vector<double>& right) {
    rocsparse_mat_descr description;
    rocsparse_mat_info info;
    CHECK_SPARSE(rocsparse_create_mat_descr(&description));
    CHECK_SPARSE(rocsparse_create_mat_info(&info));
    CHECK_SPARSE(rocsparse_set_mat_fill_mode(description, lower ? rocsparse_fill_mode_lower : rocsparse_fill_mode_upper));
    CHECK_SPARSE(rocsparse_set_mat_diag_type(description, unit ? rocsparse_diag_type_unit : rocsparse_diag_type_non_unit));
    const auto none = rocsparse_operation_none;
    const auto policy = rocsparse_solve_policy_auto;
    size_t size = 0;
    CHECK_SPARSE(rocsparse_dcsrsv_buffer_size(handle, none, matrix.rows, matrix.count(), description, device.values, device.starts,
                                              device.indices, info, &size));
    const DeviceArray<char> buffer(size + 1);
    CHECK_SPARSE(rocsparse_dcsrsv_analysis(handle, none, matrix.rows, matrix.count(), description, device.values, device.starts,
                                           device.indices, info, rocsparse_analysis_policy_force, policy, buffer));
    const double alpha = 1;
    const DeviceArray<double> x(right), y(right.size());
    CHECK_SPARSE(rocsparse_dcsrsv_solve(handle, none, matrix.rows, matrix.count(), &alpha, description, device.values, device.starts,
                                        device.indices, info, x, y, policy, buffer));
    rocsparse_int pivot = 0;
    CHECK_SPARSE(rocsparse_csrsv_zero_pivot(handle, description, info, &pivot));
    const auto result = y.download();
    CHECK_SPARSE(rocsparse_destroy_mat_info(info));
    CHECK_SPARSE(rocsparse_destroy_mat_descr(description));
    return result;
}

// The product with one half of a matrix.
std::vector<double> half_times(const Csr& matrix, bool lower, bool unit, const std::vector<double>& x) {
    std::vector<double> y(matrix.rows, 0);
    for (int r = 0; r < matrix.rows; r++) {
        for (int k = matrix.starts[r]; k < matrix.starts[r + 1]; k++) {
            const int c = matrix.indices[k];
            if (c == r) {
                y[r] += unit ? x[r] : matrix.values[k] * x[r];
            } else if ((c < r) == lower) {
                y[r] += matrix.values[k] * x[c];
            }
        }
    }
    return y;
}

void triangular(rocsparse_handle handle, int size) {
    const Csr matrix = Csr::random(size, size, 12, true, size);
    const DeviceCsr device(matrix);
    const auto truth = random_reals<double>(size, -1, 1, 5);
    expect_near("lower", solve(handle, matrix, device, true, false, half_times(matrix, true, false, truth)), truth, 1e-11);
    expect_near("upper", solve(handle, matrix, device, false, false, half_times(matrix, false, false, truth)), truth, 1e-11);
}

void incomplete_lu(rocsparse_handle handle, int size) {
    const Csr matrix = Csr::random(size, size, 10, true, 77);
    DeviceCsr device(matrix);
    rocsparse_mat_descr description;
    rocsparse_mat_info info;
    CHECK_SPARSE(rocsparse_create_mat_descr(&description));
    CHECK_SPARSE(rocsparse_create_mat_info(&info));
    size_t bytes = 0;
    CHECK_SPARSE(rocsparse_dcsrilu0_buffer_size(handle, size, matrix.count(), description, device.values, device.starts, device.indices,
                                                info, &bytes));
    const DeviceArray<char> buffer(bytes + 1);
    CHECK_SPARSE(rocsparse_dcsrilu0_analysis(handle, size, matrix.count(), description, device.values, device.starts, device.indices,
                                             info, rocsparse_analysis_policy_reuse, rocsparse_solve_policy_auto, buffer));
    CHECK_SPARSE(rocsparse_dcsrilu0(handle, size, matrix.count(), description, device.values, device.starts, device.indices, info,
                                    rocsparse_solve_policy_auto, buffer));
    // Elimination that keeps to the pattern.
    auto dense = matrix.dense();
    std::vector<char> there(dense.size(), 0);
    for (int r = 0; r < size; r++) {
        for (int k = matrix.starts[r]; k < matrix.starts[r + 1]; k++) {
            there[r * size + matrix.indices[k]] = 1;
        }
    }
    for (int r = 1; r < size; r++) {
        for (int k = 0; k < r; k++) {
            if (there[r * size + k]) {
                dense[r * size + k] /= dense[k * size + k];
                for (int c = k + 1; c < size; c++) {
                    if (there[r * size + c]) {
                        dense[r * size + c] -= dense[r * size + k] * dense[k * size + c];
                    }
                }
            }
        }
    }
    Csr factored = matrix;
    factored.values = device.values.download();
    expect_near("incomplete LU", factored.dense(), dense, 1e-11);
    CHECK_SPARSE(rocsparse_destroy_mat_info(info));
    CHECK_SPARSE(rocsparse_destroy_mat_descr(description));
}

void conversions(rocsparse_handle handle, rocsparse_mat_descr description) {
    const int rows = 70, columns = 50;
    const Csr matrix = Csr::random(rows, columns, 6, false, 3);
    const int count = matrix.count();
    const DeviceCsr device(matrix);
    const auto base = rocsparse_index_base_zero;
    // To coordinates and back.
    const DeviceArray<int> coordinates(count), starts(rows + 1);
    CHECK_SPARSE(rocsparse_csr2coo(handle, device.starts, count, rows, coordinates, base));
    std::vector<int> expected_rows;
    for (int r = 0; r < rows; r++) {
        expected_rows.insert(expected_rows.end(), matrix.starts[r + 1] - matrix.starts[r], r);
    }
    expect_same("rows", coordinates.download(), expected_rows);
    CHECK_SPARSE(rocsparse_coo2csr(handle, coordinates, count, rows, starts, base));
    expect_same("starts", starts.download(), matrix.starts);
    // By columns.
    size_t size = 0;
    CHECK_SPARSE(rocsparse_csr2csc_buffer_size(handle, rows, columns, count, device.starts, device.indices, rocsparse_action_numeric, &size));
    const DeviceArray<char> buffer(size + 1);
    const DeviceArray<double> values(count);
    const DeviceArray<int> row_indices(count), column_starts(columns + 1);
    CHECK_SPARSE(rocsparse_dcsr2csc(handle, rows, columns, count, device.values, device.starts, device.indices, values, row_indices,
                                    column_starts, rocsparse_action_numeric, base, buffer));
    const Csr transposed = matrix.transposed();
    expect_same("columns' starts", column_starts.download(), transposed.starts);
    expect_same("columns' rows", row_indices.download(), transposed.indices);
    expect_same("columns' values", values.download(), transposed.values);
    // To a dense matrix, column by column, and back.
    const DeviceArray<double> dense(size_t(rows) * columns), back_values(count);
    CHECK_SPARSE(rocsparse_dcsr2dense(handle, rows, columns, description, device.values, device.starts, device.indices, dense, rows));
    const auto all = matrix.dense();
    std::vector<double> by_columns;
    for (int c = 0; c < columns; c++) {
        for (int r = 0; r < rows; r++) {
            by_columns.push_back(all[r * columns + c]);
        }
    }
    expect_same("dense", dense.download(), by_columns);
    const DeviceArray<int> per_row(rows), back_starts(rows + 1), back_indices(count);
    int total = 0;
    CHECK_SPARSE(rocsparse_dnnz(handle, rocsparse_direction_row, rows, columns, description, dense, rows, per_row, &total));
    EXPECT_EQUAL(total, count);
    CHECK_SPARSE(rocsparse_ddense2csr(handle, rows, columns, description, dense, rows, per_row, back_values, back_starts, back_indices));
    expect_same("starts again", back_starts.download(), matrix.starts);
    expect_same("indices again", back_indices.download(), matrix.indices);
    expect_same("values again", back_values.download(), matrix.values);
    // Columns out of order are sorted, and the order is told.
    auto shuffled = matrix;
    for (int r = 0; r < rows; r++) {
        std::reverse(shuffled.indices.begin() + matrix.starts[r], shuffled.indices.begin() + matrix.starts[r + 1]);
    }
    const DeviceArray<int> indices(shuffled.indices), permutation(count);
    CHECK_SPARSE(rocsparse_csrsort_buffer_size(handle, rows, columns, count, device.starts, indices, &size));
    const DeviceArray<char> sort_buffer(size + 1);
    CHECK_SPARSE(rocsparse_create_identity_permutation(handle, count, permutation));
    CHECK_SPARSE(rocsparse_csrsort(handle, rows, columns, count, description, device.starts, indices, permutation, sort_buffer));
    expect_same("sorted", indices.download(), matrix.indices);
    const auto order = permutation.download();
    for (int k = 0; k < count; k++) {
        EXPECT_EQUAL(shuffled.indices[order[k]], matrix.indices[k]);
    }
}

int main() {
    rocsparse_handle handle;
    rocsparse_mat_descr description;
    CHECK_SPARSE(rocsparse_create_handle(&handle));
    CHECK_SPARSE(rocsparse_create_mat_descr(&description));
    triangular(handle, 40);
    triangular(handle, 150);
    incomplete_lu(handle, 60);
    conversions(handle, description);
    CHECK_SPARSE(rocsparse_destroy_mat_descr(description));
    CHECK_SPARSE(rocsparse_destroy_handle(handle));
    return passed();
}
