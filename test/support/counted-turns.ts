import { HeldTime } from './held-time.ts'

/** Runs work to its end in time that only it lets pass. Returns the number of turns of the event loop meanwhile. */
export async function countedTurns(run: (time: HeldTime) => Promise<unknown>): Promise<number> {
  const time = HeldTime.hold()
  let turns = 0
  let isOver = false
  const count = (): void => {
    turns++
    if (!isOver) setImmediate(count)
  }
  try {
    // Earlier work has no part in the first turn.
    await new Promise(setImmediate)
    setImmediate(count)
    await run(time)
    return turns
  } finally {
    isOver = true
    time.release()
  }
}
