package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// weightWorker is a thread's work at a piece of a weightGradAMX.
type weightWorker struct {
	*weightGradAMX
	sums   []float32    // [parts, blocks, taps, 32 outputs, 32 channels]
	packed []float32    // pairs of a block of the input: [panels, images, pairs, 32]
	copies []dtype.BF16 // of dy: [images, outputs, planeY]
	spare  []float32
	at     weightBand
	steps  []int32 // where they begin in a plane of dy
	places []vec.AMXPlace
}

// weightBand is what a worker adds: for parts and blocks of a group, some lines of some images.
type weightBand struct {
	group, part, partEnd, block, blockEnd int
	image, images, line, lines            int
}

// piece computes a piece.
func (w *weightWorker) piece(i int) {
	across, down := ceilDiv(w.parts, w.someParts), ceilDiv(w.blocks, w.someBlocks)
	at := weightBand{part: i % across * w.someParts, block: i / across % down * w.someBlocks, group: i / across / down}
	at.partEnd, at.blockEnd = min(at.part+w.someParts, w.parts), min(at.block+w.someBlocks, w.blocks)
	clear(w.sums)
	for at.image = 0; at.image < w.N; at.image += w.images {
		at.images = min(w.images, w.N-at.image)
		for at.line = 0; at.line < w.OH; at.line += w.lines {
			at.lines = min(w.lines, w.OH-at.line)
			w.at = at
			w.band()
		}
	}
	for p := at.part; p < at.partEnd; p++ {
		for b := at.block; b < at.blockEnd; b++ {
			w.store(p, b)
		}
	}
}

// band adds the products of a band.
func (w *weightWorker) band() {
	for n := range w.at.images {
		w.copyOutputs(n)
	}
	for b := w.at.block; b < w.at.blockEnd; b++ {
		for n := range w.at.images {
			w.pack(b, n)
		}
		for p := w.at.part; p < w.at.partEnd; p++ {
			w.multiply(p, b)
		}
	}
}

// copyOutputs copies lines of dy of an image, with zeros behind them.
func (w *weightWorker) copyOutputs(n int) {
	outputs, plane := w.K/w.Groups, w.OH*w.OW
	first, end := w.at.part*vec.AMXRows, min(w.at.partEnd*vec.AMXRows, outputs)
	to := w.copies[n*w.someParts*vec.AMXRows*w.planeY:]
	h := vec.HalfLines{Planes: end - first, Lines: w.at.lines, Cols: w.OW, Width: w.line, Stride: 1, PlaneDst: w.planeY, LineDst: w.line, PlaneSrc: plane, LineSrc: w.OW}
	if w.line == w.OW {
		h.Lines, h.Cols, h.Width = 1, w.at.lines*w.OW, w.at.lines*w.OW
	}
	h.Copy(to, w.dy[((w.at.image+n)*w.K+w.at.group*outputs+first)*plane+w.at.line*w.OW:])
	for i := range h.Planes {
		clear(to[i*w.planeY:][w.at.lines*w.line : ceilDiv(w.at.lines*w.line, vec.AMXSteps)*vec.AMXSteps])
	}
}

// pack packs a block of channels of an image.
func (w *weightWorker) pack(block, n int) {
	const lanes = vec.AMXCols / 2
	channels := min(vec.AMXCols, w.C/w.Groups-block*vec.AMXCols)
	x := w.x[((w.at.image+n)*w.C+w.at.group*(w.C/w.Groups)+block*vec.AMXCols)*w.H*w.W:]
	planes := asHalves(w.spare)
	for j := 0; j < channels; j += lanes {
		some := min(lanes, channels-j)
		for i, phase := range w.phases {
			w.copyPhase(planes[i*w.phase:], x[j*w.H*w.W:], some, phase)
		}
		for i, p := range w.panels {
			to := w.packed[(i*w.images+n)*w.pairs*vec.AMXCols:]
			vec.PairColumns(to[j:], vec.AMXCols, planes[p.phase*w.phase+p.odd:], w.planeX, some, w.pairs)
			if channels <= lanes {
				for l := range w.pairs {
					clear(to[l*vec.AMXCols+lanes:][:lanes])
				}
			}
		}
	}
}

