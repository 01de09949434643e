package checkpoint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"cresset/checkpoint"
	"cresset/tensor"
)

// benchmarkBytes is the size of the files: 64 MiB, or what CRESSET_CHECKPOINT_BYTES says.
func benchmarkBytes(b *testing.B) int {
	b.Helper()
	text := os.Getenv("CRESSET_CHECKPOINT_BYTES")
	if text == "" {
		return 64 << 20
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// model returns n tensors that have so many bytes together.
func model(n, bytes int) map[string]*tensor.Tensor {
	all := make(map[string]*tensor.Tensor, n)
	for i := range n {
		all[fmt.Sprintf("layers.%d.weight", i)] = tensor.Ones(bytes / n / 4)
	}
	return all
}

// benchmarkFile returns the path of a file of n tensors. scripts/bench_checkpoint.py has made it, or it is made here.
func benchmarkFile(b *testing.B, name string, n, bytes int) string {
	b.Helper()
	if folder := os.Getenv("CRESSET_CHECKPOINTS"); folder != "" {
		return filepath.Join(folder, name)
	}
	path := filepath.Join(b.TempDir(), name)
	if err := checkpoint.Write(path, model(n, bytes)); err != nil {
		b.Fatal(err)
	}
	return path
}

// timed times f after a first call of it, whose memory the system had to provide: on a virtual machine that can take ten times as
// long as a reading.
func timed(b *testing.B, bytes int, f func()) {
	f()
	b.SetBytes(int64(bytes))
	for b.Loop() {
		f()
	}
}

// BenchmarkCopy copies in memory what BenchmarkRead reads.
func BenchmarkCopy(b *testing.B) {
	size := benchmarkBytes(b)
	weights, copies := model(16, size), map[string]*tensor.Tensor{}
	timed(b, size, func() {
		for name, x := range weights {
			copies[name] = x.Clone()
		}
		for _, x := range copies {
			x.Release()
		}
	})
}

// BenchmarkRead reads a file that the system has in its cache into new tensors.
func BenchmarkRead(b *testing.B) {
	size := benchmarkBytes(b)
	for _, name := range []string{"large.safetensors", "large.pt", "large.npz"} {
		b.Run(filepath.Ext(name)[1:], func(b *testing.B) {
			path := benchmarkFile(b, name, 16, size)
			timed(b, size, func() {
				f, err := checkpoint.Open(path)
				if err != nil {
					b.Fatal(err)
				}
				defer f.Close()
				read, err := f.Tensors()
				if err != nil {
					b.Fatal(err)
				}
				for _, x := range read {
					x.Release()
				}
			})
		})
	}
}

// BenchmarkWrite writes what BenchmarkRead reads to the folder for temporary files.
func BenchmarkWrite(b *testing.B) {
	size := benchmarkBytes(b)
	weights := model(16, size)
	for _, name := range []string{"large.safetensors", "large.pt", "large.npz"} {
		b.Run(filepath.Ext(name)[1:], func(b *testing.B) {
			path := filepath.Join(b.TempDir(), name)
			b.SetBytes(int64(size))
			for b.Loop() {
				if err := checkpoint.Write(path, weights); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOpen opens and lists a file of 1,000 tensors.
func BenchmarkOpen(b *testing.B) {
	for _, name := range []string{"many.safetensors", "many.pt", "many.npz"} {
		b.Run(filepath.Ext(name)[1:], func(b *testing.B) {
			path := benchmarkFile(b, name, 1000, 4_000_000)
			b.ReportAllocs()
			timed(b, 0, func() {
				f, err := checkpoint.Open(path)
				if err != nil {
					b.Fatal(err)
				}
				if n := len(f.Entries()); n != 1000 {
					b.Fatal(n)
				}
				f.Close()
			})
		})
	}
}
