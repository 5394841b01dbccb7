import { CounterFamily, type MetricFamily, type NumberChild } from '../../../lib/metrics.ts'
import { minorOf, type Release } from '../../../lifecycle/release.ts'
import type { AdmissionRequest } from '../../../registry/types.ts'
import { type LevelVersion, minorOfVersion } from './level.ts'
import { podSecurityTarget } from './parts.ts'
import { type Mode, PRIVILEGED } from './policy.ts'

/**
 * Metrics of pod evaluations and their results, under upstream's names. Source: k8s.io/pod-security-admission, metrics.
 */
export class PodSecurityMetrics {
  readonly #evaluations = new CounterFamily({
    name: 'pod_security_evaluations_total',
    help: 'Number of policy evaluations that occurred, not counting ignored or exempt requests.',
    stability: 'ALPHA',
    labels: ['decision', 'policy_level', 'policy_version', 'mode', 'request_operation', 'resource', 'subresource'],
  })
  readonly #exemptions = new CounterFamily({
    name: 'pod_security_exemptions_total',
    help: 'Number of exempt requests, not counting ignored or out of scope requests.',
    stability: 'ALPHA',
    labels: ['request_operation', 'resource', 'subresource'],
  })
  readonly #errors = new CounterFamily({
    name: 'pod_security_errors_total',
    help: 'Number of errors preventing normal evaluation. Non-fatal errors may result in the latest restricted profile being used for evaluation.',
    stability: 'ALPHA',
    labels: ['fatal', 'request_operation', 'resource', 'subresource'],
  })
  /** Counters of pods in privileged namespaces, by operation. Most pods are counted here. */
  readonly #privileged: Readonly<Record<string, NumberChild>>
  readonly #minor: number
  readonly families: readonly MetricFamily[] = [this.#evaluations, this.#exemptions, this.#errors]

  /** The most frequent counters exist before the first request. */
  constructor(release: Release) {
    this.#minor = minorOf(release)
    const privileged = (operation: string): NumberChild =>
      this.#evaluations.child('allow', 'privileged', 'latest', 'enforce', operation, 'pod', '')
    this.#privileged = { CREATE: privileged('create'), UPDATE: privileged('update') }
    for (const operation of ['create', 'update']) {
      for (const resource of ['pod', 'controller']) this.#exemptions.child(operation, resource, '')
    }
  }

  evaluated(decision: 'allow' | 'deny', { level, version }: LevelVersion, mode: Mode, request: AdmissionRequest): void {
    // All versions after the release share one label, to limit the number of series.
    const shown = level === 'privileged' || version === 'latest' ? 'latest' : minorOfVersion(version) > this.#minor ? 'future' : version
    this.#evaluations.child(decision, level, shown, mode, ...requestLabels(request)).value++
  }

  /** Counts a pod in a privileged namespace. */
  passed(request: AdmissionRequest): void {
    const counter = request.subresource === '' ? this.#privileged[request.operation] : undefined
    if (counter) counter.value++
    else this.evaluated('allow', PRIVILEGED.enforce, 'enforce', request)
  }

  exempted(request: AdmissionRequest): void {
    this.#exemptions.child(...requestLabels(request)).value++
  }

  /** `fatal` is true if nothing could be evaluated. */
  failed(fatal: boolean, request: AdmissionRequest): void {
    this.#errors.child(String(fatal), ...requestLabels(request)).value++
  }
}

const requestLabels = (request: AdmissionRequest): [operation: string, resource: string, subresource: string] => [
  request.operation.toLowerCase(),
  podSecurityTarget(request) ?? '',
  request.subresource,
]
