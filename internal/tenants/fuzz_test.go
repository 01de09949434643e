package tenants

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
)

// FuzzEntry reads what others may have written: it is refused, or a program whose sums cannot overflow, and the same when it
// is written and read again.
func FuzzEntry(f *testing.F) {
	f.Add([]byte(`{"version":1,"id":"A","pid":7,"started":3,"name":"sh","gpus":[{"uuid":"GPU-1","memory":4096,"utilization":50}]}`))
	f.Add([]byte(`{"version":1,"name":"x","gpus":[{"uuid":"a"},{"uuid":"a"}]}`))
	f.Add([]byte(`{"version":1,"name":"\ud800","gpus":null}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := parse(data)
		if err != nil {
			return
		}
		var sum uint64
		for _, u := range e.GPUs {
			sum += u.Memory
		}
		if sum > maxGPUs*maxMemory {
			t.Errorf("%d bytes in all", sum)
		}
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := parse(text); err != nil || !reflect.DeepEqual(again, e) {
			t.Errorf("%s: got %+v, %v, want %+v", text, again, err, e)
		}
	})
}

// FuzzFileName wants the name of an entry's file to tell its number and id, and no other name to do so.
func FuzzFileName(f *testing.F) {
	for _, name := range []string{"12-AB.json", "12-AB.partial", "012-AB.json", "-1-AB.json", "12-.json", "99999999999-A.json", "12-A-B.json"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		pid, id, ok := parseName(name)
		if !ok {
			return
		}
		e := entry{PID: pid, ID: id}
		if partial := fmt.Sprintf("%d-%s.partial", pid, id); name != e.file() && name != partial {
			t.Errorf("%q: got %d and %q", name, pid, id)
		}
	})
}
