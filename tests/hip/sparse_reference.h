// Sparse matrices on the host, and their operations in the plainest form, for comparison with libraries.
#pragma once

#include "check.h"

// A matrix by rows, columns in order.
struct Csr {
    int rows = 0, columns = 0;
    std::vector<int> starts = {0}, indices;
    std::vector<double> values;

    int count() const { return int(values.size()); }

    // Each element is there with a probability of one in `rarity`; the diagonal always is and is large if `diagonal` is true.
    static Csr random(int rows, int columns, int rarity, bool diagonal, uint64_t seed) {
        Random random(seed);
        Csr matrix;
        matrix.rows = rows;
        matrix.columns = columns;
        for (int r = 0; r < rows; r++) {
            for (int c = 0; c < columns; c++) {
                if ((diagonal && r == c) || random.below(rarity) == 0) {
                    matrix.indices.push_back(c);
                    matrix.values.push_back(random.real(-1, 1) + (diagonal && r == c ? 10 : 0));
                }
            }
            matrix.starts.push_back(matrix.count());
        }
        return matrix;
    }

    // All elements, row by row.
    std::vector<double> dense() const {
        std::vector<double> all(size_t(rows) * columns, 0);
        for (int r = 0; r < rows; r++) {
            for (int k = starts[r]; k < starts[r + 1]; k++) {
                all[size_t(r) * columns + indices[k]] = values[k];
            }
        }
        return all;
    }

    std::vector<double> times(const std::vector<double>& x) const {
        std::vector<double> y(rows, 0);
        for (int r = 0; r < rows; r++) {
            for (int k = starts[r]; k < starts[r + 1]; k++) {
                y[r] += values[k] * x[indices[k]];
            }
        }
        return y;
    }

    Csr transposed() const {
        Csr result;
        result.rows = columns;
        result.columns = rows;
        for (int c = 0; c < columns; c++) {
            for (int r = 0; r < rows; r++) {
                for (int k = starts[r]; k < starts[r + 1]; k++) {
                    if (indices[k] == c) {
                        result.indices.push_back(r);
                        result.values.push_back(values[k]);
                    }
                }
            }
            result.starts.push_back(result.count());
        }
        return result;
    }
};

// A matrix in device memory.
struct DeviceCsr {
    DeviceArray<int> starts, indices;
    DeviceArray<double> values;
    explicit DeviceCsr(const Csr& matrix) : starts(matrix.starts), indices(matrix.indices), values(matrix.values) {}
};
