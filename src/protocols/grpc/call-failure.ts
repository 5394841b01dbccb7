/** Statuses of gRPC that are reported or judged by name. Source: https://grpc.io/docs/guides/status-codes/ */
export const Status = {
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  OUT_OF_RANGE: 11,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
} as const

/** What was thrown, as the failure of a call: every Error can be read as one. */
export const callFailureOf = (thrown: unknown): CallFailure => (thrown instanceof Error ? thrown : new Error(String(thrown)))

/** What a call that failed rejects with, here and in gRPC's own library. */
export interface CallFailure {
  readonly code?: number
  readonly details?: string
  readonly message: string
  /** It is known that the server has not begun with it. */
  readonly unsent?: boolean
}
