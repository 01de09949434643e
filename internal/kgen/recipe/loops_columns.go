package recipe

// columns are the loops that reduce a matrix over its rows, in internal/kern/reduce_sum.go and reduce_columns.go: they
// hold what a strip of columns has so far against the next rows.
func columns() []*Loop {
	return []*Loop{
		addRows("AddRowsF32", F32),
		addRows("AddRowsF64", F64),
		extremeRow("MaxColumns", "the larger of best and a and its row, the first of two, NaN where either is", func(d description, best, x float) mask {
			return d.Less(best, x)
		}),
		extremeRow("MinColumns", "the smaller of best and a and its row, the first of two, NaN where either is", func(d description, best, x float) mask {
			return d.Less(x, best)
		}),
	}
}

// addRows adds three rows to a row of sums.
func addRows(name string, elem Elem) *Loop {
	d := describe(name, "sum + a + b + c", []Elem{F64}, "sum", "a", "b", "c")
	y := d.Param(0)
	for n := 1; n < len(d.Src); n++ {
		d.Src[n].Elem = elem
		y = d.Add(y, d.Param(n))
	}
	d.write("sum", Own, Ref(y))
	return d.end(d.builder)
}

// extremeRow takes a row into the best elements and the rows where they were; the bits of its scalar are the row's number.
func extremeRow(name, doc string, better func(d description, best, x float) mask) *Loop {
	d := describe(name, doc, single, "best", "at", "a")
	d.Src[1].Elem = I32
	best, at, x, row := d.Param(0), d.IntParam(1), d.Param(2), d.scalar("row")
	takes := d.Either(better(d, best, x), d.Both(d.IsNaN(x), d.Equal(best, best)))
	d.write("best", Own, Ref(d.If(takes, x, best)))
	d.write("at", I32, Ref(d.IfInt(takes, d.ToBits(row), at)))
	return d.end(d.builder)
}
