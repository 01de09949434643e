package recipe

// comparisonOps have bools for results. Comparisons with NaN are false, but for Ne.
var comparisonOps = []Elementwise{
	{
		Op: "Eq", Name: "eq", Doc: "a == b", Sided: true, HandBool: "EqBool",
		Float: (*builder).Equal, Int: (*builder).IEqual,
	},
	{
		Op: "Ne", Name: "ne", Doc: "a ≠ b", Sided: true, HandBool: "Xor",
		Float: func(b *builder, x, y float) mask { return b.Not(b.Equal(x, y)) },
		Int:   func(b *builder, x, y integ) mask { return b.Not(b.IEqual(x, y)) },
	},
	{
		Op: "Lt", Name: "lt", Doc: "a < b", Sided: true, HandBool: "LtBool",
		Float: (*builder).Less, Int: (*builder).ILess,
	},
	{
		Op: "Le", Name: "le", Doc: "a ≤ b", Sided: true, HandBool: "LeBool",
		Float: (*builder).LessEqual,
		Int:   func(b *builder, x, y integ) mask { return b.Not(b.ILess(y, x)) },
	},
	{
		Op: "Gt", Name: "gt", Doc: "a > b", Sided: true, HandBool: "GtBool",
		Float: func(b *builder, x, y float) mask { return b.Less(y, x) },
		Int:   func(b *builder, x, y integ) mask { return b.ILess(y, x) },
	},
	{
		Op: "Ge", Name: "ge", Doc: "a ≥ b", Sided: true, HandBool: "GeBool",
		Float: func(b *builder, x, y float) mask { return b.LessEqual(y, x) },
		Int:   func(b *builder, x, y integ) mask { return b.Not(b.ILess(x, y)) },
	},
	{Op: "IsNaN", Name: "isnan", Doc: "whether a is not a number", Float: (*builder).IsNaN},
}

// logicOps are the same loops over bools and over integers, of which the bits are all alike.
var logicOps = []Elementwise{
	{Op: "LogicalNot", Name: "logical_not", Operands: []string{"a"}, Doc: "whether a is false", HandBool: "Not"},
	{Op: "LogicalAnd", Name: "logical_and", Operands: []string{"a", "b"}, Doc: "whether a and b are true", HandBool: "And"},
	{Op: "LogicalOr", Name: "logical_or", Operands: []string{"a", "b"}, Doc: "whether a or b is true", HandBool: "Or"},
	{Op: "LogicalXor", Name: "logical_xor", Operands: []string{"a", "b"}, Doc: "whether a and b differ", HandBool: "Xor"},
	{Op: "BitwiseNot", Name: "bitwise_not", Operands: []string{"a"}, Doc: "the bits of a the other way", HandBool: "Not", HandInt: "BitwiseNot"},
	{Op: "BitwiseAnd", Name: "bitwise_and", Operands: []string{"a", "b"}, Doc: "a & b", HandBool: "And", HandInt: "BitwiseAnd"},
	{Op: "BitwiseOr", Name: "bitwise_or", Operands: []string{"a", "b"}, Doc: "a | b", HandBool: "Or", HandInt: "BitwiseOr"},
	{Op: "BitwiseXor", Name: "bitwise_xor", Operands: []string{"a", "b"}, Doc: "a ^ b", HandBool: "Xor", HandInt: "BitwiseXor"},
	{Op: "BitwiseLeftShift", Name: "bitwise_left_shift", Kernel: "lshift_cpu", Operands: []string{"a", "b"}, Doc: "a << b, 0 where b is negative", HandInt: "BitwiseLeftShift"},
	{Op: "BitwiseRightShift", Name: "bitwise_right_shift", Kernel: "rshift_cpu", Operands: []string{"a", "b"}, Doc: "a >> b, the sign alone where b is negative", HandInt: "BitwiseRightShift"},
}
