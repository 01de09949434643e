package conformance

// otherwise lists the recorded mistakes that are not answered in PyTorch's words, with the reason.
var otherwise = map[string]string{
	"clamp mixed":               "the text lists Python's overloads",
	"nan_to_num":                "a compile error",
	"meshgrid":                  "the text names the shape instead of printing the tensor as C++ does",
	"kron":                      "a Go function takes tensors: another operand does not compile",
	"conv2d padding name":       "SamePadding is an option, not a word",
	"pad odd":                   "Pad speaks as constant_pad_nd",
	"pad long":                  "Pad speaks as constant_pad_nd",
	"pad negative":              "Pad speaks as constant_pad_nd",
	"embedding_bag offsets":     "the text ends with an empty tensor as C++ prints it",
	"kl_div reduction":          "a reduction is one of three constants, and another name does not compile",
	"poisson reduction":         "a reduction is one of three constants, and another name does not compile",
	"hinge_embedding reduction": "a reduction is one of three constants, and another name does not compile",
}
