import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultMatch, FaultSpec } from '../faults/fault-spec.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { PlaneParts } from '../testing/running.ts'
import type { ControlPlane } from '../testing/types.ts'
import { changedObjects, type FinalState, finalState, type StateObject } from './final-state.ts'
import { type ExpectedRun, expectedAtStep, judgeState, judgeWrites, type RunFailure, writeLimit } from './judge.ts'
import { PlanePool } from './plane-pool.ts'
import { type Entry, Recording, type RequestEntry, type Subject } from './recording.ts'
import { Rest, RestlessError, StormError } from './rest.ts'
import { Steps } from './steps.ts'

/** The control plane of one run, and what is known about the run. */
export interface World {
  /** Control plane, which the run has for itself. */
  readonly plane: ControlPlane
  /** Requests and events of the run so far. */
  readonly recording: Recording
  /** Resolves when nothing happens any more, apart from held requests and events. */
  rest(): Promise<void>
  /** Ends all delays, and resolves when nothing happens any more. */
  settled(): Promise<void>
  /**
   * Whether nothing has happened for a while, and nothing is held back. The program of the test may compute, such as to
   * end.
   */
  isInactive(): boolean
}

/** One run of a test. */
export interface RunningTest extends Subject {
  /**
   * Runs the test until the controller is at rest. Rejects with its failure. Resolves with false if the controller has
   * ended before, so that its state says nothing.
   */
  perform(world: World): Promise<boolean>
  /** Stops the controller. */
  stop(): Promise<void>
}

/** Outcome of the test itself, before its state and writes are judged. */
type Outcome = Pick<RunResult, 'failure' | 'isComparable'>

/** A test with its controller. */
export interface Scenario {
  /** Selects the controller's requests in faults. */
  readonly subject: FaultMatch
  /** Whether the controller can be restarted during a run. */
  readonly restarts: boolean
  /** Whether a request that the subject matches is the controller's and not the test's. */
  isController(request: RequestEntry, entries: readonly Entry[]): boolean
  /** Returns a new run of the test, which has not started yet. */
  begin(): RunningTest
}

/** Result of a run. */
export interface RunResult {
  /** Entries of the recording, in order. */
  readonly entries: readonly Entry[]
  /** Number of writes of the controller. */
  readonly writes: number
  /** Objects that differ from those at the beginning. */
  readonly objects: readonly StateObject[]
  /** State at the end, without what is ignored. */
  readonly state: FinalState
  /** Whether the controller was at rest at the end. Otherwise the state is not compared. */
  readonly isComparable: boolean
  /** State at each call of `settled`. */
  readonly steps: readonly FinalState[]
  /** Undefined if every invariant held. */
  readonly failure: RunFailure | undefined
  /** Longest time without activity between activities of the controller, in milliseconds. */
  readonly longestPauseMs: number
  /** Longest time at rest after which the controller changed the state by itself, in milliseconds. */
  readonly latestChangeMs: number
  /** Duration of each call of `settled`, in milliseconds. */
  readonly durations: readonly number[]
  /** States at each call of `settled` that ended while the state kept changing. */
  readonly unstable: readonly (readonly FinalState[])[]
}

/** Default time for which another state than the expected one may stay, in milliseconds. */
export const PATIENCE_MS = 3000

/** Dependencies of an engine, and the rules by which it judges. */
export interface EngineOptions {
  /** Control plane that each run gets a copy of. */
  readonly origin: ControlPlane
  /** Returns the parts of a control plane, which its public interface hides. */
  readonly partsOf: (plane: ControlPlane) => PlaneParts
  readonly scenario: Scenario
  /** Paths of fields that do not count as state. */
  readonly ignore: readonly string[]
  /**
   * Time for which another state than the expected one may stay at the end of a run and at each step, in milliseconds.
   */
  readonly patienceMs: number
  /** Check of the user, called at the end of each run. It fails the run by throwing. Undefined if there is none. */
  readonly invariant: ((plane: ControlPlane) => Promise<void> | void) | undefined
}

/** Time without activity after which a controller was at rest when the test ended, in milliseconds. */
const INACTIVE_MS = 60
/**
 * Number of writes of a controller after which its run is ended: this many times the allowed ones, and at least as
 * many.
 */
const STORM_RATIO = 3
const LEAST_STORM = 100
/** Time in which a controller is to come to rest if it did not in the same run before, in milliseconds. */
const REPEATED_RESTLESS_MS = 5000

/** Options of one run. */
export interface RunOptions {
  /** Optional. Milliseconds for which another state than the expected one may stay. It is accepted then. */
  readonly awaitsMs?: number
  /** Optional. Milliseconds for which the state of each step has to stay the same. Default: 0. */
  readonly stableMs?: number
  /** Optional. Minimum duration of each step, in milliseconds. */
  readonly leastMs?: readonly number[]
  /**
   * Optional. Milliseconds without activity after which the controller is at rest, if they are others than those of the
   * engine.
   */
  readonly quietMs?: number
}

/** Runs a test under schedules, each on a control plane of its own. */
export class Engine {
  readonly #options: EngineOptions
  /** Milliseconds without activity after which a controller is at rest. May be changed between runs. */
  quietMs: number
  /**
   * Longest time at rest after which the controller changed the state by itself in the undisturbed run, in milliseconds.
   * May be changed between runs.
   */
  latestChangeMs = 0
  readonly #planes: PlanePool

