//go:build ((darwin && (amd64 || arm64)) || (linux && arm64)) && !nocuda

package dl

import "github.com/ebitengine/purego"

func (f *frame) call() { f.result, _, _ = purego.SyscallN(f.fn, f.args[:f.n]...) }
