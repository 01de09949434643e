//go:build !linux || !amd64 || nocuda

package dl

import "encoding/binary"

func (l *Look) run() {
	for range l.most {
		l.result = Call(l.fn, l.request, l.flag, l.status)
		if int32(l.result) != 0 || binary.NativeEndian.Uint32(l.memory.Bytes[l.flagAt:]) != 0 {
			return
		}
	}
}
