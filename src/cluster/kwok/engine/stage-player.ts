import type { Json, TypedObject } from '../../../api/meta/object.ts'
import { isJsonObject } from '../../../api/meta/object.ts'
import { LONGEST_TIMER_MS, type Timer, type TimerClock } from '../../../lib/clock.ts'
import { seededRandom } from '../../../lib/seeded-random.ts'
import { SerialSteps } from '../../../lib/serial-steps.ts'
import { type Steps, startInTurns } from '../../../lib/steps.ts'
import { turnIsSpent } from '../../../lib/turn.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { StatusError } from '../../../meta/status.ts'
import { type StageAction, stageActions } from '../stage/actions.ts'
import type { TemplateFunctions } from '../template/template.ts'
import type { StageClient } from './stage-client.ts'
import { type DueStage, keyOfObject, type StagedObject, type StageEngine } from './stage-engine.ts'

/** Stages that are played at the same time. */
const MOST_PLAYING = 64
/** Stages that are begun in one turn of the event loop. */
const BEGUN_PER_TURN = 16

/** First delay of a retry, and the longest. Source: kwok, pkg/kwok/controllers/utils.go. */
const FIRST_RETRY_MS = 1000
const LONGEST_RETRY_MS = 32 * 60_000

export interface StagePlayerOptions {
  readonly engine: StageEngine
  readonly client: StageClient
  readonly clock: TimerClock
  /** Returns the functions of templates for an object. */
  readonly functionsFor: (object: StagedObject) => TemplateFunctions
  /** Seed of the delays of retries. */
  readonly seed: number
  /** Called with an error of a template or a request. The stage is retried only if the server was not available. */
  readonly onError: (object: StagedObject, error: Error) => void
}

/** The rest of a stage that is being played. */
interface Playing extends DueStage {
  /** Undefined until the templates are rendered. */
  actions: readonly StageAction[] | undefined
  /** Number of actions that are done. */
  done: number
  retries: number
}

/**
 * Carries out what an engine decides. It sleeps on one timer until the earliest stage is due, and plays a bounded
 * number of stages at a time. `observe` and `forget` take the changes of objects from a watch.
 */
export class StagePlayer {
  readonly #options: StagePlayerOptions
  readonly #random: () => number
  /** Stages that wait for a retry, by the key of their object. */
  readonly #retries = new Map<string, Timer>()
  #timer: { readonly due: number; readonly timer: Timer } | undefined
  #playing = 0
  /** Number of changes of the engine that continue in other turns. */
  #choosing = 0
  readonly #changes = new SerialSteps()
  #isClosed = false
  #isScheduled = false

  constructor(options: StagePlayerOptions) {
    this.#options = options
    this.#random = seededRandom(options.seed)
  }

  /** Whether nothing is being played, and nothing is due or waits for a retry. */
  get isIdle(): boolean {
    const { engine, clock } = this.#options
    return (
      this.#playing === 0 &&
      this.#choosing === 0 &&
      this.#retries.size === 0 &&
      !this.#isScheduled &&
      (engine.nextDue ?? Number.POSITIVE_INFINITY) > clock.now()
    )
  }

  /** Takes a new or changed object. A retry of an older state of it is dropped. */
  observe(object: StagedObject): void {
    if (this.#isClosed) return
    this.#dropRetry(object)
    this.#choose(object)
  }

  /** Takes a deleted object. */
  forget(object: TypedObject): void {
    this.#dropRetry(object)
    this.#change(forgetting(this.#options.engine, object))
  }

  /** Stops. Requests that have begun end by themselves, and their results are ignored. */
  close(): void {
    this.#isClosed = true
    this.#timer?.timer.close()
    for (const timer of this.#retries.values()) timer.close()
    this.#retries.clear()
  }

  #choose(object: StagedObject): void {
    this.#change(this.#options.engine.observe(object, this.#options.clock.now()))
  }

  /** Changes what the engine has, in the order of the calls. */
  #change(steps: Steps<void>): void {
    const result = this.#changes.run(steps)
    if (!(result instanceof Promise)) {
      this.#arrange()
      return
    }
    this.#choosing++
    void result.then(() => {
      this.#choosing--
      this.#arrange()
    })
  }

