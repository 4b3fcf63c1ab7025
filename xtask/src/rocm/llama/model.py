"""Writes a model of random weights, all as F32: model.py FILE.gguf"""

import sys
import gguf
import numpy as np

LAYERS, WIDTH, HEADS, KV, INNER, VOCAB = 4, 512, 8, 4, 1024, 1024
w = gguf.GGUFWriter(sys.argv[1], "llama")
w.add_context_length(512)
w.add_embedding_length(WIDTH)
w.add_block_count(LAYERS)
w.add_feed_forward_length(INNER)
w.add_head_count(HEADS)
w.add_head_count_kv(KV)
w.add_layer_norm_rms_eps(1e-5)
w.add_rope_dimension_count(WIDTH // HEADS)
w.add_vocab_size(VOCAB)
w.add_tokenizer_model("no_vocab")
w.add_file_type(0)
rng = np.random.default_rng(1)


def add(name, *shape):
    scale = shape[-1] ** -0.5
    w.add_tensor(name, (rng.standard_normal(shape) * scale).astype(np.float32))


add("token_embd.weight", VOCAB, WIDTH)
add("output.weight", VOCAB, WIDTH)
w.add_tensor("output_norm.weight", np.ones(WIDTH, np.float32))
for i in range(LAYERS):
    b = f"blk.{i}."
    for norm in "attn_norm", "ffn_norm":
        w.add_tensor(f"{b}{norm}.weight", np.ones(WIDTH, np.float32))
    add(b + "attn_q.weight", WIDTH, WIDTH)
    add(b + "attn_k.weight", WIDTH * KV // HEADS, WIDTH)
    add(b + "attn_v.weight", WIDTH * KV // HEADS, WIDTH)
    add(b + "attn_output.weight", WIDTH, WIDTH)
    add(b + "ffn_gate.weight", INNER, WIDTH)
    add(b + "ffn_up.weight", INNER, WIDTH)
    add(b + "ffn_down.weight", WIDTH, INNER)
w.write_header_to_file()
w.write_kv_data_to_file()
w.write_tensors_to_file()
w.close()
