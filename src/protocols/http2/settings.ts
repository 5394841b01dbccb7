import { ConnectionError, ErrorCode } from './errors.ts'
import { FRAME_BYTES, type Frame, MAX_31_BITS, readSettings, Setting } from './frames.ts'
import { MAX_SETTINGS } from './limits.ts'

/**
 * Returns the initial window of streams that a client's SETTINGS frame sets. The last value counts; undefined if there
 * is none. Other settings concern features that the server does not use, and are only validated. Throws a
 * ConnectionError.
 */
export function streamWindowOf(frame: Frame): number | undefined {
  const settings = readSettings(frame)
  if (settings.length > MAX_SETTINGS) throw new ConnectionError(ErrorCode.calm, 'there are too many settings in a frame')
  let window: number | undefined
  for (const [id, value] of settings) {
    if (id === Setting.enablePush && value > 1) throw new ConnectionError(ErrorCode.protocol, 'a client pushes or does not')
    if (id === Setting.maxFrameSize && (value < FRAME_BYTES || value >= 1 << 24))
      throw new ConnectionError(ErrorCode.protocol, 'frames can not have that size')
    if (id !== Setting.initialWindowSize) continue
    if (value > MAX_31_BITS) throw new ConnectionError(ErrorCode.flowControl, 'a window can not have that size')
    window = value
  }
  return window
}
