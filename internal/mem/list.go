package mem

// A free block is in two lists at once: that of its class, from which the
// newest leaves first, and that of all, from which the oldest goes to the
// collector.
const (
	byClass = iota
	byAge
)

// place is where a free block lies in the lists. A block that is handed out has
// none: most never come back, and are smaller for it.
type place struct {
	block *Block
	link  [2]links
}

type links struct{ newer, older *place }

// list is a chain of places through the links of one kind.
type list struct{ newest, oldest *place }

func (l *list) push(at *place, kind int) {
	at.link[kind] = links{older: l.newest}
	if l.newest != nil {
		l.newest.link[kind].newer = at
	} else {
		l.oldest = at
	}
	l.newest = at
}

func (l *list) remove(at *place, kind int) {
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
