// How single elements lie in a tile across the common axis, tile[k][i], whose lines are padded by GAP elements, which the main loop's file defines: 32/GAP lines
// begin in different banks. Those behind them change places within eights, so that threads which lie along the common axis store to all banks, and
// those that read a line or fours of it still do too.
#pragma once

#include "device.cuh"

// bentBy is by which bits the place of an element in line k differs from i.
INLINE constexpr u32 bentBy(u32 k) { return k * GAP / 32 * 2; }
