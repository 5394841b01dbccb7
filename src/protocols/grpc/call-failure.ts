/** gRPC status codes that are reported or handled by name. Source: https://grpc.io/docs/guides/status-codes/ */
export const Status = {
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
} as const

/** Returns a thrown value as the failure of a call. Every Error is one. */
export const callFailureOf = (thrown: unknown): CallFailure => (thrown instanceof Error ? thrown : new Error(String(thrown)))

/** Rejection of a failed call, with the members of errors of gRPC's own library. */
export interface CallFailure {
  readonly code?: number
  readonly details?: string
  readonly message: string
  /** Optional. Whether the server is known not to have begun the call, so that it can be retried. */
  readonly unsent?: boolean
}
