// Convolutions of float32 on tensor cores, which round operands to TF32, and their gradients.
//
// Every kernel takes TiledConvolution; names, operands and the grid are as in conv_async.cu. Shared memory: STAGES times
// STEPS * (rows + 8 + columns + 8) * 4 bytes.
// dtypes: f32
// target: sm_80 ptx74
#include "tf32_loop.cuh"
#include "conv_ring.cuh"

CONVOLUTIONS(tf32, 128, 128, 64, 64, 16, 3, 1)
CONVOLUTIONS(tf32, 64, 64, 32, 32, 16, 3, 4)
CONVOLUTIONS(tf32, 32, 128, 32, 32, 16, 3, 4)
