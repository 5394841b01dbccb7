import { ConnectionError, ErrorCode } from './errors.ts'
import { FrameType, INITIAL_WINDOW, numbersFrame, PREFACE, Setting, settingsFrame } from './frames.ts'
import type { ConnectionLimits } from './limits.ts'

/** Returns the server preface: settings, and the window of the connection. */
export function greeting({ maxConcurrentStreams, streamWindow, connectionWindow, maxHeaderBytes }: ConnectionLimits): Buffer {
  const settings = settingsFrame([
    [Setting.maxConcurrentStreams, maxConcurrentStreams],
    [Setting.initialWindowSize, streamWindow],
    [Setting.maxHeaderListSize, maxHeaderBytes],
  ])
  if (connectionWindow <= INITIAL_WINDOW) return settings
  return Buffer.concat([settings, numbersFrame(FrameType.windowUpdate, 0, connectionWindow - INITIAL_WINDOW)])
}

/** Reads and checks the client's connection preface. */
export class PrefaceReader {
  /** Received part of the preface. Undefined once it is complete. */
  #had: Buffer | undefined = PREFACE.subarray(0, 0)

  /**
   * Returns the data after the preface. Undefined if there is none yet. Throws a ConnectionError if the preface is
   * invalid.
   */
  read(chunk: Buffer): Buffer | undefined {
    if (this.#had === undefined) return chunk
    const all = Buffer.concat([this.#had, chunk])
    const known = Math.min(all.length, PREFACE.length)
    if (all.compare(PREFACE, 0, known, 0, known) !== 0)
      throw new ConnectionError(ErrorCode.protocol, 'the connection does not begin as one of HTTP/2')
    this.#had = known === PREFACE.length ? undefined : all
    return all.length > known ? all.subarray(known) : undefined
  }
}
