//go:build nocuda || !(linux || darwin || windows) || !(amd64 || arm64)

package dl

const (
	supported      = false
	searchesSystem = false
)

func open(string, bool) (uintptr, error) { return 0, ErrWithout }

func located(name string) string { return name }

func symbol(uintptr, string) uintptr { return 0 }

func closeHandle(uintptr) error { return ErrWithout }

func (*frame) call() { panic("dl: " + ErrWithout.Error()) }
