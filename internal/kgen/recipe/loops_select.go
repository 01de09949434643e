package recipe

// selections are the loops of internal/kern/select.go.
func selections() []*Loop {
	float := describe("Where", "a where cond, else b", floats, "cond", "a", "b")
	float.Src[0].Elem = Bool
	whole := describe("Where", "a where cond, else b", ints, "cond", "a", "b")
	whole.Src[0].Elem = Bool
	whole.write("dst", Own, Ref(whole.IfInt(whole.Bool(0), whole.IntParam(1), whole.IntParam(2))))
	return []*Loop{float.dst(float.If(float.Bool(0), float.Param(1), float.Param(2))), whole.end(whole.builder)}
}
