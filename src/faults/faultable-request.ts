import type { RequestAttributes, User } from '../meta/context.ts'

/** A request that is matched against the rules. */
export interface FaultableRequest {
  readonly user: User
  readonly userAgent: string
  readonly info: RequestAttributes
  /** Options of the request. A fault may change the version that a list reads. */
  readonly query: URLSearchParams
}
