import type { Node } from '../../api/core/v1.types.ts'
import { isStatusError } from '../../meta/status.ts'
import { declaredFeatures } from '../shared/declared-features.ts'
import { type ClusterEnvironment, queueOf } from '../shared/environment.ts'
import type { Informer } from '../shared/informer.ts'
import { NODES } from '../shared/kinds.ts'
import type { NodePool } from '../shared/node-pool.ts'
import type { KeyQueue } from '../shared/work-queue.ts'
import type { NodeEvents } from './node-events.ts'
import { nodeAddress, nodeName, nodeOfPool } from './node-objects.ts'

/** Nodes that are created at the same time. */
const WORKERS = 16
/** Index of nodes by their addresses. */
const BY_ADDRESS = 'address'

/** A node that a pool asks to exist. */
interface PooledNode {
  readonly pool: NodePool
  /** Number within the pool, from 1. */
  readonly index: number
  /** Number among all nodes, which determines the address. */
  readonly number: number
}

/** Registers the nodes of all pools, and numbers them. A key of the queue is a node. */
export class Registration {
  readonly #env: ClusterEnvironment
  readonly #nodes: Informer<Node>
  readonly #version: string
  readonly #features: readonly string[]
  readonly #events: NodeEvents
  readonly #queue: KeyQueue
  readonly #pooled = new Map<string, PooledNode>()
  #latestNumber = 0

  constructor(env: ClusterEnvironment, nodes: Informer<Node>, version: string, events: NodeEvents, signal: AbortSignal) {
    this.#events = events
    this.#env = env
    this.#nodes = nodes
    this.#version = version
    this.#features = declaredFeatures(env.features)
    this.#queue = queueOf(env, 'kubelet_registration', signal, { workers: WORKERS, work: name => this.#register(name) })
    nodes.addIndex(BY_ADDRESS, ({ status }) => (status.addresses ?? []).map(({ address }) => address))
    for (const pool of env.nodes)
      for (let index = 1; index <= pool.count; index++)
        this.#pooled.set(nodeName(pool, index), { pool, index, number: ++this.#latestNumber })
  }

  /** Registers the nodes that do not exist. Requires a synced informer. */
  begin(): void {
    for (const name of this.#pooled.keys()) if (!this.#nodes.store.get(name)) this.#queue.add(name)
  }

  /** Returns a number whose address no node has. */
  nextNumber(): number {
    do this.#latestNumber++
    while (this.#nodes.store.by(BY_ADDRESS, nodeAddress(this.#latestNumber)).length > 0)
    return this.#latestNumber
  }

  /** Creates a node. One that exists already is left as it is. */
  async #register(name: string): Promise<void> {
    const pooled = this.#pooled.get(name)
    if (!pooled) return
    const { client, clock } = this.#env
    try {
      const { pool, index, number } = pooled
      const facts = { number, version: this.#version, features: this.#features, now: clock.now() }
      await client.create(NODES, nodeOfPool(pool, index, facts))
      this.#events.started(name)
      this.#events.changed(name, 'NodeReady')
    } catch (error) {
      if (!isStatusError(error, 'AlreadyExists')) throw error
    }
  }
}
