import type { KubeObject } from '../api/meta/object.ts'
import { clone, deepEqual } from '../meta/equal.ts'

/** One pass of a request through the mutating plugins. */
export interface Round {
  /** Whether this is the second pass, which a plugin requested in the first. */
  readonly again: boolean
  /** Set by a plugin to request a second pass after it changed the object. */
  wanted: boolean
  /** State that plugins carry from the first pass to the second, by plugin name. Created on first use. */
  memory?: Map<string, Reinvocation> | undefined
}

/** Selects the webhooks or policies that run again because the object changed after they ran. Keys identify them. */
export class Reinvocation {
  /** Keys that have run and have reinvocationPolicy IfNeeded. */
  readonly #asked = new Set<string>()
  /** Keys of `#asked` whose object has changed since they ran. */
  readonly #again = new Set<string>()
  #lastOutput: KubeObject | undefined

  isDue(key: string): boolean {
    return this.#again.has(key)
  }

  /** Records that a webhook or policy ran. @param reinvocable whether its reinvocationPolicy is IfNeeded. */
  asked(key: string, reinvocable: boolean): void {
    if (reinvocable) this.#asked.add(key)
  }

  changed(): void {
    for (const key of this.#asked) this.#again.add(key)
    this.#asked.clear()
  }

  /**
   * Starts the second pass. Compares the object with the result of the first pass, because other plugins may have
   * changed it.
   */
  begin(object: KubeObject | undefined): void {
    if (!deepEqual(this.#lastOutput, object)) this.changed()
  }

  /** Ends a pass. Keeps a copy of the object if a webhook or policy may run again. */
  end(object: KubeObject | undefined): void {
    if (this.#asked.size > 0) this.#lastOutput = object && clone(object)
  }
}

/** Returns the state that a plugin keeps between the passes of one request. */
export function reinvocationOf(round: Round, plugin: string): Reinvocation {
  round.memory ??= new Map()
  const known = round.memory.get(plugin)
  if (known) return known
  const made = new Reinvocation()
  round.memory.set(plugin, made)
  return made
}
