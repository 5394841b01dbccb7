import type { FaultSpec } from '../faults/fault-spec.ts'
import { confirmedFailure, type FailedRun } from './confirm.ts'
import { Draw } from './draw.ts'
import type { Engine, RunResult, Scenario } from './engine.ts'
import { Expectations } from './expectations.ts'
import { faultFile } from './fault-file.ts'
import { objectMetadata, Variation } from './final-state.ts'
import type { ExpectedRun } from './judge.ts'
import type { Entry } from './recording.ts'
import { perturbationsOf } from './schedule.ts'
import { story } from './story.ts'
import type { Exploration, ExploreFailure } from './types.ts'

/** Number of undisturbed runs, whose differences are not compared. */
const UNDISTURBED = 3
/**
 * Time without activity after which the controller counts as at rest in the first run, in milliseconds, and at most
 * later.
 */
const LONG_QUIET_MS = 150
/** Time that the other undisturbed runs get to reach the state of the first, in milliseconds. */
const AWAITED_MS = 300

/** The test fails without faults. */
export class UndisturbedError extends Error {
  override readonly name = 'UndisturbedError'
}

/** Failure of the smallest schedule that was found. Its message is the report for the user. */
class FailureError extends Error implements ExploreFailure {
  override readonly name = 'ExploreFailure'
  readonly kind: string
  readonly seed: number
  readonly run: number
  readonly story: readonly string[]
  readonly faults: readonly FaultSpec[]
  readonly faultFile: string

  constructor(
    { failure, entries }: Pick<FailedRun, 'failure' | 'entries'>,
    faults: readonly FaultSpec[],
    { seed, run }: { readonly seed: number; readonly run: number },
  ) {
    const lines = story(entries)
    const file = faultFile(faults)
    const head = `run ${run} with seed ${seed} fails (${failure.kind}): ${failure.message}`
    super(
      `${head}\n\nWhat happened:\n${lines.map((line, index) => `${`${index + 1}`.padStart(4)}. ${line}`).join('\n')}\n\nFault file:\n${file}`,
      {
        cause: failure.cause,
      },
    )
    this.kind = failure.kind
    this.seed = seed
    this.run = run
    this.story = lines
    this.faults = faults
    this.faultFile = file
  }
}

/** Options of `exploration`. */
export interface ExplorationOptions {
  /** Runs the test with a list of faults. */
  readonly engine: Engine
  /** Start of the test, and what its requests look like. */
  readonly scenario: Scenario
  /** Maximum number of perturbed runs. */
  readonly runs: number
  /** Seed of the schedules. Equal seeds draw equal schedules if the undisturbed run is the same. */
  readonly seed: number
  /** Milliseconds without activity after which the controller is at rest. Undefined to measure it. */
  readonly quietMs: number | undefined
  /** Lower bound of the measured milliseconds. */
  readonly leastQuietMs: number
  /** Faults to replay once. Undefined to draw schedules. */
  readonly replay: readonly FaultSpec[] | undefined
  /** Called with each line of progress. */
  readonly log: (line: string) => void
}

/**
 * Runs the test undisturbed, then under drawn schedules. Throws an ExploreFailure for the first that fails repeatedly,
 * and UndisturbedError if the test fails by itself.
 */
export async function exploration(options: ExplorationOptions): Promise<Exploration> {
  const { engine, scenario, runs, seed, replay, log } = options
  const { expected, entries, names } = await undisturbed(options)
  const perturbations = perturbationsOf(entries, {
    subject: scenario.subject,
    restarts: scenario.restarts,
    isController: request => request.isController && scenario.isController(request, entries),
    names,
  })
  const deletions = perturbations.other.flatMap(({ deletion }) => deletion ?? [])
  const expectations = new Expectations({ engine, scenario, undisturbed: expected, deletions })
  if (replay !== undefined) return replayed(options, expectations, replay)
  for (const varied of expected.variation.all) log(`not compared, because it differs between undisturbed runs or keeps changing: ${varied}`)
  const number = Object.values(perturbations).flat().length
  log(`undisturbed: ${expected.writes} writes of the controller, ${number} perturbations`)
  const draw = new Draw(perturbations, seed)
  const unrepeated: string[] = []
  for (let run = 1; run <= runs; run++) {
    const schedule = draw.next()
    if (schedule === undefined) break
    const faults = schedule.flatMap(perturbation => perturbation.faults)
    const accepted = await expectations.of(faults)
    if (accepted === undefined) {
      log(`run ${run} does not count: the test does not allow for the deletion`)
      continue
    }
    const result = await engine.run(faults, accepted)
    const { failure } = result
    if (failure === undefined) continue
    log(`run ${run} fails (${failure.kind}): ${failure.message.split('\n')[0]}`)
    const found = await confirmedFailure(engine, expectations, { faults, result: { ...result, failure } }, log)
    if (found !== undefined) throw new FailureError(found.result, found.faults, { seed, run })
    log(`run ${run} does not fail again`)
    unrepeated.push(`run ${run} (${failure.kind}): ${failure.message}`)
  }
  return { runs, seed, perturbations: number, writes: expected.writes, unrepeated }
}

