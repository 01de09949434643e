package recipe

// specialOps are the special functions.
var specialOps = []Elementwise{
	{Op: "Erfc", Name: "erfc", GradFn: "ErfcBackward0", Doc: "1 less the error function of a", Float: function(Erfc), Plain: seldom},
	{Op: "Erfinv", Name: "erfinv", GradFn: "ErfinvBackward0", Doc: "the inverse of the error function of a", Float: function(Erfinv), Plain: seldom},
}
