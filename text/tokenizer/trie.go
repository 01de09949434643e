package tokenizer

// trie is a tree of strings by their bytes. Node 0 is the root.
type trie struct {
	nodes []trieNode
	edges map[uint64]int32 // from node and byte to node
}

type trieNode struct{ id int32 } // -1: no string ends here

func (t *trie) add(s string, id int32) {
	if t.nodes == nil {
		t.nodes = []trieNode{{-1}}
		t.edges = map[uint64]int32{}
	}
	node := int32(0)
	for i := range len(s) {
		next := t.next(node, s[i])
		if next == 0 {
			next = int32(len(t.nodes))
			t.nodes = append(t.nodes, trieNode{-1})
			t.edges[edge(node, s[i])] = next
		}
		node = next
	}
	t.nodes[node].id = id
}

func edge(node int32, b byte) uint64 { return uint64(node)<<8 | uint64(b) }

// next returns the node behind node by b, or 0.
func (t *trie) next(node int32, b byte) int32 { return t.edges[edge(node, b)] }

// longest returns the id of the longest string that s begins with and its length; 0 where there is none.
func (t *trie) longest(s string) (id int32, length int) {
	node := int32(0)
	for i := range len(s) {
		if node = t.next(node, s[i]); node == 0 {
			break
		}
		if n := t.nodes[node].id; n >= 0 {
			id, length = n, i+1
		}
	}
	return id, length
}
