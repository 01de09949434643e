package sim

import (
	"cresset/internal/hardware"
	"cresset/internal/nvml"
)

// addErrors answers about errors of memory. What a description counts happened in DRAM since the driver was loaded.
func (l *Library) addErrors(a *nvml.API) {
	a.ECCMode = l.modes(func(g *gpu) hardware.Setting { return g.ECC })
	a.ECCErrors = func(dev nvml.Device, kind nvml.ECCError, span nvml.ECCCounter) (uint64, nvml.Return) {
		return l.errors(dev, kind, span, nvml.ECCDRAM)
	}
	a.ECCErrorsAt = l.errors
	a.RetiredPages = tellOf(l, func(g *gpu, why nvml.Retirement) (int, nvml.Return) {
		switch {
		case why > nvml.RetiredDoubleBit:
			return 0, nvml.ErrInvalidArgument
		case g.ECC == hardware.Absent || remaps(g):
			return 0, nvml.ErrNotSupported
		}
		return 0, nvml.Success
	})
	a.RetirementsWait = tell(l, func(g *gpu) (bool, nvml.Return) {
		if g.ECC == hardware.Absent || remaps(g) {
			return false, nvml.ErrNotSupported
		}
		return false, nvml.Success
	})
	a.RemappedRows = tell(l, func(g *gpu) (nvml.RemappedRows, nvml.Return) {
		if g.ECC == hardware.Absent || !remaps(g) {
			return nvml.RemappedRows{}, nvml.ErrNotSupported
		}
		return nvml.RemappedRows{}, nvml.Success
	})
}

// remaps reports whether the GPU remaps rows, as those since Ampere do, where older ones retire pages.
func remaps(g *gpu) bool { return g.Major >= 8 }

func (l *Library) errors(dev nvml.Device, kind nvml.ECCError, span nvml.ECCCounter, place nvml.ECCPlace) (uint64, nvml.Return) {
	g, r := l.gpu(dev)
	switch {
	case r != nvml.Success:
		return 0, r
	case kind > nvml.ECCUncorrected || span > nvml.ECCAggregate || place > nvml.ECCSRAM:
		return 0, nvml.ErrInvalidArgument
	case g.ECC != hardware.On:
		return 0, nvml.ErrNotSupported
	case place != nvml.ECCDRAM:
		return 0, r
	case kind == nvml.ECCCorrected:
		return uint64(g.ECCCorrected), r
	}
	return uint64(g.ECCUncorrected), r
}
