import { between } from './cost/bounds.ts'
import type { SizeAt } from './cost/estimated-node.ts'
import { type Environment, extend, structWith, withLibrary } from './environment.ts'
import { SEMVER_OF_STRINGS } from './libraries/semver.ts'
import { BINDING_MACROS } from './macros.ts'
import { structOf } from './type.ts'

/** First minor version whose base environment has semantic versions. */
const SEMVER_IN_BASE = 33

/** Name of the type of `device`. */
const DEVICE = 'kubernetes.DRADevice'
const FIELDS = {
  driver: 'string',
  attributes: 'map(string, map(string, any))',
  capacity: 'map(string, map(string, kubernetes.Quantity))',
}
/** A device, as selectors see it. Source: the documentation of resource.k8s.io DeviceSelector. */
const device = structWith(FIELDS)
/** A device that several claims may share. */
const shareableDevice = structWith({ ...FIELDS, allowMultipleAllocations: 'bool' })

/**
 * First minor version whose default is that devices may be shared. Expressions that the version before must compile may
 * use it one version later.
 */
const SHARING_BY_DEFAULT = 35

/**
 * Environment of device selectors: the variable `device` and the macro `cel.bind`.
 * Source: k8s.io/dynamic-resource-allocation, cel/compile.go.
 * @param minor minor version of the release that `base` belongs to.
 * @param isSharing whether devices have the member `allowMultipleAllocations`. Gate DRAConsumableCapacity.
 */
export function deviceEnvironment(base: Environment, minor: number, isSharing = minor >= SHARING_BY_DEFAULT): Environment {
  const library = withLibrary(base, minor < SEMVER_IN_BASE ? SEMVER_OF_STRINGS : [], BINDING_MACROS)
  return extend(library, { device: structOf(DEVICE) }, name => (name === DEVICE ? (isSharing ? shareableDevice : device) : undefined))
}

/** Maximum size of a value: characters of a string, entries of a map. */
interface Sized {
  /** Characters of a string, or entries of a map. */
  readonly max: number
  /** Sizes of the keys of a map. */
  readonly keys?: Sized
  /** Sizes of the values of a map. */
  readonly values?: Sized
  /** Sizes of the fields of a struct. */
  readonly fields?: Readonly<Record<string, Sized>>
}

/**
 * Maximum number of attributes and capacities of a device together. Source: resource.k8s.io/v1beta1,
 * ResourceSliceMaxAttributesAndCapacitiesPerDevice.
 */
const MAX_ENTRIES = 32
/** Attribute values: strings and versions of up to 64 characters. Other types are smaller. */
const ATTRIBUTE: Sized = { max: 64 }
const QUANTITY: Sized = { max: 0 }
/** Characters of the domain in a qualified name (DeviceMaxDomainLength). */
const DOMAIN: Sized = { max: 63 }
/** Characters of the identifier in a qualified name (DeviceMaxIDLength). */
const IDENTIFIER: Sized = { max: 32 }
const mapOf = (keys: Sized, values: Sized): Sized => ({ max: MAX_ENTRIES, keys, values })

/** Sizes of the parts of `device`. */
const SIZES: Sized = {
  max: 0,
  fields: {
    driver: { max: 63 },
    attributes: mapOf(DOMAIN, mapOf(IDENTIFIER, ATTRIBUTE)),
    capacity: mapOf(DOMAIN, mapOf(IDENTIFIER, QUANTITY)),
  },
}

/** Returns the maximum size of a part of `device`, for the cost estimate. Undefined if the path is unknown. */
export const deviceSizes: SizeAt = path => {
  let at: Sized | undefined = path[0] === 'device' ? SIZES : undefined
  for (const name of path.slice(1)) at = at && sizedPart(at, name)
  return at && between(0, at.max)
}

/** Returns the size at the next path element. Attributes can be selected by name, and all have the same size. */
function sizedPart(sized: Sized, name: string): Sized | undefined {
  if (name === '@items' || name === '@values') return sized.values
  if (name === '@keys') return sized.keys
  return sized.fields?.[name] ?? (sized.values === ATTRIBUTE ? ATTRIBUTE : undefined)
}
