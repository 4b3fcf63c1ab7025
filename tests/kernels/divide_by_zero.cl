//! # Integer division and remainder by zero in some lanes: whatever those get, they do not fault and the others are right.
//! [findings]
//! divide-by-zero = "that is what it tests"
//! [buffers]
//! quotients = "i64*512"
//! remainders = "i64*512"
//! a = "i64*64:random(577)"
//! b = "i64*64:random(587)"
//! keep = "i64:0,1,1,0,1,1,0,1,1,0,1,1,0,1,1,0,1,1,0,1,1,0,1,1,0,1,1,0,1,1,0,1,1,0,1,1,0,1,1,0,1,1,0,1,1,0,1,1,0,1,1,0,1,1,0,1,1,0,1,1,0,1,1,0"
//! [[launch]]
//! grid = 64
//! group = 64
//! args = ["quotients", "remainders", "a", "b", "keep"]
//! [compare]
//! quotients = ["any", "any", "any", "any", "any", "any", "any", "any", "exact", "exact", "exact", "exact", "exact", "exact", "exact", "exact", "exact", "exact", "exact", "exact", "exact", "exact", "exact", "exact"]
//! remainders = ["any", "any", "any", "any", "any", "any", "any", "any", "exact", "exact", "exact", "exact", "exact", "exact", "exact", "exact", "exact", "exact", "exact", "exact", "exact", "exact", "exact", "exact"]

#ifdef REFERENCE
#define DIVISOR(b) ((b) == 0 ? 1 : (b))
#else
#define DIVISOR(b) (b)
#endif

#define DIVIDE(at, T)                                                                                                   \
    {                                                                                                                   \
        T divisor = DIVISOR((T)y);                                                                                      \
        quotients[i * 8 + at] = (T)x / divisor;                                                                         \
        remainders[i * 8 + at] = (T)x % divisor;                                                                        \
    }

kernel void divide_by_zero(global long *quotients, global long *remainders, global const long *a, global const long *b,
                           global const long *keep)
{
    uint i = get_global_id(0);
    // An odd divisor is not zero in any type, and a positive one never overflows. The compiler must not see the zeros.
    long x = a[i], y = ((b[i] & 0x3f0f0f0f3f0f0f7fL) | 1) * keep[i];
    DIVIDE(0, int);
    DIVIDE(1, uint);
    DIVIDE(2, long);
    DIVIDE(3, ulong);
    DIVIDE(4, short);
    DIVIDE(5, ushort);
    DIVIDE(6, char);
    DIVIDE(7, uchar);
}
