import type { FaultSpec } from '../faults/fault-spec.ts'
import { Draw } from './draw.ts'
import type { Engine, RunResult, Scenario } from './engine.ts'
import { faultFile } from './fault-file.ts'
import { objectMetadata, Variation } from './final-state.ts'
import type { ExpectedRun, RunFailure } from './judge.ts'
import type { Entry } from './recording.ts'
import { perturbationsOf } from './schedule.ts'
import { smallerSchedules } from './shrink.ts'
import { story } from './story.ts'
import type { Exploration, ExploreFailure } from './types.ts'

/** Number of undisturbed runs, whose differences are not compared. */
const UNDISTURBED = 3
/** Time without activity after which the controller counts as at rest in undisturbed runs, in milliseconds, and its bounds later. */
const LONG_QUIET_MS = 150
const REPLAYS = 3
/** Number of replays that must fail as well, so that a failure is reported. */
const REPEATED = 2
const MOST_SHRINKS = 30

/** The test fails without faults. */
export class UndisturbedError extends Error {
  override readonly name = 'UndisturbedError'
}

class FailureError extends Error implements ExploreFailure {
  override readonly name = 'ExploreFailure'
  readonly kind: string
  readonly seed: number
  readonly run: number
  readonly story: readonly string[]
  readonly faults: readonly FaultSpec[]
  readonly faultFile: string

  constructor({ failure, entries }: FailedRun, faults: readonly FaultSpec[], { seed, run }: { readonly seed: number; readonly run: number }) {
    const lines = story(entries)
    const file = faultFile(faults)
    const head = `run ${run} with seed ${seed} fails (${failure.kind}): ${failure.message}`
    super(`${head}\n\nWhat happened:\n${lines.map((line, index) => `${`${index + 1}`.padStart(4)}. ${line}`).join('\n')}\n\nFault file:\n${file}`, {
      cause: failure.cause,
    })
    this.kind = failure.kind
    this.seed = seed
    this.run = run
    this.story = lines
    this.faults = faults
    this.faultFile = file
  }
}

type FailedRun = Pick<RunResult, 'entries'> & { readonly failure: RunFailure }

export interface ExplorationOptions {
  readonly engine: Engine
  readonly scenario: Scenario
  readonly runs: number
  readonly seed: number
  readonly quietMs: number | undefined
  readonly leastQuietMs: number
  readonly replay: readonly FaultSpec[] | undefined
  readonly log: (line: string) => void
}

/** Runs the test undisturbed, then under drawn schedules. Throws an ExploreFailure for the first that fails repeatedly, and UndisturbedError if the test fails by itself. */
export async function exploration(options: ExplorationOptions): Promise<Exploration> {
  const { engine, scenario, runs, seed, replay, log } = options
  const { expected, entries, names } = await undisturbed(options)
  if (replay !== undefined) return replayed(options, expected, replay)
  const perturbations = perturbationsOf(entries, {
    subject: scenario.subject,
    restarts: scenario.restarts,
    isController: request => scenario.isController(request, entries),
    names,
  })
  const number = Object.values(perturbations).flat().length
  log(`undisturbed: ${expected.writes} writes of the controller, ${number} perturbations`)
  const draw = new Draw(perturbations, seed)
  const unrepeated: string[] = []
  for (let run = 1; run <= runs; run++) {
    const schedule = draw.next()
    if (schedule === undefined) break
    const faults = schedule.flatMap(perturbation => perturbation.faults)
    const result = await engine.run(faults, expected)
    if (result.failure === undefined) continue
    log(`run ${run} fails (${result.failure.kind}): ${result.failure.message.split('\n')[0]}`)
    const accepted = await withDeletions(options, expected, faults)
    if (accepted === undefined) {
      log(`run ${run} does not count: the test does not allow for the deletion`)
      continue
    }
    const repeated = await repeatedFailure(options, accepted, faults)
    if (repeated !== undefined) {
      const smallest = await shrunk(options, accepted, { faults, result: repeated })
      throw new FailureError(smallest.result, smallest.faults, { seed, run })
    }
    log(`run ${run} does not fail again`)
    // Its state may be that after the deletions at rest.
    if (accepted === expected) unrepeated.push(`run ${run} (${result.failure.kind}): ${result.failure.message}`)
  }
  return { runs, seed, perturbations: number, writes: expected.writes, unrepeated }
}

