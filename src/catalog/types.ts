import { declarationsOf, PACKAGE_IDS } from '../api/packages.ts'
import { invariant } from '../lib/invariant.ts'
import { DEFAULT_RELEASE, minorOf, type Release } from '../lifecycle/release.ts'
import { TypeRegistry } from '../schema/idl.ts'

const registries = new Map<Release, TypeRegistry>()

/** Returns the declared types of a release, by `package.Type`. A file is read when one of its types is first used. */
export function typesOf(release: Release): TypeRegistry {
  const known = registries.get(release)
  if (known) return known
  const registry = new TypeRegistry(minorOf(release))
  for (const id of PACKAGE_IDS) registry.addFile(id, declarationsOf(id))
  registries.set(release, registry)
  return registry
}

/**
 * Returns the values of an enum in a release, in the declared order. @param id the declared type,
 * `resource.DeviceTaintEffect`
 */
export const enumValuesIn = (release: Release, id: string): readonly string[] => typesOf(release).enumValues(id)

/**
 * Returns the values of an enum, as messages list them: `first`, then the others in the declared order, which is
 * upstream's in most messages.
 * @param id the declared type, `core.Protocol`. If releases have different values, those of the default release are
 * returned.
 */
export function enumValues(id: string, ...first: readonly string[]): readonly string[] {
  const values = enumValuesIn(DEFAULT_RELEASE, id)
  for (const value of first) invariant(values.includes(value), `enum ${id} has no value ${value}`)
  return first.length === 0 ? values : [...first, ...values.filter(value => !first.includes(value))]
}

/**
 * Types of the default release, which definitions of kinds refer to. `builtinResources` replaces them with those of the
 * emulated release.
 */
export const types = typesOf(DEFAULT_RELEASE)
