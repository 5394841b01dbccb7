import type { Identity } from '../../auth/authn/authenticator.ts'
import { doubled } from '../../lib/buckets.ts'
import { CounterFamily, type HistogramChild, HistogramFamily, type MetricFamily, type NumberChild } from '../../lib/metrics.ts'
import type { AuthorizationDecision } from '../../meta/authorizer.ts'

/** Upper bounds in seconds, from 1 ms on. */
const BUCKETS = doubled(0.001, 15)
const RESULT = ['result'] as const

interface OutcomeMetrics {
  readonly count: NumberChild
  readonly seconds: HistogramChild
}

/** Metrics of the authentication and authorization of requests. Source: k8s.io/apiserver, pkg/endpoints/filters. */
export class AuthMetrics {
  readonly #users = new CounterFamily({
    name: 'authenticated_user_requests',
    help: 'Counter of authenticated requests broken out by username.',
    stability: 'ALPHA',
    labels: ['username'],
  })
  readonly #attempts = new CounterFamily({
    name: 'authentication_attempts',
    help: 'Counter of authenticated attempts.',
    stability: 'ALPHA',
    labels: RESULT,
  })
  readonly #authentications = new HistogramFamily({
    name: 'authentication_duration_seconds',
    help: 'Authentication duration in seconds broken out by result.',
    stability: 'ALPHA',
    labels: RESULT,
    buckets: BUCKETS,
  })
  readonly #decisions = new CounterFamily({
    name: 'authorization_attempts_total',
    help: "Counter of authorization attempts broken down by result. It can be either 'allowed', 'denied', 'no-opinion' or 'error'.",
    stability: 'ALPHA',
    labels: RESULT,
  })
  readonly #authorizations = new HistogramFamily({
    name: 'authorization_duration_seconds',
    help: 'Authorization duration in seconds broken out by result.',
    stability: 'ALPHA',
    labels: RESULT,
    buckets: BUCKETS,
  })
  readonly #known = new Map<string, OutcomeMetrics>()
  readonly #byUser = new Map<string, NumberChild>()

  families(): MetricFamily[] {
    return [this.#users, this.#attempts, this.#authentications, this.#decisions, this.#authorizations]
  }

  /** Records the outcome of an authentication. `begun`: its start, by `performance.now()`. */
  authenticated(identity: Identity, begun: number): void {
    const result = identity === undefined ? 'failure' : identity === 'rejected' ? 'error' : 'success'
    this.#record(`authentication ${result}`, begun, () => ({
      count: this.#attempts.child(result),
      seconds: this.#authentications.child(result),
    }))
    if (identity === undefined || identity === 'rejected') return
    const name = usernameLabel(identity.name)
    let child = this.#byUser.get(name)
    if (child === undefined) {
      child = this.#users.child(name)
      this.#byUser.set(name, child)
    }
    child.value++
  }

  /** Records the outcome of an authorization. `begun` as for `authenticated`. */
  authorized(decision: AuthorizationDecision['decision'] | 'error', begun: number): void {
    const result = RESULT_OF[decision]
    this.#record(`authorization ${result}`, begun, () => ({
      count: this.#decisions.child(result),
      seconds: this.#authorizations.child(result),
    }))
  }

  #record(key: string, begun: number, make: () => OutcomeMetrics): void {
    let outcome = this.#known.get(key)
    if (outcome === undefined) {
      outcome = make()
      this.#known.set(key, outcome)
    }
    outcome.count.value++
    outcome.seconds.observe((performance.now() - begun) / 1000)
  }
}

const RESULT_OF = { allow: 'allowed', deny: 'denied', 'no opinion': 'no-opinion', error: 'error' } as const

const NAMED: ReadonlySet<string> = new Set(['admin', 'client', 'kube_proxy', 'kubelet', 'system:serviceaccount:kube-system:default'])

/** Label of a user. User names are many and personal, so upstream only distinguishes these kinds. */
function usernameLabel(name: string): string {
  if (NAMED.has(name)) return name
  return name.includes('@') ? 'email_id' : 'other'
}