/** Runs the test without faults several times. */
async function undisturbed({ engine, quietMs, leastQuietMs, log }: ExplorationOptions): Promise<{
  readonly expected: ExpectedRun
  readonly entries: readonly Entry[]
  readonly names: ReadonlySet<string>
}> {
  const longQuietMs = Math.max(LONG_QUIET_MS, quietMs ?? 0)
  engine.quietMs = longQuietMs
  // Any run may last so long that the controller goes on by time.
  const first = passed(await engine.run([], undefined, { stableMs: engine.patienceMs }))
  engine.latestChangeMs = first.latestChangeMs
  if (first.latestChangeMs > 0) log(`the controller goes on by itself after up to ${Math.round(first.latestChangeMs)} ms at rest`)
  const results: [RunResult, ...RunResult[]] = [first]
  // A busy machine makes pauses longer: the shortest of several measurements is closest to that of the controller.
  const quiet = (): number =>
    quietMs ?? Math.min(LONG_QUIET_MS, Math.max(leastQuietMs, 2 * Math.min(...results.map(result => result.longestPauseMs))))
  const another = async (quietFor: number, awaitsMs = AWAITED_MS): Promise<RunResult> =>
    passed(await engine.run([], expectedOf(results), { awaitsMs, quietMs: quietFor }))
  const addsVariation = (...more: RunResult[]): boolean =>
    expectedOf([...results, ...more]).variation.all.length > expectedOf(results).variation.all.length
  while (results.length < UNDISTURBED) {
    const result = await another(quiet())
    if (!addsVariation(result)) results.push(result)
    else {
      // The run may have ended too early on a busy machine, or before a retry. Runs that wait for longer decide.
      const patienceMs = Math.max(AWAITED_MS, engine.patienceMs)
      const careful = [await another(longQuietMs, patienceMs), await another(longQuietMs, patienceMs)]
      results.push(...careful, ...(addsVariation(...careful) ? [result] : []))
    }
  }
  engine.quietMs = quiet()
  log(`the controller is at rest after ${engine.quietMs} ms without activity`)
  const namesOf = (result: RunResult): Set<string> =>
    new Set([
      ...result.entries.flatMap(entry => (entry.kind === 'note' ? [] : [entry.name])),
      ...result.objects.map(object => String(objectMetadata(object).name)),
    ])
  const names = results.reduce((shared, result) => intersection(shared, namesOf(result)), namesOf(first))
  return { expected: expectedOf(results), entries: first.entries, names }
}

/** Returns an undisturbed run. Throws an UndisturbedError if it has failed. */
function passed(result: RunResult): RunResult {
  const { failure } = result
  if (failure === undefined) return result
  throw new UndisturbedError(`the undisturbed run fails (${failure.kind}): ${failure.message}`, { cause: failure.cause })
}

/** Returns what undisturbed runs, of which there is at least one, let expect of others. */
function expectedOf(results: readonly [RunResult, ...RunResult[]]): ExpectedRun {
  const [{ state, steps }] = results
  const variation = new Variation([
    results.map(result => result.state),
    ...steps.map((_, step) => results.map(result => result.steps[step] ?? result.state)),
    ...results.flatMap(result => result.unstable),
  ])
  const isComparable = results.every(result => result.isComparable)
  return { state, steps, alternatives: [], isComparable, variation, writes: Math.max(...results.map(({ writes }) => writes)) }
}

const intersection = (a: ReadonlySet<string>, b: ReadonlySet<string>): Set<string> => new Set([...a].filter(each => b.has(each)))

/** Runs the test once with the faults of a file. */
async function replayed(
  { engine, seed }: ExplorationOptions,
  expectations: Expectations,
  faults: readonly FaultSpec[],
): Promise<Exploration> {
  const expected = await expectations.of(faults)
  if (expected === undefined) throw new UndisturbedError('the test does not allow for the deletion of the fault file')
  const { failure, entries } = await engine.run(faults, expected)
  if (failure !== undefined) throw new FailureError({ failure, entries }, faults, { seed, run: 1 })
  return { runs: 1, seed, perturbations: faults.length, writes: expected.writes, unrepeated: [] }
}
