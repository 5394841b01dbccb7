import type { ResourceDefinition, Version } from '../catalog/definition.ts'

/** One value for each version of each definition. It is made on first use and collected with the definition. */
export class PerVersion<T> {
  readonly #made = new WeakMap<ResourceDefinition, Map<Version, T>>()

  /** Returns the value of a version. `make` is called if there is none. */
  of(definition: ResourceDefinition, version: Version, make: () => T): T {
    let known = this.#made.get(definition)
    if (known === undefined) {
      known = new Map()
      this.#made.set(definition, known)
    }
    let value = known.get(version)
    if (value === undefined) {
      value = make()
      known.set(version, value)
    }
    return value
  }
}
