import type { Version } from '../../catalog/definition.ts'
import { apiVersionOf, type GroupVersion, parseApiVersion } from '../../meta/gvk.ts'
import { isJsonObject, type JsonObject } from '../../meta/object.ts'
import { badRequestError, type StatusError } from '../../meta/status.ts'
import type { StructSchema } from '../../schema/schema.ts'

/** Type of a body: a version of a resource, or the kind of a subresource. */
export interface BodyTarget {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly schema: StructSchema
  readonly setDefaults?: NonNullable<Version['setDefaults']>
  /** Further apiVersions of the kind that a body may have. */
  readonly alsoTakes?: readonly string[]
}

/** Returns the body type of a version. */
export const bodyTarget = (version: Version): BodyTarget => ({
  group: version.group,
  version: version.name,
  kind: version.kind,
  schema: version.schema,
  ...(version.setDefaults && { setDefaults: version.setDefaults }),
})

export const apiVersionOfTarget = ({ group, version }: BodyTarget): string => apiVersionOf({ group, version })

/** Type that a body claims. Empty strings if it has none. */
export interface Claim {
  readonly apiVersion: string
  readonly kind: string
}

/** Returns the 400 of a body whose type cannot be read. */
export const unrecognized = (kind: string, why: string, body: Buffer): StatusError =>
  badRequestError(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summary(body)})`)

/** Returns the beginning of a body: verbatim if it looks like JSON, in hexadecimal otherwise. */
function summary(body: Buffer): string {
  if (body.length === 0) return '<empty>'
  const cut = body.subarray(0, 30)
  return `${body[0] === 0x7b ? cut.toString() : cut.toString('hex')}${body.length > 30 ? ' ...' : ''}`
}

/** Returns the group and version that a body claims. Throws 400. */
export function claimedVersion(target: BodyTarget, { apiVersion }: Claim, body: Buffer): GroupVersion {
  const claimed = parseApiVersion(apiVersion)
  if (!claimed) throw unrecognized(target.kind, `unexpected GroupVersion string: ${apiVersion}`, body)
  return claimed
}

/** Returns the 400 of a body of known type that cannot be decoded as `kind`. `implied`: the apiVersion of a body without one. */
export function cannotHandle(target: BodyTarget, claim: Claim, why: string, kind = target.kind, implied = apiVersionOfTarget(target)): StatusError {
  const apiVersion = apiVersionOf(parseApiVersion(claim.apiVersion) ?? { group: '', version: '' }) || implied
  return badRequestError(`${claim.kind || target.kind} in version "${parseApiVersion(apiVersion)?.version ?? ''}" cannot be handled as a ${kind}: ${why}`)
}

/** Returns the message for a body in another version of the kind. */
export const versionFault = (target: BodyTarget, apiVersion: string): string =>
  `the API version in the data (${apiVersion}) does not match the expected API version (${apiVersionOfTarget(target)})`

/** Returns the namespaced name of an object, for upstream's errors of an apply. */
export function nameOf({ metadata }: JsonObject): string {
  const { namespace = '', name = '' } = isJsonObject(metadata) ? metadata : {}
  return `${namespace}/${name}`
}
