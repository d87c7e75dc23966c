#include "textflag.h"

// exp(x) = 2^k exp(r) with k = round(x/ln 2) and r = x - k ln 2, |r| <= 0.347; exp(r) is its
// Taylor polynomial of degree 13, whose relative error is below 1e-17.

DATA expc<>+0(SB)/8, $1.6059043836821613e-10  // 1/13!
DATA expc<>+8(SB)/8, $2.08767569878681e-09    // 1/12!
DATA expc<>+16(SB)/8, $2.505210838544172e-08  // 1/11!
DATA expc<>+24(SB)/8, $2.755731922398589e-07  // 1/10!
DATA expc<>+32(SB)/8, $2.7557319223985893e-06 // 1/9!
DATA expc<>+40(SB)/8, $2.48015873015873e-05   // 1/8!
DATA expc<>+48(SB)/8, $0.0001984126984126984  // 1/7!
DATA expc<>+56(SB)/8, $0.001388888888888889   // 1/6!
DATA expc<>+64(SB)/8, $0.008333333333333333   // 1/5!
DATA expc<>+72(SB)/8, $0.041666666666666664   // 1/4!
DATA expc<>+80(SB)/8, $0.16666666666666666    // 1/3!
DATA expc<>+88(SB)/8, $0.5                    // 1/2!
DATA expc<>+96(SB)/8, $1.0
DATA expc<>+104(SB)/8, $1.4426950408889634    // 1/ln 2
DATA expc<>+112(SB)/8, $0.6931471803691238    // ln 2, upper bits
DATA expc<>+120(SB)/8, $1.9082149292705877e-10 // and the rest
DATA expc<>+128(SB)/8, $6755399441055744.0    // 1.5 * 2^52
DATA expc<>+136(SB)/8, $708.0
DATA expc<>+144(SB)/8, $0x7fffffffffffffff
GLOBL expc<>(SB), RODATA, $152

#define HORNER(off) \
	VBROADCASTSD expc<>+off(SB), Y12 \
	VFMADD213PD  Y12, Y0, Y4         \
	VFMADD213PD  Y12, Y1, Y5         \
	VFMADD213PD  Y12, Y2, Y6         \
	VFMADD213PD  Y12, Y3, Y7

