import { CounterFamily, type MetricFamily } from '../../lib/metrics.ts'
import { statusCodeLabel } from '../../lib/status-code-label.ts'
import type { Gates } from '../../lifecycle/gates.ts'

/** Translation for clients that speak WebSocket with kubelets, to which the server then speaks SPDY. */
export interface StreamTranslation {
  /** Whether commands in containers are translated, for clients that speak v5.channel.k8s.io. */
  readonly translates: boolean
  /** Whether port forwards are tunnelled, for clients that send SPDY in WebSocket messages. */
  readonly tunnels: boolean
  readonly metrics: StreamMetrics
}

/** kube-apiserver's metrics of such requests. Source: k8s.io/apiserver, pkg/util/proxy/metrics. */
export class StreamMetrics {
  readonly #translated = new CounterFamily({
    name: 'apiserver_stream_translator_requests_total',
    help: 'Commands in containers over WebSockets that were translated to SPDY for the kubelet, by HTTP status of their result.',
    stability: 'ALPHA',
    labels: ['code'],
  })
  readonly #tunneled = new CounterFamily({
    name: 'apiserver_stream_tunnel_requests_total',
    help: 'Port forwards over WebSockets whose SPDY was carried to the kubelet, by HTTP status of the response.',
    stability: 'ALPHA',
    labels: ['code'],
  })

  families(): MetricFamily[] {
    return [this.#translated, this.#tunneled]
  }

  countTranslated(code: number): void {
    this.#translated.child(statusCodeLabel(code)).value++
  }

  countTunneled(code: number): void {
    this.#tunneled.child(statusCodeLabel(code)).value++
  }
}

/** Returns the translation that the gates enable, with its metrics. */
export const streamTranslation = (gates: Gates): StreamTranslation => ({
  translates: gates.enabled('TranslateStreamCloseWebsocketRequests'),
  tunnels: gates.enabled('PortForwardWebsockets'),
  metrics: new StreamMetrics(),
})
