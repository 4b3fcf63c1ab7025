//! # Sparse matrix by vector in ELL form, double precision, unused places marked.
//! [buffers]
//! y = "f64*128"
//! columns = "i32*1024:random(157,-40,127)"
//! values = "f64*1024:random(163,-1,1)"
//! x = "f64*128:random(167,-1,1)"
//! [[launch]]
//! grid = 128
//! group = 32
//! args = ["y", "columns", "values", "x"]

kernel void spmv_ell(global double *y, global const int *columns, global const double *values, global const double *x)
{
    uint row = get_global_id(0), rows = get_global_size(0);
    double sum = 0;
    for (uint n = 0; n < 8; n++) {
        int column = columns[n * rows + row];
        if (column >= 0)
            sum = fma(values[n * rows + row], x[column], sum);
    }
    y[row] = sum;
}
