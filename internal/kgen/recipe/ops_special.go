package recipe

// specialOps are the special functions.
var specialOps = []Elementwise{
	{Op: "Erfc", Name: "erfc", GradFn: "ErfcBackward0", Doc: "1 less the error function of a", Float: function(Erfc), Plain: seldom},
}
