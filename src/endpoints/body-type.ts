import { type CatalogSnapshot, listKindOf } from '../catalog/catalog.ts'
import { typeOfBody } from '../codec/body.ts'
import { lifecycleOf } from '../lifecycle/lifecycle.ts'
import { invalid } from '../meta/field-error.ts'
import { fieldPath } from '../meta/field-path.ts'
import { apiVersionOf, parseApiVersion } from '../meta/gvk.ts'
import type { Json, KubeObject } from '../meta/object.ts'
import { internalServerError, invalidError } from '../meta/status.ts'
import { decodeObject } from '../registry/decode-object.ts'
import { DecodeError } from '../schema/decode.ts'
import type { StructSchema } from '../schema/schema.ts'

/** What an object is to be. */
export interface ExpectedType {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly schema: StructSchema
}

export const apiVersionOfTarget = ({ group, version }: ExpectedType): string => apiVersionOf({ group, version })

/** Why a kind can't be given in another of its versions. */
export const versionFault = (target: ExpectedType, apiVersion: string): string =>
  `the API version in the data (${apiVersion}) does not match the expected API version (${apiVersionOfTarget(target)})`

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

export function otherTypeFault(snapshot: CatalogSnapshot, target: ExpectedType, apiVersion: string, kind: string): TypeFault {
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: '' }
  const reachable = !SEPARATE_GROUPS.has(target.group) || group === target.group || (group === '' && CORE_META_KINDS.has(kind))
  if (!reachable || !isRegistered(snapshot, apiVersion, kind))
    return { isKnown: false, text: notRegistered(apiVersion, kind, 'pkg/api/legacyscheme/scheme.go:30') }
  const home = target.group === '' ? 'core' : target.group.split('.')[0]
  return { isKnown: true, text: `converting (${version}.${kind}) to (${home}.${target.kind}): unknown conversion` }
}

const notRegistered = (apiVersion: string, kind: string, scheme: string): string =>
  `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "${scheme}"`

/** Whether upstream's types have such a kind. What was served by some release is known by name, even if it can't be had; kinds that definitions have added are not. */
function isRegistered(snapshot: CatalogSnapshot, apiVersion: string, kind: string): boolean {
  if (lifecycleOf(apiVersion, kind) !== undefined) return true
  const builtIn = snapshot.resourcesOf(apiVersion).filter(({ version }) => version.schema.freeForm === undefined)
  if (builtIn.some(({ version }) => version.kind === kind || listKindOf(version) === kind)) return true
  return (META_KINDS.has(kind) && builtIn.length > 0) || (apiVersion === 'v1' && CORE_META_KINDS.has(kind))
}

/** An object of a custom kind may have been read as one of another: throws 422 then, under the name of that kind. */
export function checkCustomType(target: ExpectedType, { kind, apiVersion, metadata }: KubeObject): void {
  const expected = apiVersionOfTarget(target)
  const errors = [
    ...(kind === target.kind ? [] : [invalid(fieldPath('kind'), kind, `must be ${target.kind}`)]),
    ...(apiVersion === expected ? [] : [invalid(fieldPath('apiVersion'), apiVersion, `must be ${expected}`)]),
  ]
  if (errors.length > 0) throw invalidError({ group: parseApiVersion(apiVersion)?.group ?? '', kind }, metadata.name ?? '', errors)
}

/**
 * Checks the type that a JSON or merge patch has left in an object, as upstream's decoder does. A built-in kind takes what says nothing as its own. Throws a DecodeError, and 500 where a custom
 * object has no apiVersion. `shown`: the object's JSON. `isView`: of a custom object,
 * whose views upstream reads by types that have nothing else.
 */
export function checkPatchedType(snapshot: CatalogSnapshot, target: ExpectedType, patched: Json, shown: () => string, isView: boolean): void {
  const custom = target.schema.freeForm !== undefined
  const claimed = typeOfBody(lastInOrder(patched))
  if (!parseApiVersion(claimed.apiVersion)) throw new DecodeError(`unexpected GroupVersion string: ${claimed.apiVersion}`)
  if (custom) {
    if (claimed.kind === '') throw new DecodeError(`Object 'Kind' is missing in '${shown()}'`)
    if (claimed.apiVersion === '') throw internalServerError("Object 'apiVersion' is missing in 'object has no apiVersion field'")
    return
  }
  const apiVersion = claimed.apiVersion || apiVersionOfTarget(target)
  const kind = claimed.kind || target.kind
  if (kind === target.kind && apiVersion === apiVersionOfTarget(target)) return
  if (isView) throw new DecodeError(notRegistered(apiVersion, kind, 'pkg/runtime/scheme.go:110'))
  const other = snapshot.resourcesOf(apiVersion).find(({ version }) => version.kind === kind && version.schema.freeForm === undefined)
  // Upstream reads it as what it says it is first.
  if (other) decodeObject(other.version, patched)
  const fault = otherTypeFault(snapshot, target, apiVersion, kind)
  throw new DecodeError(kind === target.kind && fault.isKnown ? versionFault(target, apiVersion) : fault.text)
}

/** Upstream has written the members in order, so that of several spellings these are read last. */
function lastInOrder(patched: Json): Json {
  if (typeof patched !== 'object' || patched === null || Array.isArray(patched)) return patched
  const { kind, apiVersion, ...rest } = patched
  return { ...rest, ...(kind !== undefined && { kind }), ...(apiVersion !== undefined && { apiVersion }) }
}
