import { CounterFamily, type MetricFamily } from '../../lib/metrics.ts'
import { statusCodeLabel } from '../../lib/status-code-label.ts'
import type { Gates } from '../../lifecycle/gates.ts'

/** What the server does for clients that speak over WebSockets with kubelets, which then hear SPDY. */
export interface StreamTranslation {
  /** Commands in containers, of clients that speak v5.channel.k8s.io. */
  readonly translates: boolean
  /** Port forwards of clients that carry SPDY in their messages. */
  readonly tunnels: boolean
  readonly metrics: StreamMetrics
}

/** kube-apiserver's families of such requests. Source: k8s.io/apiserver, pkg/util/proxy/metrics. */
export class StreamMetrics {
  private readonly translated = new CounterFamily({
    name: 'apiserver_stream_translator_requests_total',
    help: 'Commands in containers over WebSockets that were translated to SPDY for the kubelet, by how they ended.',
    stability: 'ALPHA',
    labels: ['code'],
  })
  private readonly tunneled = new CounterFamily({
    name: 'apiserver_stream_tunnel_requests_total',
    help: 'Port forwards over WebSockets whose SPDY was carried to the kubelet, by how the kubelet answered.',
    stability: 'ALPHA',
    labels: ['code'],
  })

  families(): MetricFamily[] {
    return [this.translated, this.tunneled]
  }

  countTranslated(code: number): void {
    this.translated.child(statusCodeLabel(code)).value++
  }

  countTunneled(code: number): void {
    this.tunneled.child(statusCodeLabel(code)).value++
  }
}

/** What the gates let this server translate, and what counts it. */
export const streamTranslation = (gates: Gates): StreamTranslation => ({
  translates: gates.enabled('TranslateStreamCloseWebsocketRequests'),
  tunnels: gates.enabled('PortForwardWebsockets'),
  metrics: new StreamMetrics(),
})
