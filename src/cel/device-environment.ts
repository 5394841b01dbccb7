import { between } from './cost/bounds.ts'
import type { SizeAt } from './cost/estimated-node.ts'
import { type Environment, extend, structWith, withLibrary } from './environment.ts'
import { SEMVER_OF_STRINGS } from './libraries/semver.ts'
import { BINDING_MACROS } from './macros.ts'
import { structOf } from './type.ts'

/** Since which release semantic versions are part of the base environment. */
const SEMVER_IN_BASE = 33

const DEVICE = 'kubernetes.DRADevice'
/** A device as selectors see it. Source: the documentation of resource.k8s.io DeviceSelector. */
const device = structWith({
  driver: 'string',
  attributes: 'map(string, map(string, any))',
  capacity: 'map(string, map(string, kubernetes.Quantity))',
})

/**
 * What the selector of a device may refer to: `device`, and `cel.bind` to name a part of it.
 * Source: k8s.io/dynamic-resource-allocation, cel/compile.go.
 * @param minor of the release whose environment `base` is.
 */
export function deviceEnvironment(base: Environment, minor: number): Environment {
  const library = withLibrary(base, minor < SEMVER_IN_BASE ? SEMVER_OF_STRINGS : [], BINDING_MACROS)
  return extend(library, { device: structOf(DEVICE) }, name => (name === DEVICE ? device : undefined))
}

/** A declared type and how large its values may be: characters of a string, entries of a map. */
interface Sized {
  readonly max: number
  readonly keys?: Sized
  readonly values?: Sized
  readonly fields?: Readonly<Record<string, Sized>>
}

/** Attributes and capacities of a device, together. Source: resource.k8s.io/v1beta1, ResourceSliceMaxAttributesAndCapacitiesPerDevice. */
const MAX_ENTRIES = 32
/** A string or a version; others are shorter. */
const ATTRIBUTE: Sized = { max: 64 }
const QUANTITY: Sized = { max: 0 }
const DOMAIN: Sized = { max: 63 }
const IDENTIFIER: Sized = { max: 32 }
const mapOf = (keys: Sized, values: Sized): Sized => ({ max: MAX_ENTRIES, keys, values })

const SIZES: Sized = {
  max: 0,
  fields: {
    driver: { max: 63 },
    attributes: mapOf(DOMAIN, mapOf(IDENTIFIER, ATTRIBUTE)),
    capacity: mapOf(DOMAIN, mapOf(IDENTIFIER, QUANTITY)),
  },
}

/** How large the parts of a device may be. Undefined: nothing is known of the path. */
export const deviceSizes: SizeAt = path => {
  let at: Sized | undefined = path[0] === 'device' ? SIZES : undefined
  for (const name of path.slice(1)) at = at && partOf(at, name)
  return at && between(0, at.max)
}

/** Attributes may be selected by their name, and are all of one size. */
function partOf(sized: Sized, name: string): Sized | undefined {
  if (name === '@items' || name === '@values') return sized.values
  if (name === '@keys') return sized.keys
  return sized.fields?.[name] ?? (sized.values === ATTRIBUTE ? ATTRIBUTE : undefined)
}
