//go:build !nocuda

package driver

import "testing"

// TestGraphCalls builds a graph of four nodes in a line. The stub refuses what is not as written here.
func TestGraphCalls(t *testing.T) {
	api := load(t)
	if err := api.Graphs(); err != nil {
		t.Fatal(err)
	}
	g, r := api.GraphCreate(ctx, 0)
	if g != 0x6A || r != Success {
		t.Fatalf("GraphCreate: got %#x, %v", g, r)
	}
	shape := &Launch{Grid: Dim{2, 4, 6}, Block: Dim{4, 5, 6}, Shared: 2000, Programmatic: true, Cluster: Dim{2, 4, 1}}
	first, r := api.GraphAddKernelNode(ctx, g, 0, kernel, shape, []byte("param"))
	if first != 0x50 || r != Success {
		t.Fatalf("GraphAddKernelNode: got %#x, %v", first, r)
	}
	second, r := api.GraphAddCopyNode(ctx, g, first, &GraphCopy{Dst: 1, SrcHost: []byte("abc"), Bytes: 3})
	if second != 0x51 || r != Success {
		t.Errorf("GraphAddCopyNode of host memory: got %#x, %v", second, r)
	}
	if n, r := api.GraphAddCopyNode(ctx, g, 0, &GraphCopy{Dst: 1, Src: 2, Bytes: 3}); n != 0x51 || r != Success {
		t.Errorf("GraphAddCopyNode: got %#x, %v", n, r)
	}
	if n, r := api.GraphAddMemsetNode(ctx, g, second, 1, 200, 3); n != 0x52 || r != Success {
		t.Errorf("GraphAddMemsetNode: got %#x, %v", n, r)
	}
	e, r := api.GraphInstantiate(ctx, g, 0)
	if e != 0xEE || r != Success {
		t.Fatalf("GraphInstantiate: got %#x, %v", e, r)
	}
	check(t, map[string]Result{
		"GraphKernelNodeSetCluster":    api.GraphKernelNodeSetCluster(ctx, first, Dim{2, 4, 1}),
		"GraphUpload":                  api.GraphUpload(ctx, e, stream),
		"GraphLaunch":                  api.GraphLaunch(ctx, e, stream),
		"GraphExecKernelNodeSetParams": api.GraphExecKernelNodeSetParams(ctx, e, first, kernel, shape, []byte("param")),
		"GraphExecDestroy":             api.GraphExecDestroy(ctx, e),
		"GraphDestroy":                 api.GraphDestroy(ctx, g),
	})
	if _, r := api.GraphAddKernelNode(ctx, g, 0, kernel, shape, make([]byte, MaxParams+1)); r != ErrInvalidValue {
		t.Errorf("too many parameters: got %v", r)
	}
}

// TestGraphsWithMaps: a kernel with a tensor map is given its parameters one by one in graphs too.
func TestGraphsWithMaps(t *testing.T) {
	api := load(t)
	f, r := api.ModuleGetFunction(ctx, module, "mapped")
	if r != Success {
		t.Fatal(r)
	}
	mapped := append(append([]byte("map"), make([]byte, 125)...), "rest"...)
	shape := &Launch{Grid: Dim{2, 4, 6}, Block: Dim{4, 5, 6}, Shared: 2000}
	if n, r := api.GraphAddKernelNode(ctx, 0x6A, 0, f, shape, mapped); n != 0x50 || r != Success {
		t.Errorf("got %#x, %v", n, r)
	}
}

// TestGraphsOfOldDrivers: a driver without graphs is told of by the function that it lacks.
func TestGraphsOfOldDrivers(t *testing.T) {
	api := load(t, "-DOLD")
	if err := api.Graphs(); err == nil || err.Error() != api.Library+" has no cuGraphCreate" {
		t.Errorf("got %v", err)
	}
}