// func expBlocks(dst, x *float64, n int) int
TEXT ·expBlocks(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	XORQ AX, AX

exploop:
	CMPQ CX, $16
	JLT  expdone
	VMOVUPD (SI), Y0
	VMOVUPD 32(SI), Y1
	VMOVUPD 64(SI), Y2
	VMOVUPD 96(SI), Y3

	// not (|x| <= 708)
	VBROADCASTSD expc<>+144(SB), Y15
	VBROADCASTSD expc<>+136(SB), Y14
	VANDPD       Y15, Y0, Y8
	VANDPD       Y15, Y1, Y9
	VANDPD       Y15, Y2, Y10
	VANDPD       Y15, Y3, Y11
	VCMPPD       $6, Y14, Y8, Y8
	VCMPPD       $6, Y14, Y9, Y9
	VCMPPD       $6, Y14, Y10, Y10
	VCMPPD       $6, Y14, Y11, Y11
	VORPD        Y9, Y8, Y8
	VORPD        Y11, Y10, Y10
	VORPD        Y10, Y8, Y8
	VMOVMSKPD    Y8, DX
	TESTL        DX, DX
	JNZ          expdone

	// k
	VBROADCASTSD expc<>+104(SB), Y15
	VMULPD       Y15, Y0, Y8
	VMULPD       Y15, Y1, Y9
	VMULPD       Y15, Y2, Y10
	VMULPD       Y15, Y3, Y11
	VROUNDPD     $8, Y8, Y8
	VROUNDPD     $8, Y9, Y9
	VROUNDPD     $8, Y10, Y10
	VROUNDPD     $8, Y11, Y11

	// r
	VBROADCASTSD expc<>+112(SB), Y14
	VBROADCASTSD expc<>+120(SB), Y15
	VFNMADD231PD Y14, Y8, Y0
	VFNMADD231PD Y14, Y9, Y1
	VFNMADD231PD Y14, Y10, Y2
	VFNMADD231PD Y14, Y11, Y3
	VFNMADD231PD Y15, Y8, Y0
	VFNMADD231PD Y15, Y9, Y1
	VFNMADD231PD Y15, Y10, Y2
	VFNMADD231PD Y15, Y11, Y3

	// the polynomial
	VBROADCASTSD expc<>+0(SB), Y4
	VMOVAPD      Y4, Y5
	VMOVAPD      Y4, Y6
	VMOVAPD      Y4, Y7
	HORNER(8)
	HORNER(16)
	HORNER(24)
	HORNER(32)
	HORNER(40)
	HORNER(48)
	HORNER(56)
	HORNER(64)
	HORNER(72)
	HORNER(80)
	HORNER(88)
	HORNER(96)
	HORNER(96)

	// k in the low bits of k + 1.5 * 2^52, added to the exponent
	VBROADCASTSD expc<>+128(SB), Y15
	VADDPD       Y15, Y8, Y8
	VADDPD       Y15, Y9, Y9
	VADDPD       Y15, Y10, Y10
	VADDPD       Y15, Y11, Y11
	VPSLLQ       $52, Y8, Y8
	VPSLLQ       $52, Y9, Y9
	VPSLLQ       $52, Y10, Y10
	VPSLLQ       $52, Y11, Y11
	VPADDQ       Y8, Y4, Y4
	VPADDQ       Y9, Y5, Y5
	VPADDQ       Y10, Y6, Y6
	VPADDQ       Y11, Y7, Y7
	VMOVUPD      Y4, (DI)
	VMOVUPD      Y5, 32(DI)
	VMOVUPD      Y6, 64(DI)
	VMOVUPD      Y7, 96(DI)
	ADDQ         $128, SI
	ADDQ         $128, DI
	ADDQ         $16, AX
	SUBQ         $16, CX
	JMP          exploop

expdone:
	VZEROUPPER
	MOVQ AX, ret+24(FP)
	RET

// log(x) = k ln 2 + log(m) with x = 2^k m, sqrt(1/2) <= m < sqrt(2), and, after FreeBSD's
// e_log.c, with f = m - 1, s = f/(2 + f):
//
//	log(m) = f - (f^2/2 - s (f^2/2 + R(s^2)))

DATA logc<>+0(SB)/8, $0.6666666666666735  // L1
DATA logc<>+8(SB)/8, $0.3999999999940942  // L2
DATA logc<>+16(SB)/8, $0.2857142874366239 // L3
DATA logc<>+24(SB)/8, $0.22222198432149784 // L4
DATA logc<>+32(SB)/8, $0.1818357216161805 // L5
DATA logc<>+40(SB)/8, $0.15313837699209373 // L6
DATA logc<>+48(SB)/8, $0.14798198605116586 // L7
DATA logc<>+56(SB)/8, $0.5
DATA logc<>+64(SB)/8, $1.0
DATA logc<>+72(SB)/8, $2.0
DATA logc<>+80(SB)/8, $0.6931471803691238
DATA logc<>+88(SB)/8, $1.9082149292705877e-10
DATA logc<>+96(SB)/8, $0x0010000000000000  // the least normal number
DATA logc<>+104(SB)/8, $0x7fefffffffffffff // the largest number
DATA logc<>+112(SB)/8, $0x00095f619980c433 // bits of 1 less those of sqrt(1/2)
DATA logc<>+120(SB)/8, $0x3fe6a09e667f3bcd // bits of sqrt(1/2)
DATA logc<>+128(SB)/8, $0x000fffffffffffff
DATA logc<>+136(SB)/8, $0x4330000000000000 // 2^52
DATA logc<>+144(SB)/8, $4503599627371519.0 // 2^52 + 1023
GLOBL logc<>(SB), RODATA, $152

// func logBlocks(dst, x *float64, n int) int
TEXT ·logBlocks(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	XORQ AX, AX

logloop:
	CMPQ CX, $8
	JLT  logdone
	VMOVUPD (SI), Y0
	VMOVUPD 32(SI), Y1

	// not (x >= least normal), or x > largest
	VBROADCASTSD logc<>+96(SB), Y14
	VBROADCASTSD logc<>+104(SB), Y15
	VCMPPD       $9, Y14, Y0, Y8
	VCMPPD       $9, Y14, Y1, Y9
	VCMPPD       $14, Y15, Y0, Y10
	VCMPPD       $14, Y15, Y1, Y11
	VORPD        Y9, Y8, Y8
	VORPD        Y11, Y10, Y10
	VORPD        Y10, Y8, Y8
	VMOVMSKPD    Y8, DX
	TESTL        DX, DX
	JNZ          logdone

	// k in Y2, Y3 and f in Y0, Y1
	VBROADCASTSD logc<>+112(SB), Y14
	VPADDQ       Y14, Y0, Y0
	VPADDQ       Y14, Y1, Y1
	VPSRLQ       $52, Y0, Y2
	VPSRLQ       $52, Y1, Y3
	VBROADCASTSD logc<>+136(SB), Y14
	VBROADCASTSD logc<>+144(SB), Y15
	VPOR         Y14, Y2, Y2
	VPOR         Y14, Y3, Y3
	VSUBPD       Y15, Y2, Y2
	VSUBPD       Y15, Y3, Y3
	VBROADCASTSD logc<>+128(SB), Y14
	VBROADCASTSD logc<>+120(SB), Y15
	VPAND        Y14, Y0, Y0
	VPAND        Y14, Y1, Y1
	VPADDQ       Y15, Y0, Y0
	VPADDQ       Y15, Y1, Y1
	VBROADCASTSD logc<>+64(SB), Y14
	VSUBPD       Y14, Y0, Y0
	VSUBPD       Y14, Y1, Y1

	// s in Y4, Y5; s^2 in Y6, Y7; s^4 in Y8, Y9
	VBROADCASTSD logc<>+72(SB), Y15
	VADDPD       Y15, Y0, Y4
	VADDPD       Y15, Y1, Y5
	VDIVPD       Y4, Y0, Y4
	VDIVPD       Y5, Y1, Y5
	VMULPD       Y4, Y4, Y6
	VMULPD       Y5, Y5, Y7
	VMULPD       Y6, Y6, Y8
	VMULPD       Y7, Y7, Y9

	// R in Y10, Y11: s^2 (L1 + s^4 (L3 + s^4 (L5 + s^4 L7))) + s^4 (L2 + s^4 (L4 + s^4 L6))
	VBROADCASTSD logc<>+48(SB), Y10
	VMOVAPD      Y10, Y11
	VBROADCASTSD logc<>+32(SB), Y14
	VFMADD213PD  Y14, Y8, Y10
	VFMADD213PD  Y14, Y9, Y11
	VBROADCASTSD logc<>+16(SB), Y14
	VFMADD213PD  Y14, Y8, Y10
	VFMADD213PD  Y14, Y9, Y11
	VBROADCASTSD logc<>+0(SB), Y14
	VFMADD213PD  Y14, Y8, Y10
	VFMADD213PD  Y14, Y9, Y11
	VMULPD       Y6, Y10, Y10
	VMULPD       Y7, Y11, Y11
	VBROADCASTSD logc<>+40(SB), Y12
	VMOVAPD      Y12, Y13
	VBROADCASTSD logc<>+24(SB), Y14
	VFMADD213PD  Y14, Y8, Y12
	VFMADD213PD  Y14, Y9, Y13
	VBROADCASTSD logc<>+8(SB), Y14
	VFMADD213PD  Y14, Y8, Y12
	VFMADD213PD  Y14, Y9, Y13
	VFMADD231PD  Y12, Y8, Y10
	VFMADD231PD  Y13, Y9, Y11

	// f^2/2 in Y6, Y7; s (f^2/2 + R) + k ln2lo in Y10, Y11
	VBROADCASTSD logc<>+56(SB), Y14
	VMULPD       Y0, Y0, Y6
	VMULPD       Y1, Y1, Y7
	VMULPD       Y14, Y6, Y6
	VMULPD       Y14, Y7, Y7
	VADDPD       Y6, Y10, Y10
	VADDPD       Y7, Y11, Y11
	VMULPD       Y4, Y10, Y10
	VMULPD       Y5, Y11, Y11
	VBROADCASTSD logc<>+88(SB), Y14
	VFMADD231PD  Y14, Y2, Y10
	VFMADD231PD  Y14, Y3, Y11

	// f - (f^2/2 - Y10) + k ln2hi
	VSUBPD       Y10, Y6, Y6
	VSUBPD       Y11, Y7, Y7
	VSUBPD       Y6, Y0, Y0
	VSUBPD       Y7, Y1, Y1
	VBROADCASTSD logc<>+80(SB), Y14
	VFMADD231PD  Y14, Y2, Y0
	VFMADD231PD  Y14, Y3, Y1
	VMOVUPD      Y0, (DI)
	VMOVUPD      Y1, 32(DI)
	ADDQ         $64, SI
	ADDQ         $64, DI
	ADDQ         $8, AX
	SUBQ         $8, CX
	JMP          logloop

logdone:
	VZEROUPPER
	MOVQ AX, ret+24(FP)
	RET
