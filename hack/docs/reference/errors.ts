import type { FieldErrorReason } from '../../../src/meta/field-error-type.ts'
import { type StatusCall, statusCalls } from './status-calls.ts'
import { code, plain, table } from './tables.ts'

/** By code and reason: what has happened, and what a client does about it. */
const MEANINGS: Readonly<Record<string, string>> = {
  '400 BadRequest':
    'The request itself is wrong: its body cannot be read, a parameter has no such value, or name and namespace of the body are not those of the URL. Do not retry.',
  '401 Unauthorized':
    'The credentials are unknown, expired or not valid for this server. A token that is refused is never treated as anonymous.',
  '403 Forbidden': 'The user lacks a right, or an admission plugin, policy, webhook or quota rejects the request. The message names it.',
  '404 NotFound':
    'The object, its namespace or the path does not exist. A kind that was just defined is served a moment after its definition is established.',
  '405 MethodNotAllowed': 'The resource exists and does not have this verb.',
  '406 NotAcceptable': 'The server cannot respond in any media type of `Accept`. The message lists those that it has.',
  '409 AlreadyExists': 'An object of that name exists, or is still being deleted. With `generateName`, retry.',
  '409 Conflict':
    'The object has changed since it was read, a precondition does not hold, or another manager owns a field that is applied. Read it again and retry, or apply with `force`.',
  '410 Expired':
    'The resource version or continue token is older than the available history. List again and watch from there, as informers do.',
  '413 RequestEntityTooLarge': 'The body is larger than 3 MiB, holds too many values, or the object is too large for the store.',
  '415 UnsupportedMediaType': 'The media type of the body is not one that this request takes. The message lists those that are.',
  '422 Invalid': 'Validation refuses the object. `details.causes` lists each field with its reason; see below.',
  '429 TooManyRequests':
    'The server, a level of priority and fairness, or a disruption budget has no room now. Retry after `Retry-After` seconds; client-go does.',
  '500 ': 'An error to which kube-apiserver gives no reason either.',
  '500 InternalError':
    'Something that the request depends on has failed: a webhook, an allocator, conversion. An error that the code did not expect is logged with the audit ID of the request.',
  '500 StorageReadError': 'Stored objects cannot be read: they are corrupt, or encrypted with a key that the server does not have.',
  '503 ServiceUnavailable':
    'The store, an aggregated server or the backend of a proxy cannot be reached, or the server is shutting down. Retry.',
  '504 ServerTimeout': 'The store did not respond in time. The write may have happened. Retry after `Retry-After` seconds.',
  '504 Timeout': 'The request exceeded its timeout, or the requested resource version does not exist yet.',
}

/** The compiler sees to it that none is missing. */
const CAUSES: Readonly<Record<FieldErrorReason, readonly [begins: string, meaning: string]>> = {
  FieldValueRequired: ['Required value', 'the field must be given'],
  FieldValueInvalid: ['Invalid value', 'the value breaks a rule of its format or range, or cannot be changed'],
  FieldValueDuplicate: ['Duplicate value', 'a list holds the same key twice'],
  FieldValueForbidden: ['Forbidden', 'the field may not be set here'],
  FieldValueNotFound: ['Not found', 'the value names something that does not exist'],
  FieldValueNotSupported: ['Unsupported value', 'the value is not one of those listed'],
  FieldValueTooFew: ['Too few', 'the list or map has too few elements'],
  FieldValueTooLong: ['Too long', 'the text has too many characters or bytes'],
  FieldValueTooMany: ['Too many', 'the list has too many elements'],
  FieldValueTooShort: ['Too short', 'the text has too few characters'],
  FieldValueTypeInvalid: ['Invalid value', 'the value is of another type'],
  InternalError: ['Internal error', 'a rule could not be evaluated'],
}

/**
 * `docs/reference/errors.md`: failures by code and reason, with their words and the places in src that make them.
 * Throws where a reason has no explanation.
 */
export function errorsPage(calls: readonly StatusCall[] = statusCalls()): string {
  const kinds = new Map<string, StatusCall[]>()
  for (const call of calls) kinds.set(keyOf(call), [...(kinds.get(keyOf(call)) ?? []), call])
  const keys = [...kinds.keys()].sort()
  const unexplained = [...keys.filter(key => MEANINGS[key] === undefined), ...Object.keys(MEANINGS).filter(key => !kinds.has(key))]
  if (unexplained.length > 0)
    throw new Error(`hack/docs/reference/errors.ts: the description of ${unexplained.join(', ')} does not fit src`)
  return `# Errors

An error is a \`Status\` with an HTTP code, a reason for programs and a message for people, in kube-apiserver's words. This page lists them as the source makes them. \`…\` stands for what depends on the request, and file names say where to look.

\`\`\`json
{"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
 "message": "configmaps \\"settings\\" not found", "reason": "NotFound",
 "details": {"name": "settings", "kind": "configmaps"}, "code": 404}
\`\`\`

${table(
  ['Code', 'Reason', 'Meaning'],
  keys.map(key => [...codeAndReason(key), MEANINGS[key] ?? '']),
)}

Some failures are plain text, as in kube-apiserver: \`404 page not found\` for a path outside the API, \`400 Bad Request\` for a URL that is none, and 429 where limits without priority and fairness are reached.

## Causes of 422 Invalid

Each cause in \`details.causes\` names a field, has one of these reasons, and a message that begins as shown.

${table(
  ['Reason', 'Message begins with', 'Meaning'],
  Object.entries(CAUSES).map(([reason, [begins, meaning]]) => [code(reason), code(begins), meaning]),
)}

${keys.map(key => sectionOf(key, kinds.get(key) ?? [])).join('\n\n')}
`
}

const keyOf = ({ code, reason }: StatusCall): string => `${code} ${reason}`
const codeAndReason = (key: string): string[] => [key.slice(0, 3), key.length > 4 ? code(key.slice(4)) : '(none)']

/** The texts of one reason, and the files that make them. */
function sectionOf(key: string, calls: readonly StatusCall[]): string {
  const places = new Map<string, Set<string>>()
  for (const call of calls) places.set(call.words, (places.get(call.words) ?? new Set()).add(call.path))
  const rows = [...places].map(([words, paths]) => [plain(words), [...paths].map(code).join(' ')])
  return `## ${key.length > 4 ? key : `${key}without a reason`}\n\n${table(['Message', 'Made in'], rows)}`
}
