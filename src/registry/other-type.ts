import { type CatalogSnapshot, listKindOf } from '../catalog/catalog.ts'
import type { Version } from '../catalog/definition.ts'
import { typeOfBody } from '../codec/body.ts'
import { lifecycleOf } from '../lifecycle/lifecycle.ts'
import { parseApiVersion } from '../meta/gvk.ts'
import { isJsonObject, type Json, type JsonObject } from '../meta/object.ts'
import { DecodeError } from '../schema/decode.ts'
import { decodeObject } from './decode-object.ts'

/** The type that a body claims to be of, empty where it is silent. */
export interface TypeClaim {
  readonly apiVersion: string
  readonly kind: string
}

/** The type that a patch has left in an object. Upstream has written the members in order, so that of several spellings these are read last. Throws a DecodeError. */
export function patchedClaim(patched: Json): TypeClaim {
  const claim = typeOfBody(isJsonObject(patched) ? lastInOrder(patched) : patched)
  if (!parseApiVersion(claim.apiVersion)) throw new DecodeError(`unexpected GroupVersion string: ${claim.apiVersion}`)
  return claim.apiVersion === '/' ? { ...claim, apiVersion: '' } : claim
}

function lastInOrder({ kind, apiVersion, ...rest }: JsonObject): JsonObject {
  return { ...rest, ...(kind !== undefined && { kind }), ...(apiVersion !== undefined && { apiVersion }) }
}

/** The built-in kinds of a group version. */
export type BuiltIns = (apiVersion: string) => readonly Version[]

/** The built-in kinds that are served in a group version. */
export const builtInsOf =
  (snapshot: CatalogSnapshot): BuiltIns =>
  apiVersion =>
    snapshot.resourcesOf(apiVersion).flatMap(({ version }) => (version.schema.form.name === 'typed' ? [version] : []))

/** The package of a group's internal types. Events by their newer name are those of the core group. */
export const goPackage = (group: string): string => (group === '' || group === 'events.k8s.io' ? 'core' : (group.split('.', 1)[0] ?? ''))

/** Upstream reads an object as what it says it is before it looks whether that is wanted. Throws a DecodeError. */
export function readAsClaimed(builtIns: BuiltIns, apiVersion: string, kind: string, value: Json): void {
  const claimed = builtIns(apiVersion).find(version => version.kind === kind)
  if (claimed) decodeObject(claimed, value)
}

/** Kinds that every group version has, and those of `v1` alone that are no resources. */
const META_KINDS = new Set(['WatchEvent', 'ListOptions', 'GetOptions', 'DeleteOptions', 'CreateOptions', 'UpdateOptions', 'PatchOptions'])
const CORE_META_KINDS = new Set(['List', 'Status', 'APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions'])

/** These two are served by servers of their own, which know no other groups. */
const SEPARATE_GROUPS = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io'])

/** Why an object that says it is of another type can't be read as one of this, in upstream's words. `apiVersion` is well formed. */
export interface TypeFault {
  /** It is a type that upstream knows, so that it is the conversion that fails. */
  readonly isKnown: boolean
  readonly text: string
}

export function otherTypeFault(builtIns: BuiltIns, target: { readonly group: string; readonly kind: string }, apiVersion: string, kind: string): TypeFault {
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: '' }
  const reachable = !SEPARATE_GROUPS.has(target.group) || group === target.group || (group === '' && CORE_META_KINDS.has(kind))
  if (!reachable || !isRegistered(builtIns, apiVersion, kind))
    return { isKnown: false, text: notRegistered({ apiVersion, kind }, 'pkg/api/legacyscheme/scheme.go:30') }
  return { isKnown: true, text: `converting (${version}.${kind}) to (${goPackage(target.group)}.${target.kind}): unknown conversion` }
}

/** Upstream names the line in which the scheme that was asked is made. */
export const notRegistered = ({ apiVersion, kind }: TypeClaim, scheme: string): string =>
  `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "${scheme}"`

/** Whether upstream's types have such a kind. What was served by some release is known by name, even if it can't be had; kinds that definitions have added are not. */
function isRegistered(builtIns: BuiltIns, apiVersion: string, kind: string): boolean {
  if (lifecycleOf(apiVersion, kind) !== undefined) return true
  const builtIn = builtIns(apiVersion)
  if (builtIn.some(version => version.kind === kind || listKindOf(version) === kind)) return true
  return (META_KINDS.has(kind) && builtIn.length > 0) || (apiVersion === 'v1' && CORE_META_KINDS.has(kind))
}
