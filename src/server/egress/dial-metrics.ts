import type { ConnectProxy, DialObserver } from '../../lib/connect-proxy.ts'
import { CounterFamily, HistogramFamily } from '../../lib/metrics.ts'

const PROTOCOL = 'http_connect'
const LABELS = ['protocol', 'transport'] as const

/** Metrics of connections through proxies. Source: k8s.io/apiserver, pkg/server/egressselector/metrics. */
export class DialMetrics {
  readonly #starts = new CounterFamily({
    name: 'apiserver_egress_dialer_dial_start_total',
    help: 'Dial starts, labeled by the protocol (http-connect or grpc) and transport (tcp or uds).',
    stability: 'ALPHA',
    labels: LABELS,
  })
  readonly #seconds = new HistogramFamily({
    name: 'apiserver_egress_dialer_dial_duration_seconds',
    help: 'Dial latency histogram in seconds, labeled by the protocol (http-connect or grpc), transport (tcp or uds)',
    stability: 'ALPHA',
    labels: LABELS,
    buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 12.5],
  })
  readonly #failures = new CounterFamily({
    name: 'apiserver_egress_dialer_dial_failure_count',
    help: 'Dial failure count, labeled by the protocol (http-connect or grpc), transport (tcp or uds), and stage (connect or proxy). The stage indicates at which stage the dial failed',
    stability: 'ALPHA',
    labels: [...LABELS, 'stage'],
  })

  readonly families = [this.#starts, this.#seconds, this.#failures]

  /** Returns the observer of connections through a proxy. */
  of({ at }: ConnectProxy): DialObserver {
    const transport = 'socketPath' in at ? 'uds' : 'tcp'
    return {
      started: () => {
        this.#starts.child(PROTOCOL, transport).value++
      },
      failed: stage => {
        this.#failures.child(PROTOCOL, transport, stage).value++
      },
      connected: seconds => this.#seconds.child(PROTOCOL, transport).observe(seconds),
    }
  }
}
