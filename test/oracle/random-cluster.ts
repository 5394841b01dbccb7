import { seededRandom } from '../../src/lib/seeded-random.ts'
import type { Parts } from './parts.ts'

const ZONE = 'topology.kubernetes.io/zone'
const HOSTNAME = 'kubernetes.io/hostname'
const APPS = ['a', 'b', 'c']
const NAMESPACES = ['default', 'other']

/** Nodes and pods that use most of what decides where a pod may run. The same seed gives the same cluster. */
export class RandomCluster {
  readonly #random: () => number

  constructor(seed: number) {
    this.#random = seededRandom(seed)
  }

  #below(n: number): number {
    return Math.floor(this.#random() * n)
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#below(list.length)] as T
  }

  /** Returns true in one of `n` cases. */
  #oneIn(n: number): boolean {
    return this.#below(n) === 0
  }

  node(i: number): Parts {
    const taints = [
      ...(this.#oneIn(5)
        ? [{ key: 'dedicated', value: this.#pick(APPS), effect: this.#pick(['NoSchedule', 'NoExecute', 'PreferNoSchedule']) }]
        : []),
    ]
    const amounts = { cpu: this.#pick(['1', '2', '4']), memory: this.#pick(['1Gi', '4Gi']), pods: this.#pick(['3', '10', '110']) }
    const allocatable = { ...amounts, ...(this.#oneIn(3) && { 'example.com/device': '2' }) }
    return {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name: `node-${i}`,
        labels: {
          [HOSTNAME]: `node-${i}`,
          disk: this.#pick(['ssd', 'hdd']),
          size: String(this.#below(5)),
          ...(!this.#oneIn(6) && { [ZONE]: `zone-${this.#below(3)}` }),
        },
      },
      spec: { ...(taints.length > 0 && { taints }), ...(this.#oneIn(8) && { unschedulable: true }) },
      status: { allocatable, capacity: allocatable },
    }
  }

  /** @param priority priority class of some of the pods */
  pod(name: string, priority?: string): Parts {
    const requests = { cpu: this.#pick(['50m', '100m', '250m', '1']), memory: this.#pick(['64Mi', '256Mi', '700Mi']) }
    const devices = this.#oneIn(8) ? { 'example.com/device': '1' } : {}
    const ports = this.#oneIn(6)
      ? [{ containerPort: 80, hostPort: 8000 + this.#below(2), ...(this.#oneIn(2) && { hostIP: '10.0.0.1' }) }]
      : []
    const resources = { requests: { ...requests, ...devices }, limits: devices }
    const init = {
      name: 'init',
      image: 'app',
      resources: { requests: { cpu: '500m' } },
      ...(this.#oneIn(2) && { restartPolicy: 'Always' }),
    }
    const affinity = { ...this.#nodeAffinity(), ...this.#podAffinity() }
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: this.#pick(NAMESPACES), labels: { app: this.#pick(APPS) } },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [{ name: 'c', image: 'app', resources, ...(ports.length > 0 && { ports }) }],
        ...(this.#oneIn(5) && { initContainers: [init] }),
        ...(this.#oneIn(4) && { nodeSelector: { disk: this.#pick(['ssd', 'hdd']) } }),
        ...(this.#oneIn(4) && { tolerations: [this.#toleration()] }),
        ...(Object.keys(affinity).length > 0 && { affinity }),
        ...(this.#oneIn(4) && { topologySpreadConstraints: this.#constraints() }),
        ...(priority !== undefined && this.#oneIn(2) && { priorityClassName: priority }),
      },
    }
  }

  #toleration(): Parts {
    return this.#pick([
      { operator: 'Exists' },
      { key: 'dedicated', operator: 'Exists' },
      { key: 'dedicated', value: this.#pick(APPS), effect: 'NoSchedule' },
      { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
    ])
  }

  #nodeAffinity(): Parts {
    if (!this.#oneIn(5)) return {}
    const expression = this.#pick([
      { key: 'size', operator: this.#pick(['Gt', 'Lt']), values: [String(1 + this.#below(3))] },
      { key: 'disk', operator: this.#pick(['In', 'NotIn']), values: ['ssd'] },
      { key: ZONE, operator: this.#pick(['Exists', 'DoesNotExist']) },
    ])
    return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [expression] }] } } }
  }

  #term(): Parts {
    const labelSelector = this.#pick([
      { matchLabels: { app: this.#pick(APPS) } },
      { matchExpressions: [{ key: 'app', operator: 'NotIn', values: [this.#pick(APPS)] }] },
    ])
    return { topologyKey: this.#pick([ZONE, HOSTNAME]), labelSelector, ...(this.#oneIn(3) && { namespaces: NAMESPACES }) }
  }

  #podAffinity(): Parts {
    const list = (kind: string) => ({ [kind]: { requiredDuringSchedulingIgnoredDuringExecution: [this.#term()] } })
    return { ...(this.#oneIn(8) && list('podAffinity')), ...(this.#oneIn(6) && list('podAntiAffinity')) }
  }

  #constraints(): Parts[] {
    const whenUnsatisfiable = this.#pick(['DoNotSchedule', 'DoNotSchedule', 'ScheduleAnyway'])
    const keys = this.#oneIn(3) ? [ZONE, HOSTNAME] : [this.#pick([ZONE, HOSTNAME])]
    return keys.map(topologyKey => ({
      topologyKey,
      maxSkew: 1 + this.#below(2),
      whenUnsatisfiable,
      labelSelector: { matchLabels: { app: this.#pick(APPS) } },
      ...(whenUnsatisfiable === 'DoNotSchedule' && this.#oneIn(3) && { minDomains: 2 }),
      ...(this.#oneIn(3) && { nodeTaintsPolicy: 'Honor' }),
    }))
  }
}
