import type { JsonObject, TypedObject } from '../../../api/meta/object.ts'
import { Heap, type HeapEntry } from '../../../lib/heap.ts'
import { seededRandom } from '../../../lib/seeded-random.ts'
import type { Steps } from '../../../lib/steps.ts'
import { chooseStage } from '../stage/choose.ts'
import type { Stage, StageSubject } from '../stage/stage.ts'
import { drawDelay } from '../stage/timing.ts'

/** An object of any kind. */
export type StagedObject = TypedObject & JsonObject

/** A stage that is due for an object, as the object was when the stage was chosen. */
export interface DueStage {
  readonly object: StagedObject
  readonly stage: Stage
}

/** A stage that an object waits for. */
interface Waiting extends HeapEntry, DueStage {
  readonly key: string
  /** Time in milliseconds. */
  readonly due: number
  /** Order among stages of one time. */
  readonly order: number
}

export interface StageEngineOptions {
  readonly stages: readonly Stage[]
  /** Seed of delays and choices. Two engines with the same seed and events decide alike. */
  readonly seed: number
  /** Called with an error of an expression. The object then waits for its next change. */
  readonly onError: (object: StagedObject, error: Error) => void
}

const isEarlier = (a: Waiting, b: Waiting): boolean => a.due < b.due || (a.due === b.due && a.order < b.order)

/** Returns the key of an object: its kind, namespace and name. */
export const keyOfObject = ({ apiVersion, kind, metadata }: TypedObject): string =>
  `${apiVersion}/${kind}/${metadata.namespace ?? ''}/${metadata.name ?? ''}`

/**
 * Decides which stage applies to which object, and when. It has no timers of its own: `nextDue` is when the earliest
 * stage is due, and `takeDue` returns those that are. A change of an object replaces what it waits for: a stage that no
 * longer matches is dropped, and the delay begins anew, as in kwok.
 */
export class StageEngine {
  readonly #onError: StageEngineOptions['onError']
  readonly #random: () => number
  readonly #heap = new Heap<Waiting>(isEarlier)
  readonly #waiting = new Map<string, Waiting>()
  #stages = new Map<string, Stage[]>()
  #order = 0

  constructor({ stages, seed, onError }: StageEngineOptions) {
    this.#onError = onError
    this.#random = seededRandom(seed)
    this.setStages(stages)
  }

  /** Number of objects that wait for a stage. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Time in milliseconds at which the earliest stage is due. Undefined if no object waits. */
  get nextDue(): number | undefined {
    return this.#heap.first?.due
  }

  /**
   * Replaces the stages. Objects that wait keep the stage that was chosen: pass those of changed kinds to `observe`
   * again.
   */
  setStages(stages: readonly Stage[]): void {
    this.#stages = new Map()
    for (const stage of stages) {
      const kind = `${stage.apiVersion}/${stage.kind}`
      this.#stages.set(kind, [...(this.#stages.get(kind) ?? []), stage])
    }
  }

  /**
   * Takes a new or changed object, and chooses its stage in steps of one expression, between which no object may be
   * observed or forgotten. An object with the version that it waits with is ignored.
   */
  *observe(object: StagedObject, now: number): Steps<void> {
    const key = keyOfObject(object)
    const before = this.#waiting.get(key)
    const { resourceVersion } = object.metadata
    if (before !== undefined && resourceVersion !== undefined && before.object.metadata.resourceVersion === resourceVersion) return
    this.#drop(key)
    const chosen = yield* this.#choose(object, now)
    if (chosen === undefined) return
    const entry: Waiting = { key, object, stage: chosen.stage, due: now + chosen.delay, order: this.#order++, index: -1 }
    this.#waiting.set(key, entry)
    this.#heap.add(entry)
  }

  /** Forgets a deleted object. */
  forget(object: TypedObject): void {
    this.#drop(keyOfObject(object))
  }

  /** Returns the stages that are due, at most `most`, in the order of their times, and forgets them. */
  takeDue(now: number, most = Number.POSITIVE_INFINITY): DueStage[] {
    const due: DueStage[] = []
    for (let first = this.#heap.first; first !== undefined && first.due <= now && due.length < most; first = this.#heap.first) {
      this.#drop(first.key)
      due.push({ object: first.object, stage: first.stage })
    }
    return due
  }

  #drop(key: string): void {
    const entry = this.#waiting.get(key)
    if (entry === undefined) return
    this.#waiting.delete(key)
    this.#heap.remove(entry)
  }

  *#choose(object: StagedObject, now: number): Steps<{ readonly stage: Stage; readonly delay: number } | undefined> {
    const stages = this.#stages.get(`${object.apiVersion}/${object.kind}`)
    if (stages === undefined) return undefined
    const { labels = {}, annotations = {} } = object.metadata
    const subject: StageSubject = { object, labels, annotations, now }
    try {
      const stage = yield* chooseStage(stages, subject, this.#random)
      return stage && { stage, delay: drawDelay(stage, subject, this.#random) }
    } catch (error) {
      if (!(error instanceof Error)) throw error
      this.#onError(object, error)
      return undefined
    }
  }
}
