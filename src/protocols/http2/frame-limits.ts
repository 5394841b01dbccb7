import type { Clock } from '../../lib/clock.ts'
import { TokenBucket } from '../../lib/token-bucket.ts'
import { ConnectionError, ErrorCode } from './errors.ts'
import { EARNED, IDLE_FRAMES, RESETS } from './limits.ts'

/** Limits frames of a client that cause no request. Methods throw a ConnectionError if a limit is exceeded. */
export class FrameLimits {
  readonly #resets: TokenBucket
  readonly #idle: TokenBucket
  /** Frames that requests and response data allow in addition. */
  #earned = 0
  #seenFrames = 0
  #seenBytes = 0

  constructor(clock?: Clock) {
    this.#resets = new TokenBucket(RESETS.burst, RESETS.perSecond, clock)
    this.#idle = new TokenBucket(IDLE_FRAMES.burst, IDLE_FRAMES.perSecond, clock)
  }

  /** Counts a stream that the client reset, or that was refused or reset because of the client's error. */
  reset(): void {
    if (!this.#resets.take()) throw new ConnectionError(ErrorCode.calm, 'too many streams are reset')
  }

  /**
   * Counts a frame that causes no request.
   * `sentFrames`, `sentBytes`: DATA frames and bytes sent on the connection so far.
   */
  idleFrame(sentFrames: number, sentBytes: number): void {
    if (sentFrames !== this.#seenFrames) {
      this.#earn((sentFrames - this.#seenFrames) * EARNED.perDataFrame + ((sentBytes - this.#seenBytes) / 1024) * EARNED.perKib)
      this.#seenFrames = sentFrames
      this.#seenBytes = sentBytes
    }
    if (this.#earned >= 1) this.#earned--
    else if (!this.#idle.take()) throw new ConnectionError(ErrorCode.calm, 'too many frames belong to no request')
  }

  request(): void {
    this.#earn(EARNED.perRequest)
  }

  /**
   * Counts part of a request body. For Node's stack, which reports a frame in two pieces if a TLS record ends within
   * it.
   */
  body(bytes: number): void {
    this.#earn((bytes / 1024) * EARNED.perKib)
  }

  #earn(frames: number): void {
    this.#earned = Math.min(EARNED.most, this.#earned + frames)
  }
}
