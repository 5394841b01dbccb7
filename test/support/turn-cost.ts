import { openSync, readSync } from 'node:fs'
import type { Cost } from './growth.ts'
import { turnBound } from './time-bounds.ts'

/**
 * Nanoseconds that this thread has run, if the kernel counts them: threads that compile and collect garbage are not
 * part of it.
 */
const statistics = (() => {
  try {
    return openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  } catch {
    return undefined
  }
})()
const text = Buffer.alloc(64)

/** Milliseconds of processor time of the whole process. Other programs on the machine do not add to it. */
export function processMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Milliseconds of processor time of this thread, or of the process if the kernel does not count threads. */
export function threadMs(): number {
  if (statistics === undefined) return processMs()
  return Number(text.toString('latin1', 0, readSync(statistics, text, 0, text.length, 0)).split(' ')[0]) / 1e6
}

/** The longest time between two turns of the event loop while something runs, in milliseconds of the clock. */
export async function longestTurn(run: () => Promise<unknown>, clock: () => number): Promise<number> {
  let longest = 0
  let on = true
  let last = clock()
  const tick = (): void => {
    const now = clock()
    longest = Math.max(longest, now - last)
    last = now
    if (on) setImmediate(tick)
  }
  setImmediate(tick)
  try {
    await run()
    await new Promise(resolve => setImmediate(resolve))
    return longest
  } finally {
    on = false
  }
}

/** The processor time that work takes, and its longest turn. */
export async function turnCost(run: () => Promise<unknown>): Promise<Cost> {
  let total = 0
  const turn = await longestTurn(async () => {
    const began = threadMs()
    await run()
    total = threadMs() - began
  }, threadMs)
  return { total, turn }
}

/**
 * Milliseconds of a clock after which work in steps leaves the rest to another turn, and the step that was begun by
 * then.
 */
const TURN_MS = 10
/**
 * A step may take as long as this many times some fixed work, whose time is half of a turn on a machine of 2026.
 * Whatever the machine, a step that does not end is far longer.
 */
const MOST_UNITS = 5

/** Processor time of fixed work. */
function unitMs(): number {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 8; round++) {
    const began = threadMs()
    let sum = round
    for (let i = 0; i < 6_000_000; i++) sum = Math.imul(sum ^ i, 0x5bd1e995)
    if (sum !== 0) best = Math.min(best, threadMs() - began)
  }
  return best
}

/** Processor time of the longest turn that is allowed on this machine, in milliseconds. */
export const mostTurnMs = (): number => turnBound(TURN_MS + MOST_UNITS * unitMs())
