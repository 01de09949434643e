package emit

import "fmt"

// mostParameters is how many bytes of parameters a kernel has.
const mostParameters = 4096

// MostPieces returns how many regions of the kernel's structure one launch can compute.
func (k *Kernel) MostPieces() int { return mostParameters / (8 * k.words()) }

// Batch returns a kernel that computes n regions of k's structure, each of its own size: row y of the grid, or plane z where there are
// sums, computes the one whose words are the y-th among its parameters. These have room for a power of two, so that numbers of regions share texts.
func (k *Kernel) Batch(n int) *Kernel {
	b := *k
	for b.Pieces = 1; b.Pieces < n; {
		b.Pieces *= 2
	}
	b.Pieces = min(b.Pieces, k.MostPieces())
	b.key = fmt.Sprintf("%d of %s", b.Pieces, k.key)
	return &b
}

// ParamBytes is the size of the kernel's parameters.
func (k *Kernel) ParamBytes() int { return 8 * k.words() * k.Pieces }

// words returns how many parameters a region has.
func (k *Kernel) words() int {
	n := 1 + len(k.region.In) + len(k.region.Out) + k.scalars
	if k.Columns > 0 {
		n += sumWords + len(k.region.Sums)
	}
	if k.reduces() {
		n++
	}
	if !k.walks() {
		return n
	}
	n += len(k.space.extents)
	for _, c := range k.classes {
		for axis := range k.space.extents {
			if c.goesAlong(axis) {
				n++
			}
		}
	}
	return n
}

// parameters finds the words of the region that the thread's block computes.
func (w *writer) parameters() {
	w.params = "args"
	if w.Pieces > 1 {
		place := "%ctaid.y"
		if w.Columns > 0 {
			place = "%ctaid.z"
		}
		w.params = w.make("rd", "mad.wide.u32", w.make("r", "mov.u32", place), fmt.Sprint(8*w.words()), w.make("rd", "mov.b64", "args"))
	}
}
