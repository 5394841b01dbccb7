/** Opcodes (RFC 6455, section 5.2). */
export const CONTINUATION = 0
export const TEXT = 1
export const BINARY = 2
export const CLOSE = 8
export const PING = 9
export const PONG = 10

/** Status codes of a close frame (RFC 6455, section 7.4.1). */
export const NORMAL_CLOSURE = 1000
/** The other side violated the protocol. */
export const PROTOCOL_ERROR = 1002

/**
 * Makes the header of a frame that is a complete message. Frames of a server are not masked (RFC 6455, section 5.2).
 */
export function frameHead(opcode: number, length: number): Buffer {
  const head = Buffer.allocUnsafe(length < 126 ? 2 : length < 65_536 ? 4 : 10)
  head[0] = 0x80 | opcode
  if (length < 126) head[1] = length
  else if (length < 65_536) {
    head[1] = 126
    head.writeUInt16BE(length, 2)
  } else {
    head[1] = 127
    head.writeBigUInt64BE(BigInt(length), 2)
  }
  return head
}

/** Makes a frame that is a complete message. */
export const frame = (opcode: number, payload: Buffer): Buffer => Buffer.concat([frameHead(opcode, payload.length), payload])

/** Makes a close frame without a reason (RFC 6455, section 5.5.1). */
export function closeFrame(code: number): Buffer {
  const payload = Buffer.allocUnsafe(2)
  payload.writeUInt16BE(code)
  return frame(CLOSE, payload)
}
