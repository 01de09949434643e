package golden

// These name the packages above tensor that assert entries of the recordings in tensor/testdata.
var (
	// AutogradAbove is for autograd_torch26.txt.
	AutogradAbove = map[string]string{
		"zero_grad":   "nn",
		"opt":         "optim",
		"opt none":    "optim",
		"empty opt":   "optim",
		"opt nonleaf": "optim",
	}

	// ErrorsAbove is for errors_torch26_cpu.txt.
	ErrorsAbove = map[string]string{
		"load_state":       "nn",
		"load_state shape": "nn",
		"to int mod":       "nn",
		"mod to nothing":   "nn",
		"mod to copy":      "nn",
	}

	// ToAbove is for to_and_module_torch26.txt.
	ToAbove = map[string]string{
		SameModule:                         "nn",
		"noop True":                        "nn",
		"to other tensor":                  "nn",
		"half":                             "nn",
		"param order":                      "nn",
		"buffers":                          "nn",
		"state_dict":                       "nn",
		"type":                             "nn",
		"version 1 1":                      "nn",
		"backward after module.to(double)": "nn",
		"bw":                               "nn",
		"opt still refs True torch.float32 torch.int64": "optim",
	}

	// PrintAbove is for print_torch26.txt.
	PrintAbove = map[string]string{"net": "nn", "state_dict": "nn"}
)

// SameModule is the line of to_and_module_torch26.txt that says what Module.to keeps.
const SameModule = "same module True param same obj True tied True torch.float64 ptr changed True grad obj same True " +
	"torch.float64 buf same False torch.float64 torch.int64 True torch.float64 torch.float32 torch.float32 leaf True True None"
