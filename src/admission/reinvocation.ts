import { clone, deepEqual } from '../meta/equal.ts'
import type { KubeObject } from '../meta/object.ts'

/** One time that a request goes through the plugins that mutate. */
export interface Round {
  /** Plugins have been asked before, and one has asked for another round. */
  readonly again: boolean
  /** Set by a plugin after whose change the others are to see the object again. */
  wanted: boolean
  /** What plugins that want rounds remember from one to the next, by their names; made by the first of them. */
  memory?: Map<string, Reinvocation> | undefined
}

/** Which webhooks or policies of a request are asked again, since something has changed the object after them. They are known by keys. */
export class Reinvocation {
  /** Asked already, and to be asked again after a change. */
  readonly #asked = new Set<string>()
  readonly #again = new Set<string>()
  #lastOutput: KubeObject | undefined

  isDue(key: string): boolean {
    return this.#again.has(key)
  }

  /** Records that it was asked. @param reinvocable it is to be asked again after a change. */
  asked(key: string, reinvocable: boolean): void {
    if (reinvocable) this.#asked.add(key)
  }

  changed(): void {
    for (const key of this.#asked) this.#again.add(key)
    this.#asked.clear()
  }

  /** A second round begins with this object: other plugins may have changed it. */
  begin(object: KubeObject | undefined): void {
    if (!deepEqual(this.#lastOutput, object)) this.changed()
  }

  /** Keeps what this round made of the object, if there are webhooks or policies that may be asked again. */
  end(object: KubeObject | undefined): void {
    if (this.#asked.size > 0) this.#lastOutput = object && clone(object)
  }
}

/** What a plugin remembers of one request from its first round to its second. */
export function reinvocationOf(round: Round, plugin: string): Reinvocation {
  round.memory ??= new Map()
  const known = round.memory.get(plugin)
  if (known) return known
  const made = new Reinvocation()
  round.memory.set(plugin, made)
  return made
}
