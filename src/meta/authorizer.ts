import type { RequestInfo, User } from './context.ts'

export interface Decision {
  readonly decision: 'allow' | 'deny' | 'no opinion'
  readonly reason: string
}

export interface Authorizer {
  authorize(user: User, request: RequestInfo, signal: AbortSignal): Promise<Decision>
}
