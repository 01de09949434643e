package device

// Type is a kind of device.
type Type uint8

// The types that this module computes on. The other names of typeNames are known because PyTorch knows them: they can be
// named, but not used.
const (
	TypeCPU Type = iota
	TypeCUDA
	TypeMeta Type = 16
)

// typeNames has the names by Type, in the order in which PyTorch lists them.
var typeNames = [...]string{
	"cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve",
	"fpga", "maia", "xla", "lazy", "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone",
}

// String returns the type's name, "cuda".
func (t Type) String() string {
	if int(t) >= len(typeNames) {
		return "unknown"
	}
	return typeNames[t]
}

// typeNamed returns the type of that name.
func typeNamed(name string) (t Type, ok bool) {
	for i, known := range typeNames {
		if name == known {
			return Type(i), true
		}
	}
	return 0, false
}
