package ptx

// st.async writes to shared memory of the cluster and counts its bytes at a barrier there:
//
//	st.async.weak.shared::cluster.mbarrier::complete_tx::bytes[.v2|.v4].type [a], v, [barrier]
func (b *body) storeAsync(o *opcode, args []operand) instr {
	b.k.async = true
	for o.takeAny(strengths) || o.takeAny(scopes) {
	}
	b.need(o, "shared::cluster")
	b.need(o, "mbarrier::complete_tx::bytes")
	n := map[string]int{"": 1, "v2": 2, "v4": 4}[o.take("v2", "v4")]
	t := b.types(o, 1)[0]
	b.want(o.name, args, 3)
	values := b.fragment(o, args[1], n, t, false)
	op := &bulkOp{mask: -1}
	op.shared = &access{space: clusterSpace, bytes: n * t.bits / 8, vector: 1, write: true}
	b.address(args[0], op.shared)
	op.barrier = &access{space: clusterSpace, bytes: 8, vector: 1, write: true}
	b.address(args[2], op.barrier)
	return b.each(op, func(w *warp, op *bulkOp, lane int) *Fault {
		var data []byte
		for _, slot := range values {
			if t.bits == 64 {
				data = order.AppendUint64(data, w.r64[slot][lane])
			} else {
				data = order.AppendUint32(data, w.r32[slot][lane])
			}
		}
		to := w.at(op.shared, lane)
		if to%uint64(len(data)) != 0 {
			return w.badAccess(Misaligned, op.shared, lane)
		}
		return w.startCopies(op, lane, to, []piece{{0, data}}, len(data))
	})
}
