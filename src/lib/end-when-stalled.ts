import type { Duplex } from 'node:stream'
import { steadyClock } from './clock.ts'
import { Progress } from './progress.ts'

/** How often a connection is looked at. */
const CHECK_MS = 1000

/** For one that reads nothing of what waits for it: as long as the server's own clients have, in streams that go on. */
const STALLED_MS = 15 * 60_000

/** Destroys a connection when what was written to it has stood still for too long. */
export function endWhenStalled(socket: Duplex & { readonly bytesWritten?: number }, limitMs = STALLED_MS, checkMs = Math.min(CHECK_MS, limitMs)): void {
  const progress = new Progress()
  let sent = 0
  const look = (): void => {
    const waiting = socket.writableLength
    const now = (socket.bytesWritten ?? 0) - waiting
    const stalledMs = progress.stalledFor(steadyClock.now(), waiting > 0, now !== sent)
    sent = now
    if (stalledMs > limitMs) socket.destroy(new Error('the other side does not read'))
  }
  const timer = setInterval(look, checkMs).unref()
  socket.once('close', () => clearInterval(timer))
}
