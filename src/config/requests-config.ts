import type { FlagReader } from './flag-reader.ts'
import { FlagError } from './parse-flags.ts'

/** Limits and forms of requests. Times in milliseconds. */
export interface RequestsConfig {
  /** 0 disables the limit. Long-running requests are not counted. */
  readonly maxInFlight: number
  readonly maxMutatingInFlight: number
  /** Whether API Priority and Fairness is on. Its seats are the sum of the two limits. */
  readonly priorityAndFairness: boolean
  readonly timeoutMs: number
  /** Minimum duration of a watch without timeoutSeconds. The actual one is random, up to twice that. */
  readonly minTimeoutMs: number
  /** Domain whose neutral media type parameters are accepted. */
  readonly domain: string
  /** Whether Fault objects can inject faults into requests. */
  readonly faults: boolean
}

/** Parses the flags of requests. Throws FlagError if priority and fairness would have no seats. */
export function requestsOf(read: FlagReader): RequestsConfig {
  const maxInFlight = read.int('max-requests-inflight', 0)
  const maxMutatingInFlight = read.int('max-mutating-requests-inflight', 0)
  const priorityAndFairness = read.bool('enable-priority-and-fairness')
  if (priorityAndFairness && maxInFlight + maxMutatingInFlight <= 0)
    throw new FlagError(
      `invalid configuration: MaxRequestsInFlight=${maxInFlight} and MaxMutatingRequestsInFlight=${maxMutatingInFlight}; they must add up to something positive`,
    )
  return {
    maxInFlight,
    maxMutatingInFlight,
    priorityAndFairness,
    timeoutMs: read.duration('request-timeout'),
    minTimeoutMs: read.int('min-request-timeout', 0) * 1000,
    domain: read.text('domain') ?? 'k8s.io',
    faults: read.bool('enable-faults'),
  }
}
