import { type CallFailure, callFailureOf, Status } from '../../protocols/grpc/call-failure.ts'
import type { BackendErrorCode } from '../backend.ts'
import { BackendError } from '../backend.ts'

/**
 * Reports whether the request never reached the server, so that it may be sent again. `undefined` stands for a call
 * that was not made.
 */
export function wasNeverSent(failure: CallFailure | undefined): boolean {
  return failure?.unsent === true || failure === undefined || (failure.code === Status.UNAVAILABLE && UNSENT.test(failure.details ?? ''))
}
const UNSENT = /^(No connection established|Name resolution failed|Channel closed before call started)/

/**
 * Reports whether the lease of a write has expired or was revoked, so that a new one is needed. Source:
 * rpctypes.ErrLeaseNotFound.
 */
export function isLeaseNotFound(error: unknown): boolean {
  return error instanceof BackendError && callFailureOf(error.cause).details === 'etcdserver: requested lease not found'
}

/** gRPC's message for a refused connection, and the part of it that is the system's message. */
const NO_CONNECTION = [/^No connection established\. Last error: (?:Error: )?([^\n]*?)\. Resolution note: $/, '$1'] as const

/** OpenSSL's message for a failed handshake: codes, library, function, reason and source position. */
const TLS_FAILURE = /error:[0-9A-F]+:SSL routines:[^:\n]*:([^:\n]*):/

function callFailureMessage(failure: CallFailure): string {
  const details = failure.details || failure.message
  const reason = TLS_FAILURE.exec(details)?.[1]
  return reason === undefined ? details.replace(...NO_CONNECTION) : `TLS: ${reason}`
}

/** Converts the failure of a call to a BackendError. */
export function backendError(failure: CallFailure, signal: AbortSignal): BackendError {
  const details = callFailureMessage(failure)
  return new BackendError(failureCode(failure.code, details, signal), details, { cause: failure })
}

/** Code of a failure. Source of the texts: https://github.com/etcd-io/etcd/blob/main/api/v3rpc/rpctypes/error.go */
function failureCode(code: number | undefined, details: string, signal: AbortSignal): BackendErrorCode {
  switch (code) {
    case Status.CANCELLED:
      return signal.aborted ? 'aborted' : 'unavailable'
    case Status.DEADLINE_EXCEEDED:
      return 'timeout'
    case Status.OUT_OF_RANGE:
      return details.includes('compacted') ? 'compacted' : details.includes('future revision') ? 'future' : 'unavailable'
    case Status.INVALID_ARGUMENT:
      return details.includes('request is too large') ? 'too large' : 'unavailable'
    case Status.RESOURCE_EXHAUSTED:
      return details.includes('message larger than max')
        ? 'too large'
        : details.endsWith('database space exceeded')
          ? 'no space'
          : 'unavailable'
    case Status.PERMISSION_DENIED:
      return 'denied'
    case Status.DATA_LOSS:
      return 'corrupt'
    default:
      return 'unavailable'
  }
}
