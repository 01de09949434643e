package mem

import "testing"

func TestClasses(t *testing.T) {
	check := func(n int) {
		c := classOf(n)
		size := classBytes(c)
		if size < n {
			t.Fatalf("classOf(%d) = %d holds %d bytes", n, c, size)
		}
		if n > 256 && size-n >= size/5+1 {
			t.Fatalf("classOf(%d) = %d wastes %d of %d bytes", n, c, size-n, size)
		}
		if size%Alignment != 0 {
			t.Fatalf("class %d has %d bytes", c, size)
		}
		if classOf(size) != c {
			t.Fatalf("class %d has %d bytes, which are of class %d", c, size, classOf(size))
		}
	}
	for n := range 20_000 {
		check(n)
	}
	for shift := 14; shift < 63; shift++ {
		for _, d := range []int{-1, 0, 1} {
			for step := range 4 {
				n := 1<<shift + step<<(shift-2) + d
				if n <= 1<<62 {
					check(n)
				}
			}
		}
	}
}
