// Error of a model's logits against those of the same weights as F32 on the processor: logits MODEL F32MODEL...
// It is the sum of the squares of the differences over that of the values (NMSE), as in ggml's test-backend-ops.
#include <ggml-backend.h>
#include <llama.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

const int PROMPT = 64, ALL = 80;  // tokens

// Logits of a prompt in one batch and of single tokens behind it, always of the same tokens.
static std::vector<float> logits(const char *path, bool device, bool flash, ggml_type cache) {
    ggml_backend_dev_t none[] = {nullptr};
    llama_model_params mp = llama_model_default_params();
    if (!device) mp.devices = none;
    mp.n_gpu_layers = device ? 99 : 0;
    llama_model *model = llama_model_load_from_file(path, mp);
    if (!model) exit(2);
    llama_context_params cp = llama_context_default_params();
    cp.n_ctx = 256;
    cp.n_threads = cp.n_threads_batch = 1;
    cp.offload_kqv = cp.op_offload = device;
    cp.type_k = cp.type_v = cache;
    cp.flash_attn_type = flash ? LLAMA_FLASH_ATTN_TYPE_ENABLED : LLAMA_FLASH_ATTN_TYPE_DISABLED;
    llama_context *ctx = llama_init_from_model(model, cp);
    int width = llama_vocab_n_tokens(llama_model_get_vocab(model));
    std::vector<float> all;
    llama_batch batch = llama_batch_init(PROMPT, 0, 1);
    for (int at = 0; at < ALL;) {
        int n = at ? 1 : PROMPT;
        batch.n_tokens = n;
        for (int i = 0; i < n; i++) {
            batch.token[i] = (at + i) * 7919 % width;
            batch.pos[i] = at + i;
            batch.n_seq_id[i] = 1;
            batch.seq_id[i][0] = 0;
            batch.logits[i] = 1;
        }
        if (llama_decode(ctx, batch)) exit(2);
        for (int i = 0; i < n; i++) {
            float *row = llama_get_logits_ith(ctx, i);
            all.insert(all.end(), row, row + width);
        }
        at += n;
    }
    llama_batch_free(batch);
    llama_free(ctx);
    llama_model_free(model);
    return all;
}

static double nmse(const float *a, const float *b, size_t n) {
    double error = 0, size = 0;
    for (size_t i = 0; i < n; i++) error += pow(a[i] - b[i], 2), size += pow(a[i], 2);
    return error / size;
}

int main(int argc, char **argv) {
    llama_log_set([](ggml_log_level level, const char *text, void *) {
        if (level >= GGML_LOG_LEVEL_ERROR || strstr(text, "offloaded")) fputs(text, stderr);
    }, nullptr);
    ggml_backend_load_all();
    for (int i = 1; i + 1 < argc; i += 2) {
        std::vector<float> exact = logits(argv[i + 1], false, false, GGML_TYPE_F32);
        size_t prompt = exact.size() / ALL * PROMPT;
        // Flash attention takes halves alone.
        ggml_type cache = argv[i] == std::string(argv[i + 1]) ? GGML_TYPE_F32 : GGML_TYPE_F16;
        const char *names[] = {"processor", "device", "device, flash attention"};
        for (int run = 0; run < 3; run++) {
            std::vector<float> own = logits(argv[i], run > 0, run > 1, run > 1 ? GGML_TYPE_F16 : cache);
            printf("%s, %s: prompt %.1e, tokens %.1e\n", argv[i], names[run], nmse(exact.data(), own.data(), prompt),
                   nmse(exact.data() + prompt, own.data() + prompt, own.size() - prompt));
            fflush(stdout);
        }
    }
}
