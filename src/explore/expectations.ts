import type { FaultSpec } from '../faults/fault-spec.ts'
import { type Deletion, foreignChanges } from './deletions.ts'
import type { Engine, RunResult, Scenario } from './engine.ts'
import type { ExpectedRun } from './judge.ts'
import type { Entry, RequestEntry } from './recording.ts'

/** Ratio of the time without activity to the usual one in calm runs, whose state is not known before. */
const QUIET_RATIO = 3

export interface ExpectationsOptions {
  readonly engine: Pick<Engine, 'run' | 'quietMs' | 'patienceMs' | 'latestChangeMs'>
  readonly scenario: Pick<Scenario, 'isController'>
  /** Expected result of a run without a deletion. */
  readonly undisturbed: ExpectedRun
  readonly deletions: readonly Deletion[]
}

/** Whether another client deletes an object. */
const isDeletion = (entry: Entry): boolean =>
  entry.kind === 'note'
    ? entry.isDeletion === true
    : entry.kind === 'request' && entry.faults.some(({ writer }) => writer === 'Deletes' || writer === 'DeletesAtRest')

/** Expected results of runs. They depend on the deletions among the faults. */
export class Expectations {
  readonly #options: ExpectationsOptions
  readonly #deletions: ReadonlyMap<string, Deletion>
  readonly #expected = new Map<string, ExpectedRun | undefined>()

  constructor(options: ExpectationsOptions) {
    this.#options = options
    this.#deletions = new Map(options.deletions.map(deletion => [JSON.stringify(deletion.fault), deletion]))
  }

  get undisturbed(): ExpectedRun {
    return this.#options.undisturbed
  }

  /**
   * Returns the expected result of a run with the faults: the states of the calm runs of its deletions are accepted as
   * well. Undefined if the test fails in a calm run, because it does not allow for the deletion, or if the object is not
   * deleted in one, because the controller writes less often.
   */
  async of(faults: readonly FaultSpec[]): Promise<ExpectedRun | undefined> {
    const deletes = faults.filter(({ writer }) => writer === 'Deletes')
    if (deletes.length === 0) return this.undisturbed
    const key = JSON.stringify(deletes)
    if (!this.#expected.has(key)) {
      // The states are not known before. A controller that goes on by time is awaited.
      const stableMs = 2 * this.#options.engine.latestChangeMs
      this.#expected.set(key, await this.#withCalmRuns(deletes, this.undisturbed, stableMs))
    }
    return this.#expected.get(key)
  }

  /** Like `of`, after another and longer time of the calm runs, which may differ. */
  async renewed(faults: readonly FaultSpec[]): Promise<ExpectedRun | undefined> {
    const deletes = faults.filter(({ writer }) => writer === 'Deletes')
    const expected = await this.of(faults)
    if (deletes.length === 0 || expected === undefined) return expected
    const { patienceMs, latestChangeMs } = this.#options.engine
    const renewed = await this.#withCalmRuns(deletes, expected, Math.max(patienceMs, 2 * latestChangeMs))
    this.#expected.set(JSON.stringify(deletes), renewed)
    return renewed
  }

  /** Adds the states of calm runs. `stableMs`: time for which they have to stay the same. */
  async #withCalmRuns(deletes: readonly FaultSpec[], expected: ExpectedRun, stableMs: number): Promise<ExpectedRun | undefined> {
    const { engine } = this.#options
    const alternatives: RunResult[] = []
    for (const faults of deletes.flatMap(fault => this.#calm(fault))) {
      const result = await engine.run(faults, undefined, { quietMs: QUIET_RATIO * engine.quietMs, stableMs })
      if (result.failure !== undefined || !result.entries.some(isDeletion)) return undefined
      alternatives.push(result)
    }
    return {
      ...expected,
      alternatives: [...expected.alternatives, ...alternatives],
      applies: entries => this.#isSameMoment(deletes, entries),
    }
  }

  #deletionOf(fault: FaultSpec): Deletion | undefined {
    return this.#deletions.get(JSON.stringify(fault))
  }

  /** Faults of the calm runs. Those of a deletion that was written by hand are at rest. */
  #calm(fault: FaultSpec): readonly (readonly FaultSpec[])[] {
    return this.#deletionOf(fault)?.calm ?? [[{ ...fault, writer: 'DeletesAtRest' }]]
  }

  /**
   * Whether the objects were deleted after as many changes of other clients as in the undisturbed run. A retry before
   * may have taken the number of the request.
   */
  #isSameMoment(deletes: readonly FaultSpec[], entries: readonly Entry[]): boolean {
    const isController = (request: RequestEntry): boolean => request.isController && this.#options.scenario.isController(request, entries)
    return entries.every((entry, index) => {
      if (entry.kind !== 'request') return true
      return deletes
        .filter(fault => entry.faults.includes(fault))
        .every(fault => {
          const changes = this.#deletionOf(fault)?.changes
          return changes === undefined || changes === foreignChanges(entry, entries.slice(0, index), isController)
        })
    })
  }
}
