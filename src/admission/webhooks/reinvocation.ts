import { clone, deepEqual } from '../../meta/equal.ts'
import type { KubeObject } from '../../meta/object.ts'
import type { Webhook } from './webhook.ts'

/** Which webhooks of a request are asked again, since something has changed the object after them. */
export class Reinvocation {
  /** Asked already, and to be asked again after a change. */
  readonly #asked = new Set<string>()
  readonly #again = new Set<string>()
  #lastOutput: KubeObject | undefined

  isDue({ id }: Webhook): boolean {
    return this.#again.has(id)
  }

  asked({ id, reinvocable }: Webhook): void {
    if (reinvocable) this.#asked.add(id)
  }

  changed(): void {
    for (const id of this.#asked) this.#again.add(id)
    this.#asked.clear()
  }

  /** A second round begins with this object: other plugins may have changed it. */
  begin(object: KubeObject | undefined): void {
    if (!deepEqual(this.#lastOutput, object)) this.changed()
  }

  /** What this round made of the object is remembered where somebody may have to be asked again. */
  end(object: KubeObject | undefined): void {
    if (this.#asked.size > 0) this.#lastOutput = object && clone(object)
  }
}
