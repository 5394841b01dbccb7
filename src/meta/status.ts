import type { GroupKind, GroupResource, Status as MetaStatus, StatusDetails } from '../api/meta/v1.types.ts'
import { quote } from '../lib/go-quote.ts'
import { MOST_ERRORS } from './error-bound.ts'
import type { FieldError } from './field-error.ts'
import { allWorded, fieldErrorText } from './field-error.ts'
import { qualifiedResource } from './gvk.ts'
import type { Wording } from './wording.ts'

/** metav1.Status, the body of every error. Errors of the server always have a status and a code. */
export type Status = MetaStatus & {
  kind: 'Status'
  apiVersion: 'v1'
  status: 'Success' | 'Failure'
  code: number
}

/** A Status as the response to a success, which may omit its code. */
export type ResponseStatus = Omit<Status, 'code'> & { readonly code?: number }

/** A failure to report to the client. Anything else that is thrown is a bug and becomes a 500. */
export class StatusError extends Error {
  override readonly name = 'StatusError'
  readonly status: Status
  readonly #reworded: ((wording: Wording) => Status) | undefined

  /** @param reworded returns the Status of a later release, if it differs. */
  constructor(status: Status, reworded?: (wording: Wording) => Status) {
    super(status.message ?? status.reason ?? 'failure')
    this.status = status
    this.#reworded = reworded
  }

  /** Returns the error with the messages of a release. */
  worded(wording: Wording): StatusError {
    return this.#reworded ? new StatusError(this.#reworded(wording)) : this
  }

  get code(): number {
    return this.status.code
  }

  get reason(): string {
    return this.status.reason ?? ''
  }
}

/**
 * Recognizes errors of another copy of this module as well: a loader may load it once for `require` and once for
 * `import`. Subclasses inherit the function, and are compared as usual.
 */
function isStatusErrorInstance(this: unknown, value: unknown): boolean {
  if (this === StatusError) return value instanceof Error && value.name === 'StatusError'
  return typeof this === 'function' && Function.prototype[Symbol.hasInstance].call(this, value)
}

Object.defineProperty(StatusError, Symbol.hasInstance, { value: isStatusErrorInstance })

/** Creates a StatusError with any code and reason. */
export const failure = (code: number, reason: string, message: string, details?: StatusDetails): StatusError =>
  new StatusError(failureStatus(code, reason, message, details))

const failureStatus = (code: number, reason: string, message: string, details?: StatusDetails): Status => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  ...(reason !== '' && { reason }),
  ...(details && { details }),
  code,
})

/** Returns details that name the object. As upstream, their `kind` is the resource (plural). */
export const detailsOf = ({ group, resource }: GroupResource, name: string): StatusDetails => ({
  ...(name !== '' && { name }),
  ...(group !== '' && { group }),
  ...(resource !== '' && { kind: resource }),
})

/** Creates a 404. */
export const notFoundError = (gr: GroupResource, name: string): StatusError =>
  failure(404, 'NotFound', `${qualifiedResource(gr)} ${quote(name)} not found`, detailsOf(gr, name))

/** Creates the 404 for a path without a handler. */
export const pathNotFoundError = (): StatusError => failure(404, 'NotFound', 'the server could not find the requested resource', {})

/** Creates the 405 for a path that is served with other methods. */
export const methodNotAllowedError = (): StatusError =>
  failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {})

/** Creates the 409 for a create with the name of an existing object. */
export const alreadyExistsError = (gr: GroupResource, name: string): StatusError =>
  failure(409, 'AlreadyExists', `${qualifiedResource(gr)} ${quote(name)} already exists`, detailsOf(gr, name))

/** Creates the 409 for a failed precondition, such as an outdated resourceVersion. */
export const conflictError = (gr: GroupResource, name: string, why: string): StatusError =>
  failure(409, 'Conflict', `Operation cannot be fulfilled on ${qualifiedResource(gr)} ${quote(name)}: ${why}`, detailsOf(gr, name))

/** Message of every conflict on a resource version. */
export const OPTIMISTIC_LOCK = 'the object has been modified; please apply your changes to the latest version and try again'