// copyPhase copies the elements of channels that a phase's taps read.
func (w *weightWorker) copyPhase(to, x []dtype.BF16, channels int, phase [2]int) {
	row := w.at.line*w.StrideH + phase[0] - w.PadH
	above, below := within(w.at.lines+w.down, row, w.StrideH, w.H)
	left, right := within(w.line, phase[1]-w.PadW, w.StrideW, w.W)
	before, end := above*w.line+left, below*w.line+left
	if above == below || left == right {
		before, end = 0, 0
	}
	for c := range channels {
		clear(to[c*w.planeX:][:before])
		clear(to[c*w.planeX:][end:w.phase])
	}
	if before == end {
		return
	}
	x = x[(row+above*w.StrideH)*w.W+left*w.StrideW+phase[1]-w.PadW:]
	h := vec.HalfLines{Planes: channels, Lines: below - above, Cols: right - left, Width: w.line, Stride: w.StrideW,
		PlaneDst: w.planeX, LineDst: w.line, PlaneSrc: w.H * w.W, LineSrc: w.StrideH * w.W}
	if h.Stride <= 2 {
		h.Copy(to[before:], x)
		return
	}
	for i := range channels * h.Lines {
		line, from := to[before+i/h.Lines*h.PlaneDst+i%h.Lines*h.LineDst:][:h.Width], x[i/h.Lines*h.PlaneSrc+i%h.Lines*h.LineSrc:]
		for j := range h.Cols {
			line[j] = from[j*h.Stride]
		}
		clear(line[h.Cols:])
	}
}

// multiply adds the products of a part of the outputs and a block of channels: those of all images at once, where panels have them one after the other.
func (w *weightWorker) multiply(part, block int) {
	steps, images := ceilDiv(w.at.lines*w.line, vec.AMXSteps), w.someParts*vec.AMXRows*w.planeY
	together := 1
	if w.pairs == steps*vec.AMXSteps/2 {
		together = w.at.images
	}
	w.steps = w.steps[:0]
	for l := range together * steps {
		w.steps = append(w.steps, int32(l/steps*images+l%steps*vec.AMXSteps))
	}
	t := vec.AMXPixels{Rows: min(vec.AMXRows, w.K/w.Groups-part*vec.AMXRows), K: len(w.steps), RowA: w.planeY, Taps: w.steps, LastTap: int(w.steps[len(w.steps)-1]),
		B: w.packed, RowFrom: vec.AMXCols, StepFrom: vec.AMXRows * vec.AMXCols, StepSums: vec.AMXRows * vec.AMXCols}
	t.LowA = (t.Rows + 1) / 2 * t.RowA
	t.Sums = w.sums[((part-w.at.part)*w.someBlocks+block-w.at.block)*len(w.taps)*t.StepSums:]
	t.From = t.Sums
	for n := 0; n < w.at.images; n += together {
		w.places, t.LastPlace = w.places[:0], vec.AMXPlace{}
		for _, tap := range w.taps {
			at := vec.AMXPlace{B: int32(((tap.panel*w.images+n)*w.pairs + tap.pair) * vec.AMXCols)}
			w.places, t.LastPlace.B = append(w.places, at), max(t.LastPlace.B, at.B)
		}
		t.Places, t.A = w.places, w.copies[n*images+(part-w.at.part)*vec.AMXRows*w.planeY:]
		t.RunSums()
	}
}

// store writes the sums for a part of the outputs and a block of channels, whose windows are ordered by channel. What a copy writes beyond a window the next one overwrites.
func (w *weightWorker) store(part, block int) {
	const lanes, tile = vec.AMXCols / 2, vec.AMXRows * vec.AMXCols
	window := len(w.taps)
	rows, channels := min(vec.AMXRows, w.K/w.Groups-part*vec.AMXRows), min(vec.AMXCols, w.C/w.Groups-block*vec.AMXCols)
	sums := w.sums[((part-w.at.part)*w.someBlocks+block-w.at.block)*window*tile:]
	for i := range rows {
		for t := (window - 1) / lanes * lanes; t >= 0; t -= lanes {
			vec.Transpose(w.spare[t:], window, sums[t*tile+i*vec.AMXCols:], tile, min(lanes, window-t), channels)
		}
		k := w.at.group*(w.K/w.Groups) + part*vec.AMXRows + i
		narrow(w.dw[(k*(w.C/w.Groups)+block*vec.AMXCols)*window:], w.spare[:channels*window])
	}
}
