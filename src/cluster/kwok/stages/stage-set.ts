import type { Json, JsonObject } from '../../../api/meta/object.ts'
import type { Steps } from '../../../lib/steps.ts'
import { KwokObjectError } from '../field-reader.ts'
import { decodeStage, decodeStageInSteps } from '../stage/decode.ts'
import type { Stage } from '../stage/stage.ts'

/** Returns the kind to whose objects a stage applies: `v1/Pod`. */
export const stagedKind = ({ apiVersion, kind }: Pick<Stage, 'apiVersion' | 'kind'>): string => `${apiVersion}/${kind}`

/**
 * The built-in stages and those of users. The stages of users for a kind replace the built-in ones of that kind, as
 * those of kwok's command replace its defaults.
 */
export class StageSet {
  readonly #builtIn: readonly Stage[]
  /** Stages of users, by the name of the object. */
  readonly #own = new Map<string, Stage>()
  /** Reasons why Stages take no effect, by their names. */
  readonly #faults = new Map<string, string>()

  constructor(builtIn: readonly JsonObject[]) {
    this.#builtIn = builtIn.map(decodeStage)
  }

  /** Reports whether any stage for a kind takes effect. */
  has(kind: string): boolean {
    for (const stage of this.#own.values()) if (stagedKind(stage) === kind) return true
    return this.#builtIn.some(stage => stagedKind(stage) === kind)
  }

  /**
   * Stages that take effect. Those of users are sorted by name, so that draws among them do not depend on the order of
   * watch events.
   */
  get stages(): Stage[] {
    const own = [...this.#own.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
    const replaced = new Set(own.map(stagedKind))
    return [...this.#builtIn.filter(stage => !replaced.has(stagedKind(stage))), ...own]
  }

  /** Kinds for which users have stages. */
  get ownKinds(): ReadonlySet<string> {
    return new Set([...this.#own.values()].map(stagedKind))
  }

  /** Returns the kind of a valid Stage of a user. */
  kindOf(name: string): string | undefined {
    const stage = this.#own.get(name)
    return stage && stagedKind(stage)
  }

  /** Returns the reason why a Stage takes no effect. Undefined if it does. */
  fault(name: string): string | undefined {
    return this.#faults.get(name)
  }

  /**
   * Stores a new or changed Stage, which is decoded in steps. Until the last one, the earlier Stage of the name takes
   * effect. Returns the kinds whose stages have changed.
   */
  *put(name: string, object: Json): Steps<ReadonlySet<string>> {
    const decoded = yield* decodedOrFault(object)
    const kinds = this.remove(name)
    if (decoded instanceof KwokObjectError) {
      this.#faults.set(name, decoded.message)
      return kinds
    }
    this.#own.set(name, decoded)
    return new Set([...kinds, stagedKind(decoded)])
  }

  /** Removes a Stage. Returns the kinds whose stages have changed. */
  remove(name: string): ReadonlySet<string> {
    const before = this.#own.get(name)
    this.#own.delete(name)
    this.#faults.delete(name)
    return new Set(before ? [stagedKind(before)] : [])
  }
}

function* decodedOrFault(object: Json): Steps<Stage | KwokObjectError> {
  try {
    return yield* decodeStageInSteps(object)
  } catch (error) {
    if (error instanceof KwokObjectError) return error
    throw error
  }
}
