//! # Prices of options by the formula of Black and Scholes, by erfc and by a polynomial.
//! [buffers]
//! call = "f32*256"
//! put = "f32*256"
//! prices = "f32*256:random(107,10,100)"
//! strikes = "f32*256:random(109,10,100)"
//! years = "f32*256:random(113,0.2,5)"
//! [[launch]]
//! grid = 256
//! group = 64
//! args = ["call", "put", "prices", "strikes", "years", "f32:0.02", "f32:0.3"]
//! [compare]
//! call = "2e-5"
//! put = "2e-4"
//! [bench.buffers]
//! call = "f32*1048576"
//! put = "f32*1048576"
//! prices = "f32*1048576:random(107,10,100)"
//! strikes = "f32*1048576:random(109,10,100)"
//! years = "f32*1048576:random(113,0.2,5)"
//! [[bench.launch]]
//! grid = 1048576
//! group = 64
//! args = ["call", "put", "prices", "strikes", "years", "f32:0.02", "f32:0.3"]
//! repeat = 2

static float normal(float x)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabs(x));
    float sum = k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float rest = 0.39894228f * exp(-0.5f * x * x) * sum;
    return x < 0 ? rest : 1.0f - rest;
}

kernel void black_scholes(global float *call, global float *put, global const float *prices, global const float *strikes,
                          global const float *years, float rate, float volatility)
{
    size_t i = get_global_id(0);
    float s = prices[i], x = strikes[i], t = years[i], root = volatility * sqrt(t);
    float d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / root, d2 = d1 - root;
    float discounted = x * exp(-rate * t);
    call[i] = s * 0.5f * erfc(-d1 * M_SQRT1_2_F) - discounted * 0.5f * erfc(-d2 * M_SQRT1_2_F);
    put[i] = discounted * normal(-d2) - s * normal(-d1);
}
