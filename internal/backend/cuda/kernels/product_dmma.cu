// Matrix products of float64 on tensor cores, as double.cuh says.
//
// Every kernel takes Product. Names, parts and the grid are as in product_tile.cu, but operands have any strides: k, m and n say along which axis
// neighbours lie closer. Shared memory: STAGES times the two panels, each SIZE * (STEPS + 4) * 8 bytes at most.
// dtypes: f64
// target: sm_80 ptx74
#include "double.cuh"

EACH_LIE(PRODUCT, 128, 128, 32, 64, 1, dmma, ShapeOf8)
EACH_LIE(PRODUCT, 64, 64, 32, 32, 2, dmma, ShapeOf8)
