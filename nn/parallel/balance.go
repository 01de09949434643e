package parallel

import (
	"fmt"

	"cresset/cuda"
)

const imbalanceText = `
    There is an imbalance between your GPUs. You may want to exclude GPU %d which
    has less than 75%% of the memory or cores of GPU %d. You can do so by setting
    the device_ids argument to DataParallel, or by setting the CUDA_VISIBLE_DEVICES
    environment variable.`

// warnOfImbalance warns where a GPU has much less memory than another, or else fewer multiprocessors: the batch is divided
// evenly all the same.
func warnOfImbalance(ids []int, warn func(text string)) error {
	sizes := make([][2]float64, len(ids))
	for i, id := range ids {
		p, err := cuda.DeviceProperties(id)
		if err != nil {
			return err
		}
		sizes[i] = [2]float64{float64(p.TotalMemory), float64(p.Multiprocessors)}
	}
	for k := range 2 {
		least, most := 0, 0
		for i := range sizes {
			if sizes[i][k] < sizes[least][k] {
				least = i
			}
			if sizes[i][k] > sizes[most][k] {
				most = i
			}
		}
		if sizes[least][k]/sizes[most][k] < 0.75 {
			warn(fmt.Sprintf(imbalanceText, ids[least], ids[most]))
			return nil
		}
	}
	return nil
}
