import type { Clock } from '../../lib/clock.ts'
import { TokenBucket } from '../../lib/token-bucket.ts'
import { ConnectionError, ErrorCode } from './errors.ts'
import { EARNED, IDLE_FRAMES, RESETS } from './limits.ts'

/** What a client does beside asking, and how much of it there may be. Methods throw a ConnectionError where it is too much. */
export class Conduct {
  private readonly resets: TokenBucket
  private readonly idle: TokenBucket
  /** Frames that real work has given reason for. */
  private earned = 0
  private seenFrames = 0
  private seenBytes = 0

  constructor(clock?: Clock) {
    this.resets = new TokenBucket(RESETS.burst, RESETS.perSecond, clock)
    this.idle = new TokenBucket(IDLE_FRAMES.burst, IDLE_FRAMES.perSecond, clock)
  }

  /** A stream is given up by the client, or refused or reset for its fault. */
  reset(): void {
    if (!this.resets.take()) throw new ConnectionError(ErrorCode.calm, 'too many streams are reset')
  }

  /** A frame that causes no request. `sentFrames`, `sentBytes`: of data, on the connection so far. */
  idleFrame(sentFrames: number, sentBytes: number): void {
    if (sentFrames !== this.seenFrames) {
      this.earn((sentFrames - this.seenFrames) * EARNED.perDataFrame + ((sentBytes - this.seenBytes) / 1024) * EARNED.perKib)
      this.seenFrames = sentFrames
      this.seenBytes = sentBytes
    }
    if (this.earned >= 1) this.earned--
    else if (!this.idle.take()) throw new ConnectionError(ErrorCode.calm, 'too many frames ask for nothing')
  }

  request(): void {
    this.earn(EARNED.perRequest)
  }

  /** A piece of a body, for a stack that gives a frame in two pieces where a record of TLS ends within it. */
  body(bytes: number): void {
    this.earn((bytes / 1024) * EARNED.perKib)
  }

  private earn(frames: number): void {
    this.earned = Math.min(EARNED.most, this.earned + frames)
  }
}
