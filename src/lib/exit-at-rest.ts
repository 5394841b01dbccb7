/** A native call that has not come back by then is not waited for. */
const LONGEST_MS = 2000

// A process has one event loop and one end, whoever works in it.
let underWay = 0
let onRest: (() => void) | undefined

/** Runs work whose thread waits for the event loop. While there is any, `process.exit` would wait for that thread, and the thread for the loop, for ever. */
export async function heldFromExit<T>(work: () => Promise<T>): Promise<T> {
  underWay++
  try {
    return await work()
  } finally {
    if (--underWay === 0) onRest?.()
  }
}

/** Ends the process on the spot, or as soon as no such work is under way; by SIGKILL where that takes too long. */
export function exitAtRest(code: number): void {
  if (underWay === 0) process.exit(code)
  onRest = () => process.exit(code)
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), LONGEST_MS)
}
