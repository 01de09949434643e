package vec

import "unsafe"

const (
	WinogradTile    = 4  // lines and columns of outputs of a tile
	WinogradMatrix  = 36 // elements of a tile's inputs, which are as many products
	WinogradOutputs = 16 // how far apart the weights of outputs are that are transformed together, as many as a vector has lanes
	WinogradScratch = 24 * WinogradOutputs
)

// maxWinogradPad is the largest padding of Winograd's convolution.
const maxWinogradPad = 2

// HasWinograd reports whether there is assembly for Winograd.
func HasWinograd() bool { return current == AVX512 || current == AVX2 }

// WinogradTiles returns how many tiles a row has at most: one less than a vector has lanes, since the columns of the last are in part the next one's first.
func WinogradTiles() int { return Lanes[float32]() - 1 }

// A Winograd is a row of tiles of an image of Channels planes of H x W: those of inputs or of outputs. Element p of the transformed tiles is
// at Matrices[p*Step+c*Pitch+i] for channel c and tile i.
type Winograd struct {
	Planes         []float32
	Channels, H, W int
	Line, Column   int // of the first tile's first element; less than zero where that is padding
	Tiles          int
	Matrices       []float32
	Step, Pitch    int
	Scratch, Bias  []float32 // WinogradScratch elements; a bias for each channel, nil for none
	masks          [4]uint16
	vectors        [4][8]int32 // the masks of AVX2
}

// noLine is what lines of padding hold.
var noLine [maxWinogradPad + 64]float32

// In transforms inputs. It writes a whole vector for each element.
func (w *Winograd) In() {
	c := w.call()
	c.before = max(-w.Column, 0) * 4
	lines, steps := [...]*unsafe.Pointer{&c.x0, &c.x1, &c.x2, &c.x3, &c.x4, &c.x5}, [...]*int{&c.step0, &c.step1, &c.step2, &c.step3, &c.step4, &c.step5}
	for i := range lines {
		if h := w.Line + i; h >= 0 && h < w.H {
			*lines[i], *steps[i] = pointer(w.Planes, h*w.W+max(w.Column, 0)), w.H*w.W*4
		} else {
			*lines[i] = unsafe.Pointer(&noLine[max(-w.Column, 0)])
		}
	}
	columns := WinogradTile*w.Tiles + 2
	w.mask(w.W, columns)
	_ = w.Scratch[WinogradScratch-1] // This fails where it is too short.
	c.y, c.planeY, c.scratch, c.vectors = pointer(w.Matrices, 0), w.Pitch*4, pointer(w.Scratch, 0), (columns+Lanes[float32]()-1)/Lanes[float32]()
	runWinogradIn(unsafe.Pointer(&c))
}

// Out transforms products and adds the bias: it writes outputs.
func (w *Winograd) Out() {
	c := w.call()
	w.mask(w.W, WinogradTile*w.Tiles)
	_ = w.Scratch[WinogradScratch-1] // This fails where it is too short.
	c.scratch, c.vectors = pointer(w.Scratch, 0), min(WinogradTile*w.Tiles, w.W-w.Column)/Lanes[float32]()
	c.x0, c.planeX, c.y = pointer(w.Matrices, 0), w.Pitch*4, pointer(w.Planes, w.Line*w.W+w.Column)
	c.planeY, c.rowY, c.rows = w.H*w.W*4, w.W*4, min(WinogradTile, w.H-w.Line)
	var none float32
	c.bias = unsafe.Pointer(&none)
	if w.Bias != nil {
		_ = w.Bias[w.Channels-1]
		c.bias, c.stepBias = pointer(w.Bias, 0), 4
	}
	runWinogradOut(unsafe.Pointer(&c))
}

// call is what both have in common.
func (w *Winograd) call() winogradCall {
	// These fail where an operand is too short.
	_, _ = w.Planes[w.Channels*w.H*w.W-1], w.Matrices[(WinogradMatrix-1)*w.Step+(w.Channels-1)*w.Pitch+WinogradTiles()]
	c := winogradCall{masks: unsafe.Pointer(&w.masks), planes: w.Channels, stepP: w.Step * 4}
	if current == AVX2 {
		c.masks = unsafe.Pointer(&w.vectors)
	}
	return c
}

// mask sets the masks of so many columns, of which the plane has those from zero on and before width.
func (w *Winograd) mask(width, columns int) {
	w.masks, w.vectors = [4]uint16{}, [4][8]int32{}
	for i := max(-w.Column, 0); i < min(columns, width-w.Column); i++ {
		if current == AVX2 {
			w.vectors[i/8][i%8] = -1
			continue
		}
		w.masks[i/16] |= 1 << (i % 16)
	}
}

// WinogradWeights transforms windows of 3x3 of outputs for so many channels: element t of output k for channel c is src[(9*c+t)*16+k], and element p
// of its transform becomes dst[p*step+c*outputs+k].
func WinogradWeights(dst []float32, step int, src []float32, channels, outputs int) {
	_, _ = src[channels*9*WinogradOutputs-1], dst[(WinogradMatrix-1)*step+channels*outputs-1] // These fail where an operand is too short.
	masks := [4]uint16{1<<outputs - 1}
	var vector [8]int32
	var scratch [18 * 8]float32 // of AVX2
	for i := range min(outputs, len(vector)) {
		vector[i] = -1
	}
	c := winogradCall{
		x0: pointer(src, 0), y: pointer(dst, 0), masks: unsafe.Pointer(&masks), planes: channels, planeX: 9 * WinogradOutputs * 4, planeY: outputs * 4, stepP: step * 4,
	}
	if current == AVX2 {
		c.masks, c.scratch = unsafe.Pointer(&vector), unsafe.Pointer(&scratch)
	}
	runWinogradWeights(unsafe.Pointer(&c))
}
