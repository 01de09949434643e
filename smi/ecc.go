package smi

import "cresset/internal/nvml"

// Errors tells of errors of a GPU's memory and what was done about them.
type Errors struct {
	Counts   []ErrorCount `json:"counts,omitempty"` // where errors are corrected
	Retired  *Retired     `json:"retired_pages,omitempty"`
	Remapped *Remapped    `json:"remapped_rows,omitempty"`
}

// ErrorCount counts errors at one place.
type ErrorCount struct {
	Place       string  `json:"place"`     // such as dram; total has all of them
	Aggregate   bool    `json:"aggregate"` // ever, and not since the driver was loaded
	Corrected   *uint64 `json:"corrected,omitempty"`
	Uncorrected *uint64 `json:"uncorrected,omitempty"`
}

// Retired counts pages of memory that are no longer used.
type Retired struct {
	SingleBit int   `json:"single_bit"`
	DoubleBit int   `json:"double_bit"`
	Pending   *bool `json:"pending,omitempty"` // whether some wait for a restart
}

// Remapped counts rows of memory for which others stand in.
type Remapped struct {
	Corrected   int  `json:"corrected"`
	Uncorrected int  `json:"uncorrected"`
	Pending     bool `json:"pending"` // whether some wait for a reset
	Failed      bool `json:"failed"`
}

// places has the names of NVML's places of errors.
var places = []struct {
	place nvml.ECCPlace
	name  string
}{
	{nvml.ECCDRAM, "dram"}, {nvml.ECCSRAM, "sram"}, {nvml.ECCRegisters, "registers"}, {nvml.ECCL1, "l1"}, {nvml.ECCL2, "l2"},
	{nvml.ECCTexture, "texture"}, {nvml.ECCTextureShared, "texture_shared"}, {nvml.ECCConvergence, "cbu"},
}

func (s *nvmlSource) errors(dev nvml.Device) (e Errors) {
	for _, span := range []nvml.ECCCounter{nvml.ECCVolatile, nvml.ECCAggregate} {
		for _, p := range places {
			e.add(p.name, span, func(kind nvml.ECCError) (uint64, nvml.Return) {
				if s.api.ECCErrorsAt == nil {
					return 0, nvml.ErrFunctionNotFound
				}
				return s.api.ECCErrorsAt(dev, kind, span, p.place)
			})
		}
		e.add("total", span, func(kind nvml.ECCError) (uint64, nvml.Return) {
			if s.api.ECCErrors == nil {
				return 0, nvml.ErrFunctionNotFound
			}
			return s.api.ECCErrors(dev, kind, span)
		})
	}
	single, r := nvml.AskFor(s.api.RetiredPages, dev, nvml.RetiredSingleBit)
	double, q := nvml.AskFor(s.api.RetiredPages, dev, nvml.RetiredDoubleBit)
	if r == nvml.Success && q == nvml.Success {
		e.Retired = &Retired{single, double, tell(s.api.RetirementsWait, dev, same[bool])}
	}
	e.Remapped = tell(s.api.RemappedRows, dev, func(r nvml.RemappedRows) Remapped {
		return Remapped{r.Corrected, r.Uncorrected, r.Pending, r.Failed}
	})
	return e
}

// add asks for both kinds of errors, and keeps the counts unless there are none to be had.
func (e *Errors) add(place string, span nvml.ECCCounter, ask func(nvml.ECCError) (uint64, nvml.Return)) {
	count := ErrorCount{Place: place, Aggregate: span == nvml.ECCAggregate}
	if n, r := ask(nvml.ECCCorrected); r == nvml.Success {
		count.Corrected = &n
	}
	if n, r := ask(nvml.ECCUncorrected); r == nvml.Success {
		count.Uncorrected = &n
	}
	if count.Corrected != nil || count.Uncorrected != nil {
		e.Counts = append(e.Counts, count)
	}
}
