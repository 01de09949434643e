// Matrix products of float64 on tensor cores of compute capability 9.0 and later, by instructions of 16 rows and 8 steps, of which there are a quarter
// as many as in product_dmma.cu; all else is as there, and so are results.
// dtypes: f64
// target: sm_90 ptx80
#include "double.cuh"

EACH_LIE(PRODUCT, 128, 128, 32, 64, 1, dmma16, ShapeOf16)
EACH_LIE(PRODUCT, 64, 64, 32, 32, 2, dmma16, ShapeOf16)
