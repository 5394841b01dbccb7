import { isJsonObject, type Json, type JsonObject } from '../api/meta/object.ts'
import { type CatalogSnapshot, listKindOf } from '../catalog/catalog.ts'
import type { Version } from '../catalog/definition.ts'
import { typeOfBody } from '../codec/body.ts'
import { lifecycleOf } from '../lifecycle/lifecycle.ts'
import { apiVersionOf, parseApiVersion } from '../meta/gvk.ts'
import { DecodeError } from '../schema/decode.ts'
import { decodeObject } from './decode-object.ts'

/** The type that a body declares. Members are empty if the body omits them. */
export interface TypeClaim {
  readonly apiVersion: string
  readonly kind: string
}

/**
 * Returns the type of a patched object. Upstream serializes it with sorted members, so `kind` is decoded after other
 * spellings such as `Kind` and wins. Throws a DecodeError if the apiVersion is malformed.
 */
export function patchedClaim(patched: Json): TypeClaim {
  const claim = typeOfBody(isJsonObject(patched) ? lastInOrder(patched) : patched)
  if (!parseApiVersion(claim.apiVersion)) throw new DecodeError(`unexpected GroupVersion string: ${claim.apiVersion}`)
  return claim.apiVersion === '/' ? { ...claim, apiVersion: '' } : claim
}

function lastInOrder({ kind, apiVersion, ...rest }: JsonObject): JsonObject {
  return { ...rest, ...(kind !== undefined && { kind }), ...(apiVersion !== undefined && { apiVersion }) }
}

/** Returns the built-in kinds of an apiVersion. */
export type BuiltIns = (apiVersion: string) => readonly Version[]

/** The built-in kinds that a catalog serves. */
export const builtInsOf =
  (snapshot: CatalogSnapshot): BuiltIns =>
  apiVersion =>
    snapshot.resourcesOf(apiVersion).flatMap(({ version }) => (version.schema.form.name === 'typed' ? [version] : []))

/** The Go package of a group's internal types. Those of `events.k8s.io` are in core. */
export const goPackage = (group: string): string => (group === '' || group === 'events.k8s.io' ? 'core' : (group.split('.', 1)[0] ?? ''))

/**
 * Decodes an object as the built-in type that it declares, only for its errors: upstream does so before it compares the
 * type with the expected one. Throws a DecodeError.
 */
export function readAsClaimed(builtIns: BuiltIns, apiVersion: string, kind: string, value: Json): void {
  const claimed = builtIns(apiVersion).find(version => version.kind === kind)
  if (claimed) decodeObject(claimed, value)
}

/** Kinds that are registered in every group version. */
const META_KINDS = new Set(['WatchEvent', 'ListOptions', 'GetOptions', 'DeleteOptions', 'CreateOptions', 'UpdateOptions', 'PatchOptions'])
/** Kinds without a version, which are found under any apiVersion. Their Go types are those of `v1`. */
const UNVERSIONED_KINDS = new Set(['Status', 'APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions'])

/** Groups whose servers have their own scheme, which has no other groups. */
const SEPARATE_GROUPS = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io'])

/** Why an object of another type was rejected. */
export interface TypeFault {
  /** Whether upstream's scheme has the declared type: then the conversion fails, not the lookup of the type. */
  readonly isKnown: boolean
  /** Upstream's message. */
  readonly text: string
}

/**
 * Returns why an object that declares another type cannot be read as one of the target's. `apiVersion` must be well
 * formed.
 */
export function otherTypeFault(
  builtIns: BuiltIns,
  target: { readonly group: string; readonly kind: string },
  apiVersion: string,
  kind: string,
): TypeFault {
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: '' }
  const isUnversioned = UNVERSIONED_KINDS.has(kind)
  const reachable = !SEPARATE_GROUPS.has(target.group) || group === target.group || isUnversioned || (group === '' && kind === 'List')
  if (!reachable || !isRegistered(builtIns, apiVersion, kind))
    return { isKnown: false, text: notRegistered({ apiVersion, kind }, 'pkg/api/legacyscheme/scheme.go:30') }
  return {
    isKnown: true,
    text: `converting (${isUnversioned ? 'v1' : version}.${kind}) to (${goPackage(target.group)}.${target.kind}): unknown conversion`,
  }
}

/** Returns why an object of another kind without an apiVersion cannot be read as one of the target's. */
export function internalTypeFault(
  builtIns: BuiltIns,
  target: { readonly group: string; readonly version: string; readonly kind: string },
  kind: string,
): TypeFault {
  const to = goPackage(target.group)
  if (UNVERSIONED_KINDS.has(kind)) return { isKnown: true, text: `converting (v1.${kind}) to (${to}.${target.kind}): unknown conversion` }
  if (isRegistered(builtIns, apiVersionOf(target), kind))
    return { isKnown: true, text: `converting (${to}.${kind}) to (${to}.${target.kind}): unknown conversion` }
  const where = `the internal version of group ${JSON.stringify(target.group)}`
  return {
    isKnown: false,
    text: `no kind ${JSON.stringify(kind)} is registered for ${where} in scheme "pkg/api/legacyscheme/scheme.go:30"`,
  }
}

/**
 * Upstream's message for an unknown type. `scheme` is the source line that creates the scheme, which is how upstream
 * names it.
 */
export const notRegistered = ({ apiVersion, kind }: TypeClaim, scheme: string): string =>
  `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "${scheme}"`

/**
 * Whether upstream's scheme has a kind. It has every kind that any release served, even if this server does not serve
 * it, and no custom kinds.
 */
function isRegistered(builtIns: BuiltIns, apiVersion: string, kind: string): boolean {
  if (lifecycleOf(apiVersion, kind) !== undefined || UNVERSIONED_KINDS.has(kind)) return true
  const builtIn = builtIns(apiVersion)
  if (builtIn.some(version => version.kind === kind || listKindOf(version) === kind)) return true
  return (META_KINDS.has(kind) && builtIn.length > 0) || (apiVersion === 'v1' && kind === 'List')
}
