import type { AnyObject } from '../support/any-object.ts'
import type { World } from './world.ts'

const NAMESPACE = 'kube-node-lease'
/** Duration of a kubelet's lease, in seconds. */
const LEASE_SECONDS = 40

/**
 * Renews the leases of a scenario's nodes, as their kubelets do. A lease alone keeps a node alive: statuses are left to
 * the scenario.
 */
export class NodeLeases {
  readonly #world: World
  readonly #note: string
  readonly #nodes = new Set<string>()

  /** @param note text of the scenario, which may say that nodes do not renew their leases. */
  constructor(world: World, note = '') {
    this.#world = world
    this.#note = note
  }

  /** Whether a node renews its lease. */
  get areRenewed(): boolean {
    return this.#nodes.size > 0
  }

  /** Creates the lease of a node. */
  async add({ metadata: { name = '' } }: AnyObject): Promise<void> {
    const spec = { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime: this.#now() }
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace: NAMESPACE }, spec }
    await this.#world.send('POST', { kind: 'Lease', namespace: NAMESPACE, name: '' }, lease)
    if (!isSilent(this.#note, name)) this.#nodes.add(name)
  }

  async renew(): Promise<void> {
    for (const name of this.#nodes)
      await this.#world.send('PATCH', { kind: 'Lease', namespace: NAMESPACE, name }, { spec: { renewTime: this.#now() } })
  }

  #now(): string {
    return this.#world.plane.now.toISOString().replace('Z', '000Z')
  }
}

/**
 * Reports whether a note says that a node does not renew its lease: "n1 stops renewing its lease", or "no heartbeats"
 * without a name.
 */
export function isSilent(note: string, node: string): boolean {
  const clauses = note.split(/[;,.]/)
  return clauses.some(clause => {
    const words = clause.toLowerCase().split(/\W+/)
    const isOfLeases = words.some(word => /^(?:leases?|heartbeats?|renew)/.test(word))
    const isNegative = words.some(word => ['no', 'not', 'stops', 'stop', 'without', 'never', 'silent', 't'].includes(word))
    const named = words.filter(word => /^n\d+$|^node-?\w*\d$/.test(word))
    return isOfLeases && isNegative && (named.length === 0 || named.includes(node.toLowerCase()))
  })
}
