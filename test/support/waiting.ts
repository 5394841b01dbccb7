import { once } from 'node:events'
import { connect } from 'node:net'

/** Held by tests of timers: see held-time.ts. */
const realTimeout = setTimeout
const realNow = performance.now.bind(performance)

const PATIENCE_MS = 120_000

/**
 * Waits until the condition holds, polling at an interval. Errors count as false; the last one is thrown when patience
 * ends.
 */
export async function eventually(what: string, condition: () => Promise<boolean> | boolean, everyMs = 2): Promise<void> {
  for (const until = realNow() + PATIENCE_MS; ; ) {
    try {
      if (await condition()) return
    } catch (error) {
      if (realNow() > until) throw error
    }
    if (realNow() > until) throw new Error(`it did not happen: ${what}`)
    await new Promise(resolve => realTimeout(resolve, everyMs))
  }
}

/**
 * Lets the event loop go round so many times: what is due within the process is done by then. For what must not happen;
 * what must is waited for with `eventually`.
 */
export async function turns(count = 20): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise(resolve => setImmediate(resolve))
}

/** Whether something listens on a loopback port. */
export async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