  /** Begins the stages that are due, or sets the timer to the next one. */
  #arrange(): void {
    const { engine, clock } = this.#options
    const { nextDue } = engine
    if (this.#isClosed || this.#isScheduled || this.#playing >= MOST_PLAYING) return
    if (nextDue !== undefined && nextDue <= clock.now()) {
      this.#isScheduled = true
      setImmediate(() => {
        this.#isScheduled = false
        this.#begin()
      })
      return
    }
    if (this.#timer?.due === nextDue) return
    this.#timer?.timer.close()
    this.#timer =
      nextDue === undefined
        ? undefined
        : { due: nextDue, timer: clock.after(Math.min(nextDue - clock.now(), LONGEST_TIMER_MS), () => this.#wake()) }
  }

  #wake(): void {
    this.#timer = undefined
    this.#arrange()
  }

  #begin(): void {
    if (this.#isClosed) return
    const { engine, clock } = this.#options
    for (let begun = 0; begun < BEGUN_PER_TURN && this.#playing < MOST_PLAYING; begun++) {
      // A template may take milliseconds.
      if (begun > 0 && turnIsSpent()) break
      const [due] = engine.takeDue(clock.now(), 1)
      if (due === undefined) break
      this.#play({ ...due, actions: undefined, done: 0, retries: 0 })
    }
    this.#arrange()
  }

  #rendered({ object, stage }: DueStage): StageAction[] | Promise<StageAction[]> {
    const isPodOrNode = object.apiVersion === 'v1' && (object.kind === 'Pod' || object.kind === 'Node')
    const defaultPatch = isPodOrNode ? 'application/strategic-merge-patch+json' : 'application/merge-patch+json'
    return startInTurns(stageActions(stage, object, { functions: this.#options.functionsFor(object), defaultPatch }))
  }

  #play(playing: Playing): void {
    this.#playing++
    void this.#steps(playing).then(next => {
      this.#playing--
      if (this.#isClosed) return
      if (next !== undefined) this.#choose(next)
      else this.#arrange()
    })
  }

  /**
   * Carries out the remaining actions. Returns the object from which the next stage is chosen at once, if the stage
   * asks for that.
   */
  async #steps(playing: Playing): Promise<StagedObject | undefined> {
    const { object, stage } = playing
    let result: StagedObject | undefined
    try {
      playing.actions ??= await this.#rendered(playing)
      const { actions } = playing
      for (; playing.done < actions.length && !this.#isClosed; playing.done++) {
        const action = actions[playing.done]
        if (action) result = await this.#act(object, action, result)
      }
      return stage.immediateNextStage ? result : undefined
    } catch (error) {
      this.#report(object, error)
      if (isRetried(error) && !this.#isClosed) this.#retry(playing)
      return undefined
    }
  }

  /** Carries out an action. Returns the object after it, or `before` if the action does not return it. */
  async #act(object: StagedObject, action: StageAction, before: StagedObject | undefined): Promise<StagedObject | undefined> {
    const { client } = this.#options
    switch (action.kind) {
      case 'event':
        await client.createEvent(object, action.event)
        return before
      case 'delete':
        await client.delete(object)
        return undefined
      case 'apply':
        await client.apply(object, action)
        return before
      case 'patch':
        return isContained(action.data, before ?? object) ? before : client.patch(object, action)
    }
  }

  /** Plays the rest of a stage later. The delay doubles with each retry. */
  #retry(playing: Playing): void {
    const delay = Math.min(FIRST_RETRY_MS * 2 ** playing.retries, LONGEST_RETRY_MS) * (1 + 0.2 * this.#random())
    const key = keyOfObject(playing.object)
    this.#retries.set(
      key,
      this.#options.clock.after(delay, () => {
        this.#retries.delete(key)
        playing.retries++
        this.#play(playing)
      }),
    )
  }

  #dropRetry(object: TypedObject): void {
    const key = keyOfObject(object)
    this.#retries.get(key)?.close()
    this.#retries.delete(key)
  }

  #report(object: StagedObject, error: unknown): void {
    if (!this.#isClosed) this.#options.onError(object, error instanceof Error ? error : new Error(String(error)))
  }
}

// biome-ignore lint/correctness/useYield: one step
function* forgetting(engine: StageEngine, object: TypedObject): Steps<void> {
  engine.forget(object)
}

/**
 * Status reasons of a server that is not available for the moment, and of a webhook that is not (InternalError), which
 * kwok does not retry: its pods would neither start nor end when the webhook responds again. Other errors are final, as
 * in kwok.
 */
const TEMPORARY: ReadonlySet<string> = new Set(['InternalError', 'ServerTimeout', 'Timeout', 'ServiceUnavailable', 'TooManyRequests'])

const isRetried = (error: unknown): boolean =>
  error instanceof StatusError
    ? TEMPORARY.has(error.status.reason ?? '')
    : error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED'

/**
 * Reports whether an object already has everything that a merge patch sets. Lists must be equal, so that it also holds
 * for strategic patches.
 */
function isContained(patch: Json, object: Json): boolean {
  if (!isJsonObject(patch)) return false
  return Object.entries(patch).every(([key, value]) => {
    const present: Json | undefined = isJsonObject(object) && Object.hasOwn(object, key) ? object[key] : undefined
    if (value === null) return present === undefined || present === null
    return isJsonObject(value) ? isJsonObject(present) && isContained(value, present) : deepEqual(value, present)
  })
}
