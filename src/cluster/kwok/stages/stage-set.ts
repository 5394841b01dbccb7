import type { Json, JsonObject } from '../../../api/meta/object.ts'
import { KwokObjectError } from '../field-reader.ts'
import { decodeStage } from '../stage/decode.ts'
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

  /** Stores a new or changed Stage. Returns the kinds whose stages have changed. */
  put(name: string, object: Json): ReadonlySet<string> {
    const kinds = this.remove(name)
    try {
      const stage = decodeStage(object)
      const kind = stagedKind(stage)
      this.#own.set(name, stage)
      return new Set([...kinds, kind])
    } catch (error) {
      if (!(error instanceof KwokObjectError)) throw error
      this.#faults.set(name, error.message)
      return kinds
    }
  }

  /** Removes a Stage. Returns the kinds whose stages have changed. */
  remove(name: string): ReadonlySet<string> {
    const before = this.#own.get(name)
    this.#own.delete(name)
    this.#faults.delete(name)
    return new Set(before ? [stagedKind(before)] : [])
  }
}
