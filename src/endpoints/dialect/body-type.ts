import type { GroupVersion } from '../../api/meta/v1.types.ts'
import { apiVersionOf, parseApiVersion } from '../../meta/gvk.ts'
import { badRequestError, failure, type StatusError } from '../../meta/status.ts'
import { type Detail, textIn, withPrefix } from '../../meta/wording.ts'
import { apiVersionOfTarget, type BodyTarget } from '../../registry/change/body-target.ts'
import type { TypeClaim } from '../../registry/other-type.ts'

/** The first media type of a Content-Type header, without parameters. */
export const firstType = (contentType = ''): string => contentType.split(';', 1)[0] ?? ''

/** Returns the 406 of an object of a Go type that is requested as the metadata of a list. */
export const noListError = (goType: string): StatusError =>
  failure(406, 'NotAcceptable', `you requested PartialObjectMetadataList, but the requested object is not a list (*${goType})`)

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
export function claimedVersion(target: BodyTarget, { apiVersion }: TypeClaim, body: Buffer): GroupVersion {
  const claimed = parseApiVersion(apiVersion)
  if (!claimed) throw unrecognized(target.kind, `unexpected GroupVersion string: ${apiVersion}`, body)
  return claimed
}

/**
 * Returns the 400 of a body of known type that cannot be decoded as `kind`. `implied`: the apiVersion of a body without
 * one.
 */
export function cannotHandle(
  target: BodyTarget,
  claim: TypeClaim,
  why: Detail,
  kind = target.kind,
  implied = apiVersionOfTarget(target),
): StatusError {
  const apiVersion = apiVersionOf(parseApiVersion(claim.apiVersion) ?? { group: '', version: '' }) || implied
  const told = withPrefix(
    `${claim.kind || target.kind} in version "${parseApiVersion(apiVersion)?.version ?? ''}" cannot be handled as a ${kind}: `,
    why,
  )
  return badRequestError(`${told}`, wording => textIn(told, wording))
}
