import { setImmediate as nextTurn } from 'node:timers/promises'
import { isComputedElsewhere } from '../lib/other-threads.ts'

/** Event loop turns that a commit takes, and those after it within which controllers react. */
const COMMIT_TURNS = 2
const QUIET_TURNS = 40
/**
 * Milliseconds and turns without a write after which a working controller is assumed to wait for something else. On a
 * busy machine, time passes without turns. While another thread computes, turns pass without progress: they do not
 * count, because the order of writes would otherwise depend on when that thread gets a processor.
 */
const WORK_MS = 50
const WORK_TURNS = 200

/**
 * Resolves when all commits have been observed and their consequences are complete. @param isIdle whether no controller
 * is working.
 */
export async function quiet(revision: () => number, isIdle: () => boolean = () => true): Promise<void> {
  let last = revision()
  let until = performance.now() + WORK_MS
  let turns = 0
  for (let left = COMMIT_TURNS; left > 0 || (!isIdle() && (turns < WORK_TURNS || performance.now() < until)); left--) {
    await nextTurn()
    turns++
    if (revision() !== last) left = QUIET_TURNS
    else if (!isComputedElsewhere()) continue
    last = revision()
    until = performance.now() + WORK_MS
    turns = 0
  }
}
