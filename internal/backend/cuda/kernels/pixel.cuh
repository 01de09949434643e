// Places in batches of planes.
#pragma once

#include "device.cuh"

// A Pixel is one place in a batch of planes.
struct Pixel {
	u32 image, y, x;
};

INLINE Pixel pixelOf(u32 i, u32 height, u32 width) {
	u32 line = i / width, image = line / height;
	return {image, line - image * height, i - line * width};
}
