import type { FaultSpec } from '../faults/fault-spec.ts'
import type { Engine, RunResult } from './engine.ts'
import type { Expectations } from './expectations.ts'
import type { RunFailure } from './judge.ts'
import { smallerSchedules } from './shrink.ts'

const REPLAYS = 3
/** Number of replays that must fail as well, so that a failure is reported. */
const REPEATED = 2
const MOST_SHRINKS = 30
/** Number of undisturbed runs that must pass after a failure. */
const CONTROLS = 3

/** A run that has failed. */
export type FailedRun = Pick<RunResult, 'entries' | 'state' | 'steps' | 'durations'> & { readonly failure: RunFailure }

/** Faults with which a run fails. */
export interface FailedSchedule {
  readonly faults: readonly FaultSpec[]
  readonly result: FailedRun
}

/**
 * Repeats a failed run, and returns the smallest schedule that still fails. Undefined if the failure does not occur
 * again, or if the undisturbed run fails as well. Only the first and the last run of a schedule get the whole time to
 * reach the expected state: those between soon count as failed if they are in the state of the first.
 */
export async function confirmedFailure(
  engine: Engine,
  expectations: Expectations,
  failed: FailedSchedule,
  log: (line: string) => void,
): Promise<FailedSchedule | undefined> {
  const attempt = async (faults: readonly FaultSpec[]): Promise<FailedRun | undefined> => {
    const expected = await expectations.of(faults)
    return expected && failedRun(await engine.run(faults, { ...expected, failed: failed.result }))
  }
  const repeated = await repeatedFailure(() => attempt(failed.faults))
  if (repeated === undefined) return undefined
  // The controller may go on by time, and the failed run have lasted longer than the undisturbed one.
  const { durations } = failed.result
  for (let i = 0; i < CONTROLS; i++) {
    const control = await engine.run([], expectations.undisturbed, i === 0 ? { leastMs: durations } : {})
    if (control.failure !== undefined) return undefined
  }
  const smallest = await shrunk({ faults: failed.faults, result: repeated }, attempt, log)
  return (
    (await again(engine, expectations, smallest.faults)) ??
    (smallest.faults === failed.faults ? undefined : again(engine, expectations, failed.faults))
  )
}

async function again(engine: Engine, expectations: Expectations, faults: readonly FaultSpec[]): Promise<FailedSchedule | undefined> {
  const expected = await expectations.renewed(faults)
  const result = expected && failedRun(await engine.run(faults, expected))
  return result && { faults, result }
}

/** Runs the test once. Resolves with undefined if it passes, or is not judged. */
type Attempt = (faults: readonly FaultSpec[]) => Promise<FailedRun | undefined>

const failedRun = ({ failure, ...run }: RunResult): FailedRun | undefined => failure && { ...run, failure }

/** Repeats a failed run. Returns the last failure if it fails repeatedly. */
async function repeatedFailure(attempt: () => Promise<FailedRun | undefined>): Promise<FailedRun | undefined> {
  let last: FailedRun | undefined
  let failures = 0
  for (let i = 0; i < REPLAYS && failures < REPEATED; i++) {
    const failed = await attempt()
    if (failed === undefined) continue
    failures++
    last = failed
  }
  return failures < REPEATED ? undefined : last
}

/** Looks for the smallest schedule that still fails. */
async function shrunk(failed: FailedSchedule, attempt: Attempt, log: (line: string) => void): Promise<FailedSchedule> {
  let smallest = failed
  const tried = new Set<string>()
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false
    for (const faults of smallerSchedules(smallest.faults)) {
      const key = JSON.stringify(faults)
      if (tried.has(key) || tried.size >= MOST_SHRINKS) continue
      tried.add(key)
      const result = await attempt(faults)
      if (result === undefined) continue
      smallest = { faults, result }
      isSmaller = true
      break
    }
  }
  log(`shrunk to ${smallest.faults.length} ${smallest.faults.length === 1 ? 'fault' : 'faults'} in ${tried.size} runs`)
  return smallest
}
