import { once } from 'node:events'
import { connect } from 'node:net'

/** Held by tests of timers: see held-time.ts. */
const realTimeout = setTimeout
const realNow = performance.now.bind(performance)

const PATIENCE_MS = 120_000
/** Longest interval between two polls of `eventually`, unless its caller states a longer one. */
const LONGEST_POLL_MS = 50

/** A signal for calls that should succeed. It aborts once a call takes longer than on any machine. */
export const patience = (): AbortSignal => AbortSignal.timeout(PATIENCE_MS)

/**
 * Waits until the condition holds. The interval between polls begins with `everyMs`, and grows to a tenth of the time
 * waited, at most LONGEST_POLL_MS: many conditions are requests, whose cost would delay what they wait for. Errors
 * count as false; the last one is thrown when patience ends.
 */
export async function eventually(what: string, condition: () => Promise<boolean> | boolean, everyMs = 2): Promise<void> {
  const begun = realNow()
  for (;;) {
    let failure: unknown = new Error(`it did not happen: ${what}`)
    try {
      if (await condition()) return
    } catch (error) {
      failure = error
    }
    const waited = realNow() - begun
    if (waited > PATIENCE_MS) throw failure
    const interval = Math.max(everyMs, Math.min(waited / 10, LONGEST_POLL_MS))
    await new Promise(resolve => realTimeout(resolve, interval))
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
