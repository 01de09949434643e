package pickle

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// repr shows a value as Python does.
func repr(v any) string {
	var b strings.Builder
	show(&b, v, nil)
	return b.String()
}

func show(b *strings.Builder, v any, within []any) {
	switch v := v.(type) {
	case nil:
		b.WriteString("None")
	case bool:
		b.WriteString(map[bool]string{true: "True", false: "False"}[v])
	case int64, *big.Int:
		fmt.Fprint(b, v)
	case float64:
		b.WriteString(float(v))
	case complex128:
		fmt.Fprintf(b, "(%g+%gj)", real(v), imag(v))
	case string:
		b.WriteString("'" + v + "'")
	case []byte:
		b.WriteString("b'")
		for _, c := range v {
			if c >= ' ' && c < 127 {
				b.WriteByte(c)
			} else {
				fmt.Fprintf(b, `\x%02x`, c)
			}
		}
		b.WriteString("'")
	case ByteArray:
		b.WriteString("bytearray(")
		show(b, []byte(v), within)
		b.WriteString(")")
	case Tuple:
		b.WriteString("(")
		showAll(b, v, within)
		if len(v) == 1 {
			b.WriteString(",")
		}
		b.WriteString(")")
	case *List:
		for _, w := range within {
			if w == v {
				b.WriteString("[...]")
				return
			}
		}
		b.WriteString("[")
		showAll(b, v.Items, append(within, v))
		b.WriteString("]")
	case *Set:
		if v.Len() == 0 {
			b.WriteString("set()")
			return
		}
		b.WriteString("{")
		for e := range v.All() {
			show(b, e, within)
		}
		b.WriteString("}")
	case *Dict:
		showDict(b, v, within)
	default:
		fmt.Fprintf(b, "<%T>", v)
	}
}

func float(f float64) string {
	s := strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, 64), "+"))
	if !strings.ContainsAny(s, ".eni") {
		s += ".0"
	}
	return s
}

func showAll(b *strings.Builder, all []any, within []any) {
	for i, v := range all {
		if i > 0 {
			b.WriteString(", ")
		}
		show(b, v, within)
	}
}

func showDict(b *strings.Builder, d *Dict, within []any) {
	start, between, end := "{", ": ", "}"
	switch {
	case d.Ordered:
		start, between, end = "OrderedDict([", ", ", "])"
	case d.counter && d.Len() == 0:
		start, end = "Counter(", ")"
	case d.counter:
		start, end = "Counter({", "})"
	}
	b.WriteString(start)
	i := 0
	for k, v := range d.All() {
		if i++; i > 1 {
			b.WriteString(", ")
		}
		if d.Ordered {
			b.WriteString("(")
		}
		show(b, k, within)
		b.WriteString(between)
		show(b, v, within)
		if d.Ordered {
			b.WriteString(")")
		}
	}
	b.WriteString(end)
}
