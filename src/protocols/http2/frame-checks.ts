import { ConnectionError, ErrorCode } from './errors.ts'
import { Flag, type Frame, MAX_31_BITS, PRIORITY_BYTES, unpadded } from './frames.ts'

/** Returns the stream that a priority depends on. */
const dependencyOf = (priority: Buffer): number => (priority.length < 4 ? -1 : priority.readUInt32BE(0) & MAX_31_BITS)

/** Rejects PUSH_PROMISE. Throws a ConnectionError. */
export function refusePush(): void {
  throw new ConnectionError(ErrorCode.protocol, 'a client does not push')
}

/** Checks that a frame is on stream 0. Throws a ConnectionError. */
export function onConnection({ stream }: Frame): void {
  if (stream !== 0) throw new ConnectionError(ErrorCode.protocol, 'the frame is of the connection, not of a stream')
}

/** Checks that a frame is on a stream. Throws a ConnectionError. */
export function onStream({ stream }: Frame): void {
  if (stream === 0) throw new ConnectionError(ErrorCode.protocol, 'the frame is of a stream')
}

/** Checks the stream of a HEADERS frame. Throws a ConnectionError. */
export function onHeaders(frame: Frame): void {
  const { stream, flags } = frame
  onStream(frame)
  if ((flags & Flag.priority) !== 0 && dependencyOf(unpadded(frame)) === stream)
    throw new ConnectionError(ErrorCode.protocol, 'a stream depends on itself')
  if (stream % 2 === 0) throw new ConnectionError(ErrorCode.protocol, 'a client has no even streams')
}

/** Returns the stream error of a PRIORITY frame. Undefined if it is valid. Throws a ConnectionError. */
export function faultOfPriority(frame: Frame): number | undefined {
  onStream(frame)
  if (frame.payload.length !== PRIORITY_BYTES) return ErrorCode.frameSize
  return dependencyOf(frame.payload) === frame.stream ? ErrorCode.protocol : undefined
}

/** Checks an RST_STREAM frame. Throws a ConnectionError. */
export function onReset(frame: Frame): void {
  onStream(frame)
  if (frame.payload.length !== 4) throw new ConnectionError(ErrorCode.frameSize, 'a reset has four bytes')
}

/** Checks a PING frame. Throws a ConnectionError. */
export function onPing(frame: Frame): void {
  onConnection(frame)
  if (frame.payload.length !== 8) throw new ConnectionError(ErrorCode.frameSize, 'a ping has eight bytes')
}

/** Checks a SETTINGS frame, and returns whether it is an acknowledgement. Throws a ConnectionError. */
export function onSettings(frame: Frame): boolean {
  onConnection(frame)
  const isAck = (frame.flags & Flag.ack) !== 0
  if (isAck && frame.payload.length > 0) throw new ConnectionError(ErrorCode.frameSize, 'an acknowledgement of settings is empty')
  return isAck
}

/**
 * Returns the increment of a WINDOW_UPDATE frame. 0 is an error of the stream alone, which the caller handles. Throws a
 * ConnectionError.
 */
export function growthOf({ stream, payload }: Frame): number {
  if (payload.length !== 4) throw new ConnectionError(ErrorCode.frameSize, 'a window grows by a number of four bytes')
  const bytes = payload.readUInt32BE(0) & MAX_31_BITS
  if (bytes === 0 && stream === 0) throw new ConnectionError(ErrorCode.protocol, 'a window must grow by at least one byte')
  return bytes
}
