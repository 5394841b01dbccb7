import type { Version } from '../../catalog/definition.ts'
import { apiVersionOf, type GroupVersion, parseApiVersion } from '../../meta/gvk.ts'
import { isJsonObject, type JsonObject } from '../../meta/object.ts'
import { badRequestError, type StatusError } from '../../meta/status.ts'
import type { StructSchema } from '../../schema/schema.ts'

/** What a body is to become: a version of a resource, or the kind of a subresource. */
export interface BodyTarget {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly schema: StructSchema
  readonly setDefaults?: NonNullable<Version['setDefaults']>
  /** Other apiVersions in which a body may call itself this kind. */
  readonly alsoTakes?: readonly string[]
}

export const bodyTarget = (version: Version): BodyTarget => ({
  group: version.group,
  version: version.name,
  kind: version.kind,
  schema: version.schema,
  ...(version.setDefaults && { setDefaults: version.setDefaults }),
})

export const apiVersionOfTarget = ({ group, version }: BodyTarget): string => apiVersionOf({ group, version })

/** The type that a body claims, which is empty where it is silent. */
export interface Claim {
  readonly apiVersion: string
  readonly kind: string
}

/** 400 of a body of which not even the type can be read. */
export const unrecognized = (kind: string, why: string, body: Buffer): StatusError =>
  badRequestError(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summary(body)})`)

/** The beginning of a body: as it stands where it looks like JSON, in hexadecimal otherwise. */
function summary(body: Buffer): string {
  if (body.length === 0) return '<empty>'
  const cut = body.subarray(0, 30)
  return `${body[0] === 0x7b ? cut.toString() : cut.toString('hex')}${body.length > 30 ? ' ...' : ''}`
}

/** The group and version that a body claims. Throws 400. */
export function claimedVersion(target: BodyTarget, { apiVersion }: Claim, body: Buffer): GroupVersion {
  const claimed = parseApiVersion(apiVersion)
  if (!claimed) throw unrecognized(target.kind, `unexpected GroupVersion string: ${apiVersion}`, body)
  return claimed
}

/** 400 of a body whose type is known, and that can't be read as `kind`, which is the target's unless given. `implied`: the apiVersion of a body that names none. */
export function cannotHandle(target: BodyTarget, claim: Claim, why: string, kind = target.kind, implied = apiVersionOfTarget(target)): StatusError {
  const apiVersion = apiVersionOf(parseApiVersion(claim.apiVersion) ?? { group: '', version: '' }) || implied
  return badRequestError(`${claim.kind || target.kind} in version "${parseApiVersion(apiVersion)?.version ?? ''}" cannot be handled as a ${kind}: ${why}`)
}

/** Why a kind can't be given in another of its versions. */
export const versionFault = (target: BodyTarget, apiVersion: string): string =>
  `the API version in the data (${apiVersion}) does not match the expected API version (${apiVersionOfTarget(target)})`

/** An object as upstream's errors of an apply name it. */
export function nameOf({ metadata }: JsonObject): string {
  const { namespace = '', name = '' } = isJsonObject(metadata) ? metadata : {}
  return `${namespace}/${name}`
}
