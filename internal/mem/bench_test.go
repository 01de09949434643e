package mem

import (
	"fmt"
	"testing"
)

var sizes = []int{64, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 1 << 20}

func BenchmarkFree(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				x, _ := Alloc(n)
				x.Free()
			}
		})
	}
}

// BenchmarkDrop leaves every block to the collector: below netBytes as garbage, from there on by reclaiming.
func BenchmarkDrop(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Alloc(n); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkFreeParallel(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			x, _ := Alloc(4096)
			x.Free()
		}
	})
}
