// Convolutions in float32 by fma, and their gradients, from 8.0 on: products whose operands asynchronous copies gather, as im2col would lay
// them out, into a ring of stages in shared memory.
//
// Every kernel takes TiledConvolution. conv_ROWSxCOLUMNS_async: y of x, or dx of dy; left are the weights, packed as conv_source.cuh says. _few:
// y of x, for windows of up to MOST_REACHES elements, without lines beyond the channels. conv_weight_: dw of dy and x. Grid: a block for each
// tile, phase, group and part. Shared memory: STAGES times STEPS * (rows + 4 + columns + 4) * 4 bytes.
// dtypes: f32
// target: sm_80 ptx74
#include "async_loop.cuh"
#include "conv_ring.cuh"

CONVOLUTIONS(async, 128, 128, 64, 64, 8, 4, 2)
CONVOLUTIONS(async, 64, 64, 32, 32, 16, 3, 4)
CONVOLUTIONS(async, 32, 128, 32, 32, 16, 3, 4)
