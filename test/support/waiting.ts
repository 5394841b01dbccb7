import { once } from 'node:events'
import { connect } from 'node:net'

/** Held by tests of timers: see held-time.ts. */
const realTimeout = setTimeout
const realNow = performance.now.bind(performance)

const PATIENCE_MS = 120_000

/** A signal for calls that should succeed. It aborts once a call takes longer than on any machine. */
export const patience = (): AbortSignal => AbortSignal.timeout(PATIENCE_MS)

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

/**
 * Runs a trial of what has to happen before a delay is over. The trial returns false if the machine was too slow for
 * the delay; it is then repeated with one that is four times as long.
 */
export async function withDelay(firstMs: number, trial: (delayMs: number) => Promise<boolean>): Promise<void> {
  for (let delayMs = firstMs; !(await trial(delayMs)); delayMs *= 4)
    if (delayMs > PATIENCE_MS) throw new Error(`the machine is too slow for a delay of ${delayMs} ms`)
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
