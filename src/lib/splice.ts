import type { Duplex } from 'node:stream'

/** Milliseconds in which pending bytes can still be written to one side after the other has ended. */
const LINGER_MS = 5_000

/**
 * Copies bytes in both directions with back-pressure, until either side ends or fails, or the signal aborts. Both are
 * closed when it resolves. Never rejects.
 */
export function splice(one: Duplex, other: Duplex, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    let open = 2
    let timer: NodeJS.Timeout | undefined
    const cut = (): void => {
      one.destroy()
      other.destroy()
    }
    const closed = (): void => {
      if (--open > 0) return
      clearTimeout(timer)
      signal.removeEventListener('abort', cut)
      resolve()
    }
    const follow = (side: Duplex, far: Duplex): void => {
      const wind = (): void => {
        far.end()
        timer ??= setTimeout(cut, LINGER_MS)
      }
      side.on('error', wind).once('end', wind)
      if (side.closed) queueMicrotask(closed)
      else side.once('close', closed)
      side.once('close', wind)
      if (side.destroyed) wind()
      else side.pipe(far)
    }
    follow(one, other)
    follow(other, one)
    if (signal.aborted) cut()
    else signal.addEventListener('abort', cut, { once: true })
  })
}
