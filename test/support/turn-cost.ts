import { openSync, readSync } from 'node:fs'
import type { Cost } from './growth.ts'

/** Nanoseconds that this thread has run, if the kernel counts them: threads that compile and collect garbage are not part of it. */
const statistics = (() => {
  try {
    return openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  } catch {
    return undefined
  }
})()
const text = Buffer.alloc(64)

/** Milliseconds of processor time of this thread, or of the process. */
export function threadMs(): number {
  if (statistics !== undefined) return Number(text.toString('latin1', 0, readSync(statistics, text, 0, text.length, 0)).split(' ')[0]) / 1e6
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** The processor time that work takes, and its longest turn. */
export async function turnCost(run: () => Promise<unknown>): Promise<Cost> {
  let turn = 0
  let on = true
  const began = threadMs()
  let last = began
  const tick = (): void => {
    const now = threadMs()
    turn = Math.max(turn, now - last)
    last = now
    if (on) setImmediate(tick)
  }
  setImmediate(tick)
  try {
    await run()
    const total = threadMs() - began
    await new Promise(resolve => setImmediate(resolve))
    return { total, turn }
  } finally {
    on = false
  }
}
