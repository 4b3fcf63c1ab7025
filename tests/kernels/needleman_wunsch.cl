//! # Needleman-Wunsch: scores of an alignment, a diagonal at a time, one workgroup.
//! [buffers]
//! score = "i32*4225"
//! a = "u8*64:random(191,0,3)"
//! b = "u8*64:random(193,0,3)"
//! [[launch]]
//! grid = 64
//! group = 64
//! args = ["score", "a", "b", "i32:-2"]

kernel void needleman_wunsch(global int *score, global const uchar *a, global const uchar *b, int gap)
{
    local int lines[3][65];
    uint item = get_local_id(0);
    score[(item + 1) * 65] = gap * (int)(item + 1);
    score[item + 1] = gap * (int)(item + 1);
    if (item == 0)
        score[0] = 0;
    for (uint diagonal = 2; diagonal <= 128; diagonal++) {
        uint row = item + 1;
        int column = (int)diagonal - (int)row;
        local int *now = lines[diagonal % 3], *before = lines[(diagonal + 2) % 3], *last = lines[(diagonal + 1) % 3];
        if (column >= 1 && column <= 64) {
            int up = row == 1 ? gap * column : before[row - 1];
            int left = column == 1 ? gap * (int)row : before[row];
            int corner = row == 1 ? gap * (column - 1) : column == 1 ? gap * (int)(row - 1) : last[row - 1];
            int best = max(corner + (a[row - 1] == b[column - 1] ? 3 : -1), max(up, left) + gap);
            now[row] = best;
            score[row * 65 + column] = best;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
