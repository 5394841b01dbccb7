import type { ResourceDefinition, Version } from '../catalog/definition.ts'

/** Something of each version of each definition, made when first asked for and gone with the definition. */
export class PerVersion<T> {
  private readonly made = new WeakMap<ResourceDefinition, Map<Version, T>>()

  of(definition: ResourceDefinition, version: Version, make: () => T): T {
    let known = this.made.get(definition)
    if (known === undefined) {
      known = new Map()
      this.made.set(definition, known)
    }
    let value = known.get(version)
    if (value === undefined) {
      value = make()
      known.set(version, value)
    }
    return value
  }
}
