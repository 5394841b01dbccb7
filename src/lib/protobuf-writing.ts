import type protobuf from 'protobufjs/minimal.js'
import { WIRE_BYTES, WIRE_VARINT } from './protobuf-wire.ts'

/** Writer of protobuf's wire format. */
export type Writer = protobuf.Writer

/** Writes a message into `field`. */
export function writeMessage(out: Writer, field: number, write: (out: Writer) => void): void {
  write(out.uint32((field << 3) | WIRE_BYTES).fork())
  out.ldelim()
}

/** Writes a string if it is not empty. */
export function writeText(out: Writer, field: number, text: string): void {
  if (text !== '') out.uint32((field << 3) | WIRE_BYTES).string(text)
}

/** Writes bytes if there are any. */
export function writeBytes(out: Writer, field: number, bytes: Uint8Array): void {
  if (bytes.length > 0) out.uint32((field << 3) | WIRE_BYTES).bytes(bytes)
}

/** Writes a whole number if it is not 0. */
export function writeNumber(out: Writer, field: number, value: number | bigint): void {
  if (value !== 0 && value !== 0n) writeInteger(out.uint32((field << 3) | WIRE_VARINT), value)
}

/** Writes a varint without its tag. A negative number takes ten bytes, as 64-bit two's complement. */
export function writeInteger(out: Writer, value: number | bigint): void {
  if (typeof value === 'number' && value >= 0 && value < 2 ** 32) out.uint32(value)
  else if (typeof value === 'number' && Number.isSafeInteger(value)) out.int64(value)
  else {
    const bits = BigInt.asUintN(64, BigInt(value))
    out.uint64({ low: Number(bits & 0xffffffffn) | 0, high: Number(bits >> 32n) | 0, unsigned: true })
  }
}

/** Returns the written bytes, without copying them. */
export function finished(out: Writer): Buffer {
  const { buffer, byteOffset, length } = out.finish()
  return Buffer.from(buffer, byteOffset, length)
}
