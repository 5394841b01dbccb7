import type { Node } from '../../../api/core/v1.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { parseCidr } from '../../../meta/ip.ts'
import { isStatusError } from '../../../meta/status.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, recorderOf, untilSynced } from '../../shared/environment.ts'
import type { EventRecorder } from '../../shared/event-recorder.ts'
import type { Informer } from '../../shared/informer.ts'
import { NODES } from '../../shared/kinds.ts'
import type { NodeCidrs } from '../../shared/node-cidrs.ts'
import type { KeyQueue } from '../../shared/work-queue.ts'
import { CidrSet, OutsideRangeError } from './cidr-set.ts'

const WORKERS = 8

/**
 * Gives each node a block of addresses for its pods, of each family. A key is a node. Does nothing if no ranges are
 * configured.
 */
export const nodeIpamController: ClusterPart = async (env, signal) => {
  if (env.nodeCidrs !== undefined) await new NodeIpam(env, env.nodeCidrs, signal).run()
}

class NodeIpam {
  readonly #env: ClusterEnvironment
  readonly #signal: AbortSignal
  readonly #nodes: Informer<Node>
  readonly #events: EventRecorder
  readonly #queue: KeyQueue
  readonly #sets: readonly CidrSet[]
  /** Blocks of each node, by its name. */
  readonly #held = new Map<string, readonly string[]>()
  /** Nodes for which no block was left. */
  readonly #waiting = new Set<string>()

  constructor(env: ClusterEnvironment, { ranges, serviceCIDRs }: NodeCidrs, signal: AbortSignal) {
    this.#env = env
    this.#signal = signal
    this.#nodes = env.informers.of(NODES)
    this.#events = recorderOf(env, 'cidrAllocator', signal)
    this.#queue = queueOf(env, 'cidrallocator_node', signal, { workers: WORKERS, work: name => this.#sync(name) })
    this.#sets = ranges.flatMap(({ cidr, mask }) => {
      const range = parseCidr(cidr)
      return range ? [new CidrSet(range, mask)] : []
    })
    for (const cidr of serviceCIDRs) this.#occupy([cidr])
  }

  async run(): Promise<void> {
    if (!(await untilSynced([this.#nodes], this.#signal))) return
    // Blocks that nodes have already are taken before the first one is given.
    for (const node of this.#nodes.store.list()) this.#hold(node)
    const enqueue = (node: Node): void => this.#queue.add(objectKey(node))
    this.#nodes.on({ added: enqueue, updated: enqueue, deleted: node => this.#release(objectKey(node)) })
    await untilAborted(this.#signal)
  }

  async #sync(name: string): Promise<void> {
    const node = this.#nodes.store.get(name)
    if (!node || node.metadata.deletionTimestamp !== undefined || this.#hold(node)) return
    // The write of an earlier pass is not seen yet.
    if (this.#held.has(name)) return
    const blocks = this.#allocate()
    if (blocks === undefined) {
      this.#waiting.add(name)
      this.#report(node, 'CIDRNotAvailable')
      return
    }
    this.#held.set(name, blocks)
    await this.#assign(node, blocks)
  }

  /** Takes the blocks that a node has. Returns false if it has none. */
  #hold({ metadata: { name = '' }, spec }: Node): boolean {
    const blocks = spec.podCIDRs ?? (spec.podCIDR ? [spec.podCIDR] : [])
    if (blocks.length === 0) return false
    this.#waiting.delete(name)
    if (this.#held.has(name)) return true
    this.#held.set(name, blocks)
    this.#occupy(blocks)
    return true
  }

  /** Takes blocks from the sets of their families. Those outside of the ranges belong to another allocator. */
  #occupy(blocks: readonly string[]): void {
    this.#eachSet(blocks, (set, block) => set.occupy(block))
  }

  /** Frees the blocks of a node, and enqueues the nodes that wait for a block. */
  #release(name: string): void {
    this.#waiting.delete(name)
    this.#eachSet(this.#held.get(name) ?? [], (set, block) => set.release(block))
    this.#held.delete(name)
    for (const waiting of this.#waiting) this.#queue.add(waiting)
  }

  #eachSet(blocks: readonly string[], call: (set: CidrSet, block: string) => void): void {
    for (const block of blocks)
      for (const set of this.#sets)
        try {
          call(set, block)
        } catch (error) {
          if (!(error instanceof OutsideRangeError)) throw error
        }
  }

  /** Takes a block of each set. Undefined, and nothing is taken, if a set has none left. */
  #allocate(): string[] | undefined {
    const blocks: string[] = []
    for (const set of this.#sets) {
      const block = set.allocate()
      if (block === undefined) {
        this.#eachSet(blocks, (of, taken) => of.release(taken))
        return undefined
      }
      blocks.push(block)
    }
    return blocks
  }

  async #assign(node: Node, blocks: readonly string[]): Promise<void> {
    const { name = '', uid } = node.metadata
    try {
      const metadata = uid === undefined ? {} : { uid }
      await this.#env.client.patch(
        NODES,
        { namespace: '', name },
        { metadata, spec: { podCIDR: blocks[0] ?? '', podCIDRs: [...blocks] } },
        'strategic',
      )
    } catch (error) {
      this.#release(name)
      if (isStatusError(error, 'NotFound', 'Conflict')) return
      this.#report(node, 'CIDRAssignmentFailed')
      throw error
    }
  }

  #report(node: Node, state: string): void {
    this.#events.record(NODES, node, 'Normal', state, `Node ${node.metadata.name ?? ''} status is now: ${state}`)
  }
}
