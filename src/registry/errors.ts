import type { GroupResource } from '../api/meta/v1.types.ts'
import { qualifiedResource } from '../meta/gvk.ts'
import {
  alreadyExistsError,
  conflictError,
  detailsOf,
  expiredError,
  failure,
  internalServerError,
  notFoundError,
  OPTIMISTIC_LOCK,
  StatusError,
  serviceUnavailableError,
  tooLargeError,
  tooLargeResourceVersionError,
  tooManyRequestsError,
} from '../meta/status.ts'
import { BackendError } from '../storage/backend.ts'
import { StorageError } from '../storage/storage.ts'

/** The conversion webhook of the kind failed. The message is for the client. */
export class ConversionError extends Error {
  override readonly name = 'ConversionError'
}

/** The request that failed. */
export interface FailedRequest {
  readonly gr: GroupResource
  /** Empty for requests of a collection. */
  readonly name: string
  readonly verb: string
  /** The resourceVersion of the request, for messages that name it. */
  readonly wanted?: string
  /** Whether the storage has a watch cache, whose messages about versions differ from the store's. Defaults to true. */
  readonly cached?: boolean
}

/**
 * Translates errors of storage and conversion to a StatusError. Other errors are returned unchanged. No other code
 * translates them.
 */
export function toStatus(error: unknown, { gr, name, verb, wanted, cached = true }: FailedRequest): unknown {
  if (error instanceof StatusError) return error
  // Upstream does not wrap the error in a Status: requests fail with 500 and the message, watches with InternalError.
  if (error instanceof ConversionError) return verb === 'watch' ? internalServerError(error.message) : failure(500, '', error.message)
  if (error instanceof BackendError) return fromBackend(error, gr, name, verb)
  if (!(error instanceof StorageError)) return error
  switch (error.code) {
    case 'not found':
      return notFoundError(gr, name)
    case 'exists':
      return alreadyExistsError(gr, name)
    case 'conflict':
      return conflictError(gr, name, OPTIMISTIC_LOCK)
    case 'expired':
      if (verb !== 'watch' || !cached)
        return expiredError(`The resourceVersion for the provided ${verb === 'watch' ? 'watch' : 'list'} is too old.`)
      return expiredError(`too old resource version: ${wanted || 0} (${error.revision ?? 0})`)
    case 'too large revision':
      return tooLargeResourceVersionError(
        wanted ?? '',
        error.revision ?? 0,
        error.retryAfterSeconds ?? (cached || verb === 'watch' ? 1 : 0),
      )
    case 'no space':
      return failure(500, '', error.message)
    case 'future revision':
      return failure(500, '', 'etcdserver: mvcc: required revision is a future revision')
    case 'unavailable':
      return unavailable(gr, verb, error.message)
    case 'initializing':
      return tooManyRequestsError(error.message, error.retryAfterSeconds ?? 1)
    case 'timeout':
      return serverTimeout(gr, verb)
    case 'too large':
      return tooLargeError(error.message)
    case 'not transformed':
      return internalServerError(error.message)
    case 'corrupt':
      return unreadableError(error, gr)
  }
}

/** Returns the error of a corrupt object, or of a list that has some. */
function unreadableError({ message, causes, unreasoned }: StorageError, gr: GroupResource): StatusError {
  if (unreasoned) return failure(500, '', message)
  if (causes === undefined) return internalServerError(message)
  if (causes.length === 0) return failure(500, 'StorageReadError', message)
  const text = `failed to read one or more ${qualifiedResource(gr)} from the storage`
  return failure(500, 'StorageReadError', message === '' ? text : `${text}: ${message}`, {
    ...detailsOf(gr, 'list'),
    causes: [...causes],
  })
}

/** Translates errors of the backend that storage has not translated, such as those of reads that bypass the cache. */
function fromBackend(error: BackendError, gr: GroupResource, name: string, verb: string): StatusError {
  switch (error.code) {
    case 'compacted':
      return expiredError('The resourceVersion for the provided list is too old.')
    case 'unavailable':
    case 'denied':
      return unavailable(gr, verb, error.message)
    case 'too large':
      return tooLargeError(error.message)
    case 'no space':
      return failure(500, '', error.message)
    case 'corrupt':
      return internalServerError(`${qualifiedResource(gr)} ${JSON.stringify(name)}: ${error.message}`)
    case 'future':
    case 'timeout':
    case 'aborted':
      return serverTimeout(gr, verb)
  }
}

const unavailable = (gr: GroupResource, verb: string, why: string): StatusError => {
  const error = serviceUnavailableError(`the storage backend is unavailable (${verb} ${qualifiedResource(gr)}): ${why}`)
  error.status.details = { ...(gr.group !== '' && { group: gr.group }), kind: gr.resource, retryAfterSeconds: 1 }
  return error
}

/** apimachinery's NewServerTimeout: 504 with a Retry-After of 2 s. */
const serverTimeout = (gr: GroupResource, verb: string): StatusError =>
  failure(
    504,
    'ServerTimeout',
    `The ${verb} operation against ${qualifiedResource(gr)} could not be completed at this time, please try again.`,
    {
      ...(gr.group !== '' && { group: gr.group }),
      kind: gr.resource,
      retryAfterSeconds: 2,
    },
  )
