// Matrix products of float32 on tensor cores, which round operands to TF32. Tiles come as in product_async.cu.
//
// Every kernel takes Product. Names, operands, parts and the grid are as there. Shared memory: STAGES times
// STEPS * (rows + 8 + columns + 8) * 4 bytes.
// dtypes: f32
// target: sm_80 ptx74
#include "tf32_loop.cuh"
#include "source.cuh"

EACH_SOURCE(PRODUCT, tf32, 128, 128, 64, 64, 16, 3, 1)
EACH_SOURCE(PRODUCT, tf32, 64, 64, 32, 32, 16, 3, 4)
