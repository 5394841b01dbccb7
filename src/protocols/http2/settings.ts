import { ConnectionError, ErrorCode } from './errors.ts'
import { FRAME_BYTES, type Frame, MAX_31_BITS, readSettings, Setting } from './frames.ts'
import { MAX_SETTINGS } from './limits.ts'

/**
 * Reads a client's settings: the window of its streams, where the frame sets one. Of several the last counts. What a server makes no use of, pushes and a header table, needs no look
 * but for what is no value at all. Throws a ConnectionError.
 */
export function streamWindowOf(frame: Frame): number | undefined {
  const settings = readSettings(frame)
  if (settings.length > MAX_SETTINGS) throw new ConnectionError(ErrorCode.calm, 'there are too many settings in a frame')
  let window: number | undefined
  for (const [id, value] of settings) {
    if (id === Setting.enablePush && value > 1) throw new ConnectionError(ErrorCode.protocol, 'a client pushes or does not')
    if (id === Setting.maxFrameSize && (value < FRAME_BYTES || value >= 1 << 24)) throw new ConnectionError(ErrorCode.protocol, 'frames can not have that size')
    if (id !== Setting.initialWindowSize) continue
    if (value > MAX_31_BITS) throw new ConnectionError(ErrorCode.flowControl, 'a window can not have that size')
    window = value
  }
  return window
}
