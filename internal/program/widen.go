package program

import (
	"slices"

	"cresset/internal/backend"
	"cresset/internal/op"
)

// widened lets calls on halves give float32 where a cast behind them would make it of their results, and who runs the program asks for that, as for the
// gradients of weights under Autocast, or an addition takes it that the call then does by itself, as those to a residual. Elsewhere the cast is a step of what reads
// the result, which has fewer bytes to read then.
func widened(calls []*Call, asked []*Slot, on backend.Caster, joiner backend.Joiner) []*Call {
	calls = slices.Clone(calls)
	for i, c := range calls {
		if c == nil || len(c.Out) != 1 || c.Then != op.Invalid || c.Epilogue != nil {
			continue
		}
		k := castOf(calls, i, &c.Out[0], asked)
		if k < 0 || narrows(calls[k]) || !on.Gives(c.Op, c.DType, 0, calls[k].Out[0].DType) {
			continue
		}
		own, cast := *c, calls[k]
		own.Out = []backend.View{like(&cast.Out[0], &c.Out[0])}
		calls[i], calls[k] = &own, nil
		if !slices.Contains(asked, cast.Out[0].Buf.(*Slot)) && !follow(calls, i, asked, joiner) {
			calls[i], calls[k] = c, cast
		}
	}
	return slices.DeleteFunc(calls, func(c *Call) bool { return c == nil })
}
