import { CounterFamily, type MetricFamily, type NumberChild } from '../../../lib/metrics.ts'
import { minorOf, type Release } from '../../../lifecycle/release.ts'
import type { AdmissionRequest } from '../../../registry/types.ts'
import { type LevelVersion, minorOfVersion } from './level.ts'
import { partOf } from './parts.ts'
import { type Mode, PRIVILEGED } from './policy.ts'

/** How often pods are checked, and with what result, under upstream's names. Source: k8s.io/pod-security-admission, metrics. */
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
  /** Of pods that nothing is asked of, as most are. */
  readonly #privileged: Readonly<Record<string, NumberChild>>
  readonly #minor: number
  readonly families: readonly MetricFamily[] = [this.#evaluations, this.#exemptions, this.#errors]

  /** The most frequent counters are there before anything is counted. */
  constructor(release: Release) {
    this.#minor = minorOf(release)
    const privileged = (operation: string): NumberChild => this.#evaluations.child('allow', 'privileged', 'latest', 'enforce', operation, 'pod', '')
    this.#privileged = { CREATE: privileged('create'), UPDATE: privileged('update') }
    for (const operation of ['create', 'update']) {
      for (const resource of ['pod', 'controller']) this.#exemptions.child(operation, resource, '')
    }
  }

  evaluated(decision: 'allow' | 'deny', { level, version }: LevelVersion, mode: Mode, request: AdmissionRequest): void {
    // Versions that came after the release are one, so that labels stay few.
    const shown = level === 'privileged' || version === 'latest' ? 'latest' : minorOfVersion(version) > this.#minor ? 'future' : version
    this.#evaluations.child(decision, level, shown, mode, ...labelsOf(request)).value++
  }

  /** Nothing is asked of the pod of the request. */
  passed(request: AdmissionRequest): void {
    const counter = request.subresource === '' ? this.#privileged[request.operation] : undefined
    if (counter) counter.value++
    else this.evaluated('allow', PRIVILEGED.enforce, 'enforce', request)
  }

  exempted(request: AdmissionRequest): void {
    this.#exemptions.child(...labelsOf(request)).value++
  }

  /** `fatal`: nothing could be evaluated. */
  failed(fatal: boolean, request: AdmissionRequest): void {
    this.#errors.child(String(fatal), ...labelsOf(request)).value++
  }
}

const labelsOf = (request: AdmissionRequest): [operation: string, resource: string, subresource: string] => [
  request.operation.toLowerCase(),
  partOf(request) ?? '',
  request.subresource,
]
