import { setImmediate as nextTurn } from 'node:timers/promises'

/** Turns of the event loop that a commit takes, and those in which controllers answer one. */
const COMMIT_TURNS = 2
const QUIET_TURNS = 10
/** A controller that works for longer waits for something else. */
const WORK_MS = 50

/** Resolves when a commit would have been seen, and what it leads to has come to an end. `isIdle`: no controller works. */
export async function quiet(revision: () => number, isIdle: () => boolean = () => true): Promise<void> {
  let last = revision()
  let until = performance.now() + WORK_MS
  for (let left = COMMIT_TURNS; left > 0 || (!isIdle() && performance.now() < until); left--) {
    await nextTurn()
    if (revision() === last) continue
    last = revision()
    left = QUIET_TURNS
    until = performance.now() + WORK_MS
  }
}
