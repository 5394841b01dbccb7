import { ConnectionError, ErrorCode } from './errors.ts'
import { type Frame, MAX_31_BITS } from './frames.ts'

/** The stream that a priority names. */
export const dependencyOf = (priority: Buffer): number => (priority.length < 4 ? -1 : priority.readUInt32BE(0) & MAX_31_BITS)

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
