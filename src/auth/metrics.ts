import { doubled } from '../lib/buckets.ts'
import { CounterFamily, HistogramFamily } from '../lib/metrics.ts'
import type { Authorizer } from '../meta/authorizer.ts'

const HOUR = 3600
const DAY = 24 * HOUR

/** Remaining lifetime of client certificates. Source: k8s.io/apiserver, pkg/authentication/request/x509. */
export const createCertificateExpirations = (): HistogramFamily =>
  new HistogramFamily({
    name: 'apiserver_client_certificate_expiration_seconds',
    help: 'Distribution of the remaining lifetime on the certificate used to authenticate a request.',
    stability: 'ALPHA',
    labels: [],
    buckets: [0, HOUR / 2, HOUR, 2 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 4 * DAY, 7 * DAY, 30 * DAY, 90 * DAY, 180 * DAY, 360 * DAY],
  })

/** Decisions by authorizer. Source: k8s.io/apiserver, pkg/authorization/metrics. */
export const createDecisions = (): CounterFamily =>
  new CounterFamily({
    name: 'apiserver_authorization_decisions_total',
    help: 'Total number of terminal decisions made by an authorizer split by authorizer type, name, and decision.',
    stability: 'ALPHA',
    labels: ['type', 'name', 'decision'],
  })

/**
 * Durations of updates to the Node authorizer's graph. Source: plugin/pkg/auth/authorizer/node in k8s.io/kubernetes.
 */
export const createGraphDurations = (): HistogramFamily =>
  new HistogramFamily({
    name: 'node_authorizer_graph_actions_duration_seconds',
    help: 'Histogram of duration of graph actions in node authorizer.',
    stability: 'ALPHA',
    labels: ['operation'],
    buckets: doubled(0.0001, 12),
  })

/** Wraps an authorizer to count its decisions by mode and name. */
export function countedDecisions(
  { type, name }: { readonly type: string; readonly name: string },
  authorizer: Authorizer,
  decisions: CounterFamily,
): Authorizer {
  const count = (decision: string): void => {
    decisions.child(type, name, decision).value++
  }
  return {
    ...authorizer,
    async authorize(user, info, signal) {
      const decided = await authorizer.authorize(user, info, signal)
      if (decided.decision !== 'no opinion') count(decided.decision === 'allow' ? 'allowed' : 'denied')
      return decided
    },
  }
}
