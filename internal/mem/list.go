package mem

// A free block is in two lists at once: that of its class, from which the
// newest leaves first, and that of all, from which the oldest goes to the
// collector.
const (
	byClass = iota
	byAge
)

type links struct{ newer, older *Block }

// list is a chain of blocks through the links of one kind.
type list struct{ newest, oldest *Block }

func (l *list) push(b *Block, kind int) {
	b.link[kind] = links{older: l.newest}
	if l.newest != nil {
		l.newest.link[kind].newer = b
	} else {
		l.oldest = b
	}
	l.newest = b
}

func (l *list) remove(b *Block, kind int) {
	at := b.link[kind]
	if at.newer != nil {
		at.newer.link[kind].older = at.older
	} else {
		l.newest = at.older
	}
	if at.older != nil {
		at.older.link[kind].newer = at.newer
	} else {
		l.oldest = at.newer
	}
	b.link[kind] = links{}
}
