package nn

import "math"

// LinearScaling divides all angles by Factor: positions lie closer together.
type LinearScaling struct{ Factor float64 }

// DynamicScaling raises the base for sequences of more than MaxPositions tokens, so that slow points turn as slowly as linear scaling by
// Factor · length/MaxPositions - (Factor - 1) would make them, and fast ones as before.
type DynamicScaling struct {
	Factor       float64
	MaxPositions int
}

// Llama3Scaling divides the angles of points that turn less than LowFreqFactor times in a context of MaxPositions tokens by Factor, leaves those that
// turn more than HighFreqFactor times as they are, and blends between.
type Llama3Scaling struct {
	Factor, LowFreqFactor, HighFreqFactor float64
	MaxPositions                          int // of the training before the context was extended
}

// YaRNScaling is Peng et al. (2023): points that turn more than BetaFast times in MaxPositions tokens keep their angles, those that turn less than
// BetaSlow times have them divided by Factor, and between these the division sets in linearly by index. Cosines and sines are multiplied by Attention.
type YaRNScaling struct {
	Factor             float64
	MaxPositions       int     // of the training before the context was extended
	BetaFast, BetaSlow float64 // 32 and 1 where they are 0
	Attention          float64 // 0: (0.1·MScale·ln(Factor) + 1) / (0.1·MScaleAllDim·ln(Factor) + 1) where both are given, else 0.1·ln(Factor) + 1
	MScale             float64
	MScaleAllDim       float64
	Fractional         bool // leaves the bounds of the blend between indices, where they are rounded outwards otherwise
}

func (l LinearScaling) scale(r *Rotary, _ int) ([]float32, float64) {
	f := r.frequencies(r.Theta)
	for i := range f {
		f[i] /= float32(l.Factor)
	}
	return f, 1
}

func (d DynamicScaling) scale(r *Rotary, length int) ([]float32, float64) {
	longer := float64(max(length, d.MaxPositions)) / float64(d.MaxPositions)
	size := float64(r.Size)
	return r.frequencies(r.Theta * math.Pow(d.Factor*longer-(d.Factor-1), size/(size-2))), 1
}

func (l Llama3Scaling) scale(r *Rotary, _ int) ([]float32, float64) {
	f := r.frequencies(r.Theta)
	for i, own := range f {
		turns := float64(l.MaxPositions) * float64(own) / (2 * math.Pi)
		switch {
		case turns < l.LowFreqFactor:
			f[i] = own / float32(l.Factor)
		case turns <= l.HighFreqFactor:
			kept := float32((turns - l.LowFreqFactor) / (l.HighFreqFactor - l.LowFreqFactor))
			f[i] = (1-kept)*own/float32(l.Factor) + kept*own
		}
	}
	return f, 1
}

func (y YaRNScaling) scale(r *Rotary, _ int) ([]float32, float64) {
	low, high := y.blend(r)
	f := r.frequencies(r.Theta)
	for i, own := range f {
		divided := float32(min(max((float64(i)-low)/(high-low), 0), 1))
		f[i] = own/float32(y.Factor)*divided + own*(1-divided)
	}
	return f, y.attention()
}

// attention returns what cosines and sines are multiplied by.
func (y YaRNScaling) attention() float64 {
	growth := func(scale float64) float64 { return 1 + 0.1*scale*math.Log(max(y.Factor, 1)) }
	switch {
	case y.Attention != 0:
		return y.Attention
	case y.MScale != 0 && y.MScaleAllDim != 0:
		return growth(y.MScale) / growth(y.MScaleAllDim)
	default:
		return growth(1)
	}
}

// blend returns the indices of the points between which the division sets in.
func (y YaRNScaling) blend(r *Rotary) (low, high float64) {
	index := func(turns float64) float64 {
		return float64(r.Size) * math.Log(float64(y.MaxPositions)/(turns*2*math.Pi)) / (2 * math.Log(r.Theta))
	}
	low, high = index(or(y.BetaFast, 32)), index(or(y.BetaSlow, 1))
	if !y.Fractional {
		low, high = math.Floor(low), math.Ceil(high)
	}
	if low, high = max(low, 0), min(high, float64(r.Size-1)); low == high {
		high += 0.001
	}
	return low, high
}

func or(v, usual float64) float64 {
	if v == 0 {
		return usual
	}
	return v
}
