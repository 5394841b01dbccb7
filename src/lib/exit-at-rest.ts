/** Milliseconds after which the process ends even if a native call has not returned. */
const LONGEST_MS = 2000

// Module state, because a process has one event loop and exits once.
let underWay = 0
let onRest: (() => void) | undefined

/**
 * Runs native work whose thread waits for the event loop. Meanwhile `process.exit` would deadlock: it waits for that
 * thread, and the thread for the loop.
 */
export async function heldFromExit<T>(work: () => Promise<T>): Promise<T> {
  underWay++
  try {
    return await work()
  } finally {
    if (--underWay === 0) onRest?.()
  }
}

/** Exits immediately, or once no such work is pending. Uses SIGKILL if that takes too long. */
export function exitAtRest(code: number): void {
  if (underWay === 0) process.exit(code)
  onRest = () => process.exit(code)
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), LONGEST_MS)
}
