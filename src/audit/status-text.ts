import type { StatusDetails } from '../api/meta/v1.types.ts'
import type { ResponseStatus } from '../meta/status.ts'
import { writeString } from '../schema/json-text.ts'

/** Joins the members of a struct, as Go writes it. */
export const struct = (...members: readonly (readonly string[])[]): string => `{${members.flat().join(',')}}`

/** Returns a string member. Omitted if it is empty. */
export const member = (name: string, text: string | undefined): string[] => (text ? [`"${name}":${writeString(text)}`] : [])

export const listMember = (name: string, texts: readonly string[]): string[] =>
  texts.length === 0 ? [] : [`"${name}":[${texts.map(writeString).join(',')}]`]

/** Returns the members of a Status without its type. `code`: code of the response, if it differs. */
export const statusMembers = (status: Partial<ResponseStatus>, code = status.code): string[] => [
  '"metadata":{}',
  ...member('status', status.status),
  ...member('message', status.message),
  ...member('reason', status.reason),
  ...detailsMember(status.details),
  ...(code ? [`"code":${code}`] : []),
]

/** Returns a Status as the object of a response. */
export const statusObject = (status: ResponseStatus): Buffer =>
  Buffer.from(struct(['"kind":"Status"', '"apiVersion":"v1"'], statusMembers(status)))

/** Members in the order of metav1.StatusDetails. Zero values are omitted. */
function detailsMember(details: StatusDetails | undefined): string[] {
  if (details === undefined) return []
  const { causes = [], retryAfterSeconds } = details
  const causeTexts = causes.map(({ reason, message, field }) =>
    struct(member('reason', reason), member('message', message), member('field', field)),
  )
  const text = struct(
    member('name', details.name),
    member('group', details.group),
    member('kind', details.kind),
    member('uid', details.uid),
    causes.length === 0 ? [] : [`"causes":[${causeTexts.join(',')}]`],
    retryAfterSeconds ? [`"retryAfterSeconds":${retryAfterSeconds}`] : [],
  )
  return [`"details":${text}`]
}
