//! # Sparse matrix by vector, compressed rows: a work-item for each row, and a group of 16 for each.
//! [buffers]
//! scalar = "f32*64"
//! grouped = "f32*64"
//! rows = "u32*65:iota(0,9)"
//! columns = "u32*576:random(139,0,63)"
//! values = "f32*576:random(149,-1,1)"
//! x = "f32*64:random(151,-1,1)"
//! [[launch]]
//! kernel = "by_item"
//! grid = 64
//! group = 64
//! args = ["scalar", "rows", "columns", "values", "x"]
//! [[launch]]
//! kernel = "by_group"
//! grid = 1024
//! group = 16
//! args = ["grouped", "rows", "columns", "values", "x"]
//! [bench.buffers]
//! scalar = "f32*65536"
//! grouped = "f32*65536"
//! rows = "u32*65537:iota(0,32)"
//! columns = "u32*2097152:random(139,0,65535)"
//! values = "f32*2097152:random(149,-1,1)"
//! x = "f32*65536:random(151,-1,1)"
//! [[bench.launch]]
//! kernel = "by_item"
//! grid = 65536
//! group = 64
//! args = ["scalar", "rows", "columns", "values", "x"]
//! [[bench.launch]]
//! kernel = "by_group"
//! grid = 1048576
//! group = 16
//! args = ["grouped", "rows", "columns", "values", "x"]

#pragma OPENCL FP_CONTRACT OFF

kernel void by_item(global float *y, global const uint *rows, global const uint *columns, global const float *values,
                    global const float *x)
{
    uint row = get_global_id(0);
    float sum = 0;
    for (uint at = rows[row]; at < rows[row + 1]; at++)
        sum += values[at] * x[columns[at]];
    y[row] = sum;
}

kernel void by_group(global float *y, global const uint *rows, global const uint *columns, global const float *values,
                     global const float *x)
{
    local float sums[16];
    uint row = get_group_id(0), item = get_local_id(0);
    float sum = 0;
    for (uint at = rows[row] + item; at < rows[row + 1]; at += 16)
        sum += values[at] * x[columns[at]];
    sums[item] = sum;
    for (uint reach = 8; reach; reach >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < reach)
            sums[item] += sums[item + reach];
    }
    if (item == 0)
        y[row] = sums[0];
}
