import { ConnectionError, ErrorCode } from './errors.ts'
import { FrameType, INITIAL_WINDOW, numbersFrame, PREFACE, Setting, settingsFrame } from './frames.ts'
import type { ConnectionLimits } from './limits.ts'

/** What a server says first: its settings, and the rest of the connection's window. */
export function greeting({ maxConcurrentStreams, streamWindow, connectionWindow, maxHeaderBytes }: ConnectionLimits): Buffer {
  const settings = settingsFrame([
    [Setting.maxConcurrentStreams, maxConcurrentStreams],
    [Setting.initialWindowSize, streamWindow],
    [Setting.maxHeaderListSize, maxHeaderBytes],
  ])
  if (connectionWindow <= INITIAL_WINDOW) return settings
  return Buffer.concat([settings, numbersFrame(FrameType.windowUpdate, 0, connectionWindow - INITIAL_WINDOW)])
}

/** Reads past what a client says before its first frame. */
export class PrefaceReader {
  /** What of it has come; undefined: all. */
  private had: Buffer | undefined = PREFACE.subarray(0, 0)

  /** What follows it, once there is anything. Throws a ConnectionError where something else comes. */
  read(chunk: Buffer): Buffer | undefined {
    if (this.had === undefined) return chunk
    const all = Buffer.concat([this.had, chunk])
    const known = Math.min(all.length, PREFACE.length)
    if (all.compare(PREFACE, 0, known, 0, known) !== 0) throw new ConnectionError(ErrorCode.protocol, 'the connection does not begin as one of HTTP/2')
    this.had = known === PREFACE.length ? undefined : all
    return all.length > known ? all.subarray(known) : undefined
  }
}
