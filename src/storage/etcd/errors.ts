import type { BackendErrorCode } from '../backend.ts'
import { BackendError } from '../backend.ts'

/** gRPC's codes, here so that the package need not be loaded for them. Source: https://grpc.io/docs/guides/status-codes/ */
const status = {
  CANCELLED: 1,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  RESOURCE_EXHAUSTED: 8,
  OUT_OF_RANGE: 11,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
} as const

/** What gRPC gives where a call failed. */
export interface CallFailure {
  readonly code?: number
  readonly details?: string
  readonly message: string
  /** It is known that the server has not begun with it. */
  readonly unsent?: boolean
}

/** Whether the server never got to the request (`undefined`: no call was made): then nothing can have happened, and it may be sent again. */
export function wasNeverSent(failure: CallFailure | undefined): boolean {
  return failure?.unsent === true || failure === undefined || (failure.code === status.UNAVAILABLE && unsent.test(failure.details ?? ''))
}
const unsent = /^(No connection established|Name resolution failed|Channel closed before call started)/

export function isLeaseNotFound(error: unknown): boolean {
  return error instanceof BackendError && (error.cause as CallFailure | undefined)?.details === 'etcdserver: requested lease not found'
}

/** One call's failure as an error of the storage layer. */
export function backendError(failure: CallFailure, signal: AbortSignal): BackendError {
  const details = failure.details || failure.message
  return new BackendError(codeOf(failure.code, details, signal), details, { cause: failure })
}

function codeOf(code: number | undefined, details: string, signal: AbortSignal): BackendErrorCode {
  switch (code) {
    case status.CANCELLED:
      return signal.aborted ? 'aborted' : 'unavailable'
    case status.DEADLINE_EXCEEDED:
      return 'timeout'
    case status.OUT_OF_RANGE:
      return details.includes('compacted') ? 'compacted' : details.includes('future revision') ? 'future' : 'unavailable'
    case status.INVALID_ARGUMENT:
      return details.includes('request is too large') ? 'too large' : 'unavailable'
    case status.RESOURCE_EXHAUSTED:
      return details.includes('message larger than max') ? 'too large' : 'unavailable'
    case status.DATA_LOSS:
      return 'corrupt'
    default:
      return 'unavailable'
  }
}
