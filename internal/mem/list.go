package mem

// A free block is in two lists at once: that of its class, from which the newest leaves first, and that of all, from which
// the oldest goes to the collector.
const (
	byClass = iota
	byAge
)

// node is a free block's place in the lists. A block that is handed out has none, which keeps it small.
type node struct {
	block *Block
	link  [2]links
}

type links struct{ newer, older *node }

// list is a chain of nodes through the links of one kind.
type list struct{ newest, oldest *node }

func (l *list) push(at *node, kind int) {
	at.link[kind] = links{older: l.newest}
	if l.newest != nil {
		l.newest.link[kind].newer = at
	} else {
		l.oldest = at
	}
	l.newest = at
}

func (l *list) remove(at *node, kind int) {
	link := at.link[kind]
	if link.newer != nil {
		link.newer.link[kind].older = link.older
	} else {
		l.newest = link.older
	}
	if link.older != nil {
		link.older.link[kind].newer = link.newer
	} else {
		l.oldest = link.newer
	}
	at.link[kind] = links{}
}