/** Creates a 422. Here `details.kind` is the kind, not the resource. Errors with the same message are listed once. */
export function invalidError(gk: GroupKind, name: string, found: readonly FieldError[]): StatusError {
  const errors = found.length > MOST_ERRORS ? found.slice(0, MOST_ERRORS) : found
  const differs = errors.some(({ reworded }) => reworded)
  const reworded = (wording: Wording): Status => invalidStatus(gk, name, allWorded(errors, wording))
  return new StatusError(invalidStatus(gk, name, errors), differs ? reworded : undefined)
}

/** Causes are not deduplicated, as upstream: only the message is. */
function invalidStatus(gk: GroupKind, name: string, errors: readonly FieldError[]): Status {
  const seen = new Map(errors.map(e => [fieldErrorText(e), e]))
  const texts = [...seen.keys()]
  const qualified = gk.group === '' ? gk.kind : `${gk.kind}.${gk.group}`
  const listed = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
  return failureStatus(422, 'Invalid', `${qualified} ${quote(name)} is invalid: ${listed}`, {
    ...(name !== '' && { name }),
    ...(gk.group !== '' && { group: gk.group }),
    ...(gk.kind !== '' && { kind: gk.kind }),
    causes: errors.map(e => ({ reason: e.reason, message: e.body, ...(e.field !== '' && { field: e.field }) })),
  })
}

/** Creates a 400. @param reworded returns the message of a later release, if it differs. */
export function badRequestError(message: string, reworded?: (wording: Wording) => string): StatusError {
  const status = (text: string): Status => failureStatus(400, 'BadRequest', text)
  return new StatusError(status(message), reworded && (wording => status(reworded(wording))))
}
/** Creates a 401. */
export const unauthorizedError = (): StatusError => failure(401, 'Unauthorized', 'Unauthorized')
/** Creates a 403 for a resource. */
export const forbiddenError = (gr: GroupResource, name: string, why: string): StatusError =>
  failure(
    403,
    'Forbidden',
    gr.resource === '' ? `forbidden: ${why}` : `${qualifiedResource(gr)}${name === '' ? '' : ` ${quote(name)}`} is forbidden: ${why}`,
    detailsOf(gr, name),
  )
/** Creates the 410 for a resourceVersion or continue token that is no longer available. */
export const expiredError = (message: string): StatusError => failure(410, 'Expired', message)
/** Creates a 413. */
export const tooLargeError = (message: string): StatusError => failure(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`)
/** Creates a 429. `retryAfterSeconds` becomes the header Retry-After; 0 omits it. */
export const tooManyRequestsError = (message: string, retryAfterSeconds: number): StatusError =>
  failure(429, 'TooManyRequests', message, retryAfterSeconds > 0 ? { retryAfterSeconds } : {})
/** Creates the 500 for an unexpected failure. */
export const internalServerError = (message: string): StatusError =>
  failure(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] })
/** Creates a 503. */
export const serviceUnavailableError = (message: string): StatusError => failure(503, 'ServiceUnavailable', message)
/** Creates a 504. `retryAfterSeconds` becomes the header Retry-After; 0 omits it. */
export const timeoutError = (message: string, retryAfterSeconds: number): StatusError =>
  failure(504, 'Timeout', `Timeout: ${message}`, retryAfterSeconds > 0 ? { retryAfterSeconds } : {})

/**
 * Creates the 504 for a resource version that was not reached in time. With 0 seconds the server did not wait, and no
 * retry delay is sent.
 */
export const tooLargeResourceVersionError = (wanted: number | string, current: number | string, retryAfterSeconds = 1): StatusError =>
  failure(504, 'Timeout', `Timeout: Too large resource version: ${wanted}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    ...(retryAfterSeconds > 0 && { retryAfterSeconds }),
  })

/** Reports whether an error is a StatusError with one of the reasons. Without reasons, every StatusError is. */
export const isStatusError = (error: unknown, ...reasons: readonly string[]): error is StatusError =>
  error instanceof StatusError && (reasons.length === 0 || reasons.includes(error.reason))

/** Handler for `catch` that returns undefined for NotFound, and rethrows any other error. */
export function undefinedIfNotFound(error: unknown): undefined {
  if (isStatusError(error, 'NotFound')) return undefined
  throw error
}
