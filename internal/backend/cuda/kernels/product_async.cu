// Matrix products in float32 by fma, from tiles that asynchronous copies bring into a ring of stages in shared memory, STAGES-1 ahead of the
// one that is multiplied.
//
// Every kernel takes Product; parts and the grid are as in product_tile.cu. product_ROWSxCOLUMNS_async_ab: m and n are operands that
// lie across the common axis, aligned for vectors of 4, and x those that lie anyhow. Shared memory: STAGES times
// STEPS * (rows + 4 + columns + 4) * 4 bytes.
// dtypes: f32
// target: sm_80 ptx74
#include "async_loop.cuh"
#include "source.cuh"

EACH_SOURCE(PRODUCT, async, 128, 128, 64, 64, 8, 4, 2)
EACH_SOURCE(PRODUCT, async, 64, 64, 32, 32, 16, 3, 4)
