import type { Duplex } from 'node:stream'
import { steadyClock } from './clock.ts'
import { Progress } from './progress.ts'

/** Milliseconds between checks. */
const CHECK_MS = 1000

/** Default limit in milliseconds, the same as for the server's own clients in streams. */
const STALLED_MS = 15 * 60_000

/** Destroys a connection if the written data has not moved for too long. */
export function endWhenStalled(
  socket: Duplex & { readonly bytesWritten?: number },
  limitMs = STALLED_MS,
  checkMs = Math.min(CHECK_MS, limitMs),
): void {
  const progress = new Progress()
  let sent = 0
  const look = (): void => {
    const waiting = socket.writableLength
    const now = (socket.bytesWritten ?? 0) - waiting
    const stalledMs = progress.stalledFor(steadyClock.now(), waiting > 0, now !== sent)
    sent = now
    if (stalledMs > limitMs) socket.destroy(new Error('the peer does not read'))
  }
  const timer = setInterval(look, checkMs).unref()
  socket.once('close', () => clearInterval(timer))
}