/** Runs the test without faults several times. */
async function undisturbed({ engine, quietMs, leastQuietMs, log }: ExplorationOptions): Promise<{
  readonly expected: ExpectedRun
  readonly entries: readonly Entry[]
  readonly names: ReadonlySet<string>
}> {
  const results: RunResult[] = []
  engine.quietMs = Math.max(LONG_QUIET_MS, quietMs ?? 0)
  for (let i = 0; i < UNDISTURBED; i++) {
    const result = await engine.run([])
    if (result.failure !== undefined)
      throw new UndisturbedError(`the undisturbed run fails (${result.failure.kind}): ${result.failure.message}`, { cause: result.failure.cause })
    results.push(result)
  }
  // A busy machine makes pauses longer: the shortest of several measurements is closest to that of the controller.
  const pause = Math.min(...results.map(({ entries }) => longestPause(entries)))
  engine.quietMs = quietMs ?? Math.min(LONG_QUIET_MS, Math.max(leastQuietMs, 2 * pause))
  log(`the controller is at rest after ${Math.round(engine.quietMs)} ms without activity`)
  const [first, ...others] = results
  if (first === undefined) throw new UndisturbedError('there was no undisturbed run')
  const variation = new Variation([results.map(({ state }) => state), ...first.steps.map((_, step) => results.map(({ steps, state }) => steps[step] ?? state))])
  const writes = Math.max(...results.map(result => result.writes))
  const namesOf = (result: RunResult): Set<string> =>
    new Set([
      ...result.entries.flatMap(entry => (entry.kind === 'note' ? [] : [entry.name])),
      ...result.objects.map(object => String(objectMetadata(object).name)),
    ])
  const names = others.reduce((shared, result) => intersection(shared, namesOf(result)), namesOf(first))
  return {
    expected: { state: first.state, steps: first.steps, alternatives: [], isComparable: results.every(({ isComparable }) => isComparable), variation, writes },
    entries: first.entries,
    names,
  }
}

const intersection = (a: ReadonlySet<string>, b: ReadonlySet<string>): Set<string> => new Set([...a].filter(each => b.has(each)))

/** Longest time between two requests or events of the controller that belong together, in milliseconds. */
function longestPause(entries: readonly Entry[]): number {
  let longest = 0
  for (const [index, entry] of entries.entries()) {
    const before = entries[index - 1]
    if (before === undefined || (entry.kind === 'request' && !entry.isController)) continue
    const pause = entry.at - before.at
    if (pause < LONG_QUIET_MS) longest = Math.max(longest, pause)
  }
  return longest
}

/**
 * Returns what is expected of a run in which another client deletes objects: the state after the same deletions at rest is accepted as well. Undefined if the test fails with those, because
 * it does not allow for the deletion.
 */
async function withDeletions({ engine }: ExplorationOptions, expected: ExpectedRun, faults: readonly FaultSpec[]): Promise<ExpectedRun | undefined> {
  if (!faults.some(({ writer }) => writer === 'Deletes')) return expected
  const atRest = await engine.run(faults.map(fault => (fault.writer === 'Deletes' ? { ...fault, writer: 'DeletesAtRest' } : fault)))
  return atRest.failure === undefined ? { ...expected, alternatives: [atRest] } : undefined
}

/** Repeats a failed run. Returns the last failure if it fails repeatedly, and undisturbed runs still pass. */
async function repeatedFailure({ engine }: ExplorationOptions, expected: ExpectedRun, faults: readonly FaultSpec[]): Promise<FailedRun | undefined> {
  let failed: FailedRun | undefined
  let failures = 0
  for (let i = 0; i < REPLAYS && failures < REPEATED; i++) {
    const { entries, failure } = await engine.run(faults, expected)
    if (failure === undefined) continue
    failures++
    failed = { entries, failure }
  }
  if (failures < REPEATED) return undefined
  const control = await engine.run([], expected)
  return control.failure === undefined ? failed : undefined
}

interface FailedSchedule {
  readonly faults: readonly FaultSpec[]
  readonly result: FailedRun
}

/** Looks for the smallest schedule that still fails. */
async function shrunk({ engine, log }: ExplorationOptions, expected: ExpectedRun, failed: FailedSchedule): Promise<FailedSchedule> {
  let smallest = failed
  let tries = 0
  for (let isSmaller = true; isSmaller && tries < MOST_SHRINKS; ) {
    isSmaller = false
    for (const faults of smallerSchedules(smallest.faults)) {
      if (++tries > MOST_SHRINKS) break
      const { entries, failure } = await engine.run(faults, expected)
      if (failure === undefined) continue
      smallest = { faults, result: { entries, failure } }
      isSmaller = true
      break
    }
  }
  log(`shrunk to ${smallest.faults.length} ${smallest.faults.length === 1 ? 'fault' : 'faults'} in ${tries} runs`)
  return smallest
}

/** Runs the test once with the faults of a file. */
async function replayed({ engine, seed }: ExplorationOptions, expected: ExpectedRun, faults: readonly FaultSpec[]): Promise<Exploration> {
  const { failure, entries } = await engine.run(faults, expected)
  if (failure !== undefined) throw new FailureError({ failure, entries }, faults, { seed, run: 1 })
  return { runs: 1, seed, perturbations: faults.length, writes: expected.writes, unrepeated: [] }
}
