//go:build !nocuda

#include "textflag.h"

GLOBL ·callFrame(SB), NOPTR|RODATA, $8
DATA ·callFrame(SB)/8, $callFrame(SB)

GLOBL ·look(SB), NOPTR|RODATA, $8
DATA ·look(SB)/8, $look(SB)

// callFrame(f) calls the function of a frame, as C does: six arguments are in registers and the others on the stack, which is at a multiple of 16 there. BX is the caller's.
TEXT callFrame(SB), NOSPLIT|NOFRAME, $0
	PUSHQ BX
	MOVQ  DI, BX
	SUBQ  $144, SP // for maxArgs
	MOVQ  8(BX), CX
	SUBQ  $7, CX // the last of those on the stack
	JLT   registers

more:
	MOVQ 72(BX)(CX*8), AX
	MOVQ AX, (SP)(CX*8)
	DECQ CX
	JGE  more

registers:
	MOVQ 24(BX), DI
	MOVQ 32(BX), SI
	MOVQ 40(BX), DX
	MOVQ 48(BX), CX
	MOVQ 56(BX), R8
	MOVQ 64(BX), R9
	XORL AX, AX // no floats, where the number of arguments varies
	MOVQ (BX), R10
	CALL R10
	MOVQ AX, 16(BX)
	ADDQ $144, SP
	POPQ BX
	RET

// look(l) calls the function of a Look until it returns something, its flag is set, or it was called most times. BX is the caller's.
TEXT look(SB), NOSPLIT|NOFRAME, $0
	PUSHQ BX
	MOVQ  DI, BX

again:
	MOVQ  24(BX), DI
	MOVQ  32(BX), SI
	MOVQ  40(BX), DX
	MOVQ  (BX), R10
	CALL  R10
	TESTL AX, AX
	JNE   done
	MOVQ  32(BX), SI
	CMPL  (SI), $0
	JNE   done
	DECQ  8(BX)
	JNE   again

done:
	MOVQ AX, 16(BX)
	POPQ BX
	RET