  constructor(options: EngineOptions, quietMs: number) {
    this.#options = options
    this.quietMs = quietMs
    this.#planes = new PlanePool(options.origin, options.partsOf)
  }

  /** Time for which another state than the expected one may stay, in milliseconds. */
  get patienceMs(): number {
    return this.#options.patienceMs
  }

  /** Closes the control planes that are kept for further runs. */
  async close(): Promise<void> {
    await this.#planes.close()
  }

  /** Runs the test with the faults. Without `expected`, only the test itself and quiescence are judged. */
  async run(
    faults: readonly FaultSpec[],
    expected?: ExpectedRun,
    { awaitsMs, quietMs = this.quietMs, stableMs = 0, leastMs = [] }: RunOptions = {},
  ): Promise<RunResult> {
    const { partsOf, scenario, ignore } = this.#options
    const patienceMs = awaitsMs ?? this.patienceMs
    const { latestChangeMs } = this
    const plane = await this.#planes.take()
    const parts = partsOf(plane)
    const before = parts.objects()
    const test = scenario.begin()
    const recording = new Recording(test, () => parts.revision())
    parts.rules.observer = recording
    // Holds end when `rest` says so.
    parts.rules.holds.heldMs = Number.POSITIVE_INFINITY
    const mostMs = expected?.failed?.failure.kind === 'quiescence' ? REPEATED_RESTLESS_MS : undefined
    const mostWrites = expected === undefined ? Number.POSITIVE_INFINITY : Math.max(LEAST_STORM, STORM_RATIO * writeLimit(expected))
    const rest = new Rest({ parts, recording, quietMs, mostWrites, mostMs, isBusy: () => test.isBusy })
    const stateNow = (): FinalState => finalState(changedObjects(parts.objects(), before), ignore)
    const now = (): number => performance.now()
    const steps = new Steps({ rest, stateNow, expected, patienceMs, stableMs, leastMs, latestChangeMs, now, pause: sleep })
    const world: World = {
      plane,
      recording,
      rest: () => rest.reached(false),
      settled: () => steps.settled(),
      isInactive: () => rest.isInactiveFor(Math.max(INACTIVE_MS, quietMs)),
    }
    recording.onBarrier = name => (name === 'rest' ? world.rest() : name === 'settled' ? world.settled() : undefined)
    let hasPassed = false
    rest.begin()
    try {
      for (const fault of faults) plane.faults.add(fault)
      const outcome = await this.#perform(test, world, rest)
      const objects = changedObjects(parts.objects(), before)
      const judged = await this.#judged(plane, recording, objects, {
        ...outcome,
        expected: awaitsMs === undefined ? expected : undefined,
        steps: steps.states,
      })
      hasPassed = judged.failure === undefined
      const { durations, unstable } = steps
      return { ...judged, longestPauseMs: rest.longestPauseMs, latestChangeMs: steps.latestChangeMs, durations, unstable }
    } finally {
      rest.close()
      await test.stop()
      parts.rules.observer = undefined
      this.#planes.release(plane, hasPassed)
    }
  }

  /** Runs the test. A failure of `rest` takes precedence over the error of the test, which it usually causes. */
  async #perform(test: RunningTest, world: World, rest: Rest): Promise<Outcome> {
    try {
      const isComparable = await test.perform(world)
      return { failure: undefined, isComparable }
    } catch (thrown) {
      // A program reports the failure of `settled` in its own words.
      const error = rest.failure ?? thrown
      // The number of writes is judged later.
      if (error instanceof StormError) return { failure: undefined, isComparable: false }
      const kind = error instanceof RestlessError ? 'quiescence' : 'the test'
      return { failure: { kind, message: errorMessage(error), cause: error }, isComparable: false }
    }
  }

  /**
   * Judges the end of a run: state, then the invariant of the user, then the number of writes. The first failure
   * counts.
   */
  async #judged(
    plane: ControlPlane,
    recording: Recording,
    objects: readonly StateObject[],
    run: Outcome & Pick<RunResult, 'steps'> & { readonly expected: ExpectedRun | undefined },
  ): Promise<Omit<RunResult, 'longestPauseMs' | 'latestChangeMs' | 'durations' | 'unstable'>> {
    const { ignore, invariant } = this.#options
    const { expected, isComparable, steps } = run
    const state = finalState(objects, ignore)
    const writes = recording.controllerWrites
    let { failure } = run
    const step = steps.at(-1)
    if (expected?.isComparable === true && isComparable) failure ??= judgeState(objects, state, expected)
    // A test that ends while its controller works may have waited for it before.
    else if (expected !== undefined && step !== undefined && steps.length <= expected.steps.length)
      failure ??= judgeState([], step, expectedAtStep(expected, steps.length - 1))
    if (invariant !== undefined) failure ??= await brokenInvariant(invariant, plane)
    if (expected !== undefined) failure ??= judgeWrites(writes, expected)
    if (expected?.applies?.(recording.entries) === false) failure = undefined
    return { entries: [...recording.entries], writes, objects, state, isComparable, steps, failure }
  }
}

/** Returns the failure of the user's invariant. Undefined if it holds. */
async function brokenInvariant(
  invariant: (plane: ControlPlane) => Promise<void> | void,
  plane: ControlPlane,
): Promise<RunFailure | undefined> {
  try {
    await invariant(plane)
    return undefined
  } catch (error) {
    return { kind: 'an invariant', message: errorMessage(error), cause: error }
  }
}
