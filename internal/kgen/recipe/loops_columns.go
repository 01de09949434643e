package recipe

// columns are the loops that reduce a matrix over its rows, in internal/kern/reduce_columns.go: they
// hold what a strip of columns has so far against the next rows.
func columns() []*Loop {
	const largest, smallest = "the larger of best and a and its row, the first of two", "the smaller of best and a and its row, the first of two"
	return []*Loop{
		extremeRow("MaxColumns", largest+", NaN where either is", func(d description, best, x float) mask { return d.Less(best, x) }),
		extremeRow("MinColumns", smallest+", NaN where either is", func(d description, best, x float) mask { return d.Less(x, best) }),
		extremeRowInt("MaxColumns", largest, func(d description, best, x integ) mask { return d.ILess(best, x) }),
		extremeRowInt("MinColumns", smallest, func(d description, best, x integ) mask { return d.ILess(x, best) }),
	}
}

// extremeRow takes a row into the best elements and the rows where they were; the bits of its scalar are the row's number.
func extremeRow(name, doc string, better func(d description, best, x float) mask) *Loop {
	d := describe(name, doc, floats, "best", "at", "a")
	d.Src[1].Elem = I32
	best, at, x, row := d.Param(0), d.IntParam(1), d.Param(2), d.scalar("row")
	takes := d.Either(better(d, best, x), d.Both(d.IsNaN(x), d.Equal(best, best)))
	d.write("best", Own, Ref(d.If(takes, x, best)))
	d.write("at", I32, Ref(d.IfInt(takes, d.ToBits(row), at)))
	return d.end(d.builder)
}

func extremeRowInt(name, doc string, better func(d description, best, x integ) mask) *Loop {
	d := describe(name, doc, ints, "best", "at", "a")
	d.Src[1].Elem = I32
	best, at, x, row := d.IntParam(0), d.IntParam(1), d.IntParam(2), repeated[integ](d, "row")
	takes := better(d, best, x)
	d.write("best", Own, Ref(d.IfInt(takes, x, best)))
	d.write("at", I32, Ref(d.IfInt(takes, row, at)))
	return d.end(d.builder)
}
