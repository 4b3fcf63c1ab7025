kernel void sum(global const int *in, global int *out) {
    local int part[128];
    uint i = get_local_id(0);
    part[i] = in[get_global_id(0)];
    for (uint step = 64; step > 0; step /= 2) {
        if (i < step)
            part[i] += part[i + step];
    }
    if (i == 0) out[get_group_id(0)] = part[0];
}
