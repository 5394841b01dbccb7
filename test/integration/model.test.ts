import { setTimeout as sleep } from 'node:timers/promises'
import { memoryHistory, type Progress } from '../support/model/memory-history.ts'

/** `make model COUNT=20000 SEED=7` for others and more. */
const HISTORIES = Number(process.env.MODEL_HISTORIES ?? 60)
const SEED = Number(process.env.MODEL_SEED ?? 1)
/** Side by side, since each waits now and then. */
const AT_ONCE = 12
const PER_TEST = 200
/** Far more than any takes. */
const HANGS_MS = 120_000

/** Runs the histories of the seeds, and returns the contradictions between responses and the store. */
async function run(from: number, to: number): Promise<string[]> {
  const wrong: string[] = []
  let next = from
  const runner = async (): Promise<void> => {
    while (next < to) {
      const seed = next++
      const hangs = new AbortController()
      const progress: Partial<Progress> = {}
      const outcome = await Promise.race([
        memoryHistory(seed, progress),
        sleep(HANGS_MS, undefined, { signal: hangs.signal, ref: false }).then(
          () => ({ wrong: [`it does not end: ${progress.report?.()}`] }),
          () => ({ wrong: [] }),
        ),
      ])
      hangs.abort()
      wrong.push(...outcome.wrong.map(line => `seed ${seed} (make model COUNT=1 SEED=${seed}): ${line}`))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, runner))
  return wrong
}

describe('the model: random histories of writes, reads and watches through several servers on one store, each response compared with the store’s revisions', function () {
  // A busy machine takes a second for each.
  this.timeout(PER_TEST * 4000)
  for (let from = SEED; from < SEED + HISTORIES; from += PER_TEST) {
    const to = Math.min(from + PER_TEST, SEED + HISTORIES)
    it(`seeds ${from} to ${to - 1}`, async () => {
      const wrong = await run(from, to)
      if (wrong.length > 0) throw new Error(`${wrong.length} contradictions:\n${wrong.slice(0, 20).join('\n')}`)
    })
  }
})
