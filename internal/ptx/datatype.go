package ptx

// dataType is a fundamental type of PTX.
type dataType struct {
	name string
	kind typeKind
	bits int
}

type typeKind uint8

const (
	untyped typeKind = iota
	unsigned
	signed
	float
	predicate
)

var dataTypes = map[string]dataType{
	"b8": {"b8", untyped, 8}, "b16": {"b16", untyped, 16}, "b32": {"b32", untyped, 32}, "b64": {"b64", untyped, 64},
	"u8": {"u8", unsigned, 8}, "u16": {"u16", unsigned, 16}, "u32": {"u32", unsigned, 32}, "u64": {"u64", unsigned, 64},
	"s8": {"s8", signed, 8}, "s16": {"s16", signed, 16}, "s32": {"s32", signed, 32}, "s64": {"s64", signed, 64},
	"f32": {"f32", float, 32}, "f64": {"f64", float, 64}, "pred": {"pred", predicate, 1},
	"f16": {"f16", float, 16}, "bf16": {"bf16", float, 16}, "f16x2": {"f16x2", untyped, 32}, "bf16x2": {"bf16x2", untyped, 32},
}

// file is where values of the type live.
func (t dataType) file() file {
	switch {
	case t.kind == predicate:
		return fileP
	case t.bits == 64:
		return file64
	}
	return file32
}

// file is one of a warp's three register files.
type file uint8

const (
	file32 file = iota // 8, 16 and 32 bits; readers ignore what lies above their type
	file64
	fileP
)

func (f file) String() string { return [...]string{"at most 32 bits", "64 bits", "a predicate"}[f] }
