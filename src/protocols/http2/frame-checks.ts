import { ConnectionError, ErrorCode } from './errors.ts'
import { Flag, type Frame, MAX_31_BITS, PRIORITY_BYTES, unpadded } from './frames.ts'

/** The stream that a priority names. */
const dependencyOf = (priority: Buffer): number => (priority.length < 4 ? -1 : priority.readUInt32BE(0) & MAX_31_BITS)

/** Throws a ConnectionError. */
export function refusePush(): void {
  throw new ConnectionError(ErrorCode.protocol, 'a client does not push')
}

/** Throws a ConnectionError. */
export function onConnection({ stream }: Frame): void {
  if (stream !== 0) throw new ConnectionError(ErrorCode.protocol, 'the frame is of the connection, not of a stream')
}

/** Throws a ConnectionError. */
export function onStream({ stream }: Frame): void {
  if (stream === 0) throw new ConnectionError(ErrorCode.protocol, 'the frame is of a stream')
}

/** Throws a ConnectionError. */
export function onHeaders(frame: Frame): void {
  const { stream, flags } = frame
  onStream(frame)
  if ((flags & Flag.priority) !== 0 && dependencyOf(unpadded(frame)) === stream) throw new ConnectionError(ErrorCode.protocol, 'a stream depends on itself')
  if (stream % 2 === 0) throw new ConnectionError(ErrorCode.protocol, 'a client has no even streams')
}

/** The code for what is the fault of the stream alone; undefined: nothing is. Throws a ConnectionError. */
export function faultOfPriority(frame: Frame): number | undefined {
  onStream(frame)
  if (frame.payload.length !== PRIORITY_BYTES) return ErrorCode.frameSize
  return dependencyOf(frame.payload) === frame.stream ? ErrorCode.protocol : undefined
}

/** Throws a ConnectionError. */
export function onReset(frame: Frame): void {
  onStream(frame)
  if (frame.payload.length !== 4) throw new ConnectionError(ErrorCode.frameSize, 'a reset has four bytes')
}

/** Throws a ConnectionError. */
export function onPing(frame: Frame): void {
  onConnection(frame)
  if (frame.payload.length !== 8) throw new ConnectionError(ErrorCode.frameSize, 'a ping has eight bytes')
}

/** Whether the frame acknowledges settings. Throws a ConnectionError. */
export function onSettings(frame: Frame): boolean {
  onConnection(frame)
  const isAck = (frame.flags & Flag.ack) !== 0
  if (isAck && frame.payload.length > 0) throw new ConnectionError(ErrorCode.frameSize, 'an acknowledgement of settings is empty')
  return isAck
}

/** The bytes by which a window grows. Throws a ConnectionError; of a stream's window 0 is returned, which is the stream's fault alone. */
export function growthOf({ stream, payload }: Frame): number {
  if (payload.length !== 4) throw new ConnectionError(ErrorCode.frameSize, 'a window grows by a number of four bytes')
  const bytes = payload.readUInt32BE(0) & MAX_31_BITS
  if (bytes === 0 && stream === 0) throw new ConnectionError(ErrorCode.protocol, 'a window does not grow by nothing')
  return bytes
}
