"""Weights of a small Qwen3 that begin with an induction head, so that it copies from its context before any training.

The first layer hands each token on to the next position. The second looks where the current token was before, and hands
on what came after it there. All else is drawn and nearly silent, and training changes everything.

Without it, models of some million parameters learn frequent words by heart in their first million tokens, whatever the
prompt says.
"""

import math

import torch

SPREAD = 0.05  # standard deviation of drawn weights
QUIET = 0.02  # factor of what drawn parts add
NEAR = 6  # pairs of quick rotations tell the token before
FAR = 14  # from this pair on, rotations are so slow that distance matters little


@torch.no_grad()
def begin(model):
    config = model.config
    width, head = config.hidden_size, config.head_dim
    half, words = head // 2, width - head  # the last dimensions carry the token before
    constant = words - 1  # one dimension is the same for all tokens, so that positions can be compared
    torch.nn.init.normal_(model.model.embed_tokens.weight, std=SPREAD)
    model.model.embed_tokens.weight[:, words:] = 0
    model.model.embed_tokens.weight[:, constant] = 8 * SPREAD
    for layer in model.model.layers:
        layer.self_attn.o_proj.weight.mul_(QUIET)
        layer.mlp.down_proj.weight.mul_(QUIET)
    sketch = torch.linalg.qr(torch.randn(constant, head))[0].T  # of a token, as long as a head is wide

    first = model.model.layers[0].self_attn
    turn = config.rope_parameters["rope_theta"] ** (-torch.arange(NEAR) / half)
    first.q_norm.weight.fill_(2)
    first.k_norm.weight.fill_(2)
    for projection in (first.q_proj, first.k_proj, first.v_proj):
        projection.weight[:head] = 0
    first.q_proj.weight[:NEAR, constant] = 1
    first.k_proj.weight[:NEAR, constant] = turn.cos()
    first.k_proj.weight[half:half + NEAR, constant] = turn.sin()
    first.v_proj.weight[:head, :constant] = sketch
    first.o_proj.weight[:, :head] = 0
    first.o_proj.weight[words:, :head] = SPREAD * torch.eye(head)

    second = model.model.layers[1].self_attn
    second.q_norm.weight.fill_(math.sqrt(3))
    second.k_norm.weight.fill_(math.sqrt(3))
    slow = [i for i in range(head) if i % half >= FAR]
    second.q_proj.weight.zero_()
    second.k_proj.weight.zero_()
    for start in range(0, second.q_proj.weight.shape[0], head):
        for n, i in enumerate(slow):
            second.q_proj.weight[start + i, :constant] = sketch[n]
            second.k_proj.weight[start + i, words + n] = 1
    mixed = torch.linalg.qr(torch.randn(width, width))[0]
    second.v_proj.weight.copy_(mixed)
    keep = torch.zeros(width)
    keep[:constant] = 3 * SPREAD
    second.o_proj.weight.copy_(keep[:, None] * mixed.T)
