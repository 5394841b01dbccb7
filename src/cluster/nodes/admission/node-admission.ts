import type { ContainerPort, Node, Pod } from '../../../api/core/v1.types.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { hostPorts, UsedPorts } from '../../shared/host-ports.ts'
import { allocatableOf } from '../../shared/node-amounts.ts'
import type { NodeRoom } from '../../shared/node-room.ts'
import { podRequests, type ResourceAmounts, shareAmounts } from '../../shared/pod-requests.ts'
import { isPodTerminal, podPriority } from '../../shared/pods.ts'
import type { PodEvent } from '../pod-life/turn.ts'
import { checkAdmission, isCritical, type Rejection, shortageRejection } from './admission-check.ts'
import { podsToPreempt } from './preemption.ts'
import {
  type Allocation,
  allocatedPod,
  compareResizes,
  fullAllocation,
  infeasibleMessage,
  isAllocated,
  type PendingResize,
  type ResizeRank,
  recoveredAllocation,
  resizeMessage,
  shareAllocation,
} from './resize.ts'

/** Decision of a kubelet about a pod: rejected, evicted for a critical one, or admitted. */
export type Admission =
  | { readonly kind: 'rejected'; readonly rejection: Rejection }
  | { readonly kind: 'preempted' }
  | {
      readonly kind: 'admitted'
      /** The pod with the resources that are allocated to it. */
      readonly pod: Pod
      readonly pending: PendingResize | undefined
      /** Events of resizes since the last call. */
      readonly events: readonly PodEvent[]
    }

export interface NodeAdmissionOptions {
  readonly release: Release
  /** Gate PodLevelResources. */
  readonly podLevel: boolean
  /** Gate InPlacePodVerticalScaling. */
  readonly inPlace: boolean
  /** Whether the gate DRANodeAllocatableResources is on. Without it, the gate is off. */
  readonly ofDevices?: boolean
  /** Optional. Returns the features that a node declares. Omitted if they are not checked. */
  readonly featuresOf?: (node: Node) => readonly string[]
  /** Returns all pods of a node. Called when the first of them is seen. */
  readonly podsOn: (node: string) => readonly Pod[]
  /** Called with pods whose admission has changed on behalf of others. */
  readonly changed: (pod: Pod) => void
}

/** A pod that is admitted. */
interface HeldPod {
  /** Latest state of the pod. */
  pod: Pod
  requests: ResourceAmounts
  readonly ports: readonly ContainerPort[]
  allocation: Allocation
  pending: PendingResize | undefined
  /** Number of the pending resize. */
  since: number
  /** States of the pod and the node for which `pending` was decided. */
  decided: { readonly pod: Pod; readonly node: Node } | undefined
  /** Rank of the pending resize, with the states that it was computed from. */
  ranked: { readonly pod: Pod; readonly allocation: Allocation; readonly rank: ResizeRank } | undefined
  /** Whether the containers do not have their new resources yet. */
  isResizing: boolean
  events: PodEvent[]
}

/** The admitted pods of a node. */
interface NodeState {
  node: Node
  readonly pods: Map<string, HeldPod>
  readonly used: Map<string, number>
}

/**
 * Decides which pods the kubelets of all nodes run and with which resources, and keeps account of them. Decisions are
 * kept in memory, as in a kubelet. A pod is identified by its uid.
 */
export class NodeAdmission {
  readonly #options: NodeAdmissionOptions
  readonly #nodes = new Map<string, NodeState>()
  readonly #rejected = new Map<string, Rejection>()
  readonly #preempted = new Set<string>()
  /** Amounts that pods ask for. They are parsed once for each state of a pod. */
  readonly #wanted = new WeakMap<Pod, ResourceAmounts>()
  #resizes = 0
  /** The pod that was admitted last. Many pods are of one template, and have the same resources. */
  #latest: HeldPod | undefined

  constructor(options: NodeAdmissionOptions) {
    this.#options = options
  }

  /** Records a pod that runs already. */
  hold(pod: Pod, node: Node): void {
    const { uid = '' } = pod.metadata
    const state = this.#stateOf(node)
    const held = state.pods.get(uid)
    if (held) held.pod = pod
    else if (!this.#preempted.has(uid)) this.#add(state, pod, recoveredAllocation(pod))
  }

  /** Decides about a pod that is neither deleted nor has ended. */
  admit(pod: Pod, node: Node): Admission {
    const { uid = '' } = pod.metadata
    const rejected = this.#rejected.get(uid)
    if (rejected) return { kind: 'rejected', rejection: rejected }
    if (this.#preempted.has(uid)) return { kind: 'preempted' }
    const state = this.#stateOf(node)
    let held = state.pods.get(uid)
    if (held === undefined) {
      const rejection = pod.status.startTime ? undefined : this.#check(pod, state)
      if (rejection) {
        this.#rejected.set(uid, rejection)
        return { kind: 'rejected', rejection }
      }
      held = this.#add(state, pod, recoveredAllocation(pod))
    }
    held.pod = pod
    if (this.#options.inPlace) this.#followResize(state, held)
    const events = held.events
    if (events.length > 0) held.events = []
    return { kind: 'admitted', pod: allocatedPod(pod, held.allocation), pending: held.pending, events }
  }

  /** Releases what a pod has once it has ended or is gone. Pending resizes of others may take it. */
  release({ metadata: { uid = '' }, spec: { nodeName = '' } }: Pod): void {
    this.#rejected.delete(uid)
    const wasPreempted = this.#preempted.delete(uid)
    const state = this.#nodes.get(nodeName)
    if (state && (this.#remove(state, uid) || wasPreempted)) this.#retryResizes(state)
  }

  /** Releases a node that is gone. */
  forget({ metadata: { name = '' } }: Node): void {
    this.#nodes.delete(name)
  }

  #stateOf(node: Node): NodeState {
    const { name = '' } = node.metadata
    const known = this.#nodes.get(name)
    if (known) {
      known.node = node
      return known
    }
    const state: NodeState = { node, pods: new Map(), used: new Map() }
    this.#nodes.set(name, state)
    // Pods that run already come before new ones, in whichever order they are seen.
    for (const pod of this.#options.podsOn(name))
      if (pod.status.startTime && !isPodTerminal(pod)) this.#add(state, pod, recoveredAllocation(pod))
    return state
  }

  #add(state: NodeState, pod: Pod, allocation: Allocation): HeldPod {
    const requests = this.#requests(allocatedPod(pod, allocation), this.#options.inPlace)
    const held: HeldPod = {
      pod,
      requests: shareAmounts(this.#latest?.requests, requests),
      ports: hostPorts(pod),
      allocation: shareAllocation(this.#latest?.allocation, allocation),
      pending: undefined,
      since: 0,
      decided: undefined,
      ranked: undefined,
      isResizing: false,
      events: [],
    }
    this.#latest = held
    state.pods.set(pod.metadata.uid ?? '', held)
    count(state.used, held.requests, 1)
    return held
  }

  #remove(state: NodeState, uid: string): boolean {
    const held = state.pods.get(uid)
    if (held === undefined) return false
    state.pods.delete(uid)
    count(state.used, held.requests, -1)
    return true
  }

  #requests(pod: Pod, inPlace: boolean): ResourceAmounts {
    const { podLevel, ofDevices = false } = this.#options
    return podRequests(pod, { podLevel, inPlace, ofDevices })
  }

  /** Returns what a pod asks for, whatever it has. */
  #wantedBy(pod: Pod): ResourceAmounts {
    let wanted = this.#wanted.get(pod)
    if (wanted === undefined) {
      wanted = this.#requests(pod, false)
      this.#wanted.set(pod, wanted)
    }
    return wanted
  }

  /** Checks a new pod. A critical one takes the room that it lacks from others. */
  #check(pod: Pod, state: NodeState): Rejection | undefined {
    const { rejection, lacking } = this.#checked(pod, state, state.used, state.pods.size)
    if (rejection) return rejection
    const [first] = lacking ?? []
    if (lacking === undefined || first === undefined) return undefined
    if (!isCritical(pod)) return shortageRejection(first)
    const choice = podsToPreempt(pod, [...state.pods.values()], lacking)
    if ('error' in choice) {
      const message = `Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: ${choice.error}`
      return { reason: 'UnexpectedAdmissionError', message }
    }
    for (const victim of choice.victims) {
      const { uid = '' } = victim.pod.metadata
      this.#remove(state, uid)
      this.#preempted.add(uid)
      this.#options.changed(victim.pod)
    }
    return undefined
  }

  #checked(pod: Pod, state: NodeState, used: ResourceAmounts, pods: number): ReturnType<typeof checkAdmission> {
    const { node } = state
    const room: NodeRoom = { pods, used, allocatable: amountsOfNode(node) }
    const { uid } = pod.metadata
    const ports = (): UsedPorts =>
      new UsedPorts([...state.pods.values()].flatMap(held => (held.pod.metadata.uid === uid ? [] : [...held.ports])))
    const { release, featuresOf } = this.#options
    return checkAdmission(pod, this.#wantedBy(pod), { node, room, ports, release, features: featuresOf?.(node) })
  }

  #followResize(state: NodeState, held: HeldPod): void {
    if (held.isResizing) this.#recount(state, held)
    if (isAllocated(held.pod, held.allocation)) held.pending = undefined
    else {
      if (held.since === 0) held.since = ++this.#resizes
      // All that frees room on the node looks at pending resizes itself.
      if (held.pending === undefined || !isDecided(held, state)) this.#retryResizes(state, held)
    }
    if (held.pending === undefined) held.since = 0
  }

  /** Counts a pod whose containers take on new resources: with the larger ones until they have. */
  #recount(state: NodeState, held: HeldPod): void {
    const requests = this.#requests(allocatedPod(held.pod, held.allocation), true)
    count(state.used, held.requests, -1)
    count(state.used, requests, 1)
    held.requests = requests
    const allocated = this.#requests(allocatedPod(held.pod, held.allocation), false)
    held.isResizing = [...requests].some(([name, amount]) => amount !== allocated.get(name))
    if (!held.isResizing) this.#retryResizes(state)
  }

  /** Decides about all pending resizes of a node. @param current pod whose caller observes the decision */
  #retryResizes(state: NodeState, current?: HeldPod): void {
    const pending = [...state.pods.values()].filter(held => held === current || held.pending !== undefined)
    const ranked = pending.map(held => ({ held, rank: this.#rankOf(held) })).sort((a, b) => compareResizes(a.rank, b.rank))
    for (const { held } of ranked) if (this.#resize(state, held) && held !== current) this.#options.changed(held.pod)
  }

  #rankOf(held: HeldPod): ResizeRank {
    const { pod, allocation, since, ranked } = held
    if (ranked?.pod === pod && ranked.allocation === allocation && ranked.rank.since === since) return ranked.rank
    const [wanted, present] = [this.#wantedBy(pod), this.#requests(allocatedPod(pod, allocation), false)]
    const isIncrease = ['cpu', 'memory'].some(name => (wanted.get(name) ?? 0) > (present.get(name) ?? 0))
    const rank = { isIncrease, priority: podPriority(pod), isGuaranteed: pod.status.qosClass === 'Guaranteed', since }
    held.ranked = { pod, allocation, rank }
    return rank
  }

  /** Decides about a resize. Returns whether the decision is new. */
  #resize(state: NodeState, held: HeldPod): boolean {
    const { pod } = held
    if (isAllocated(pod, held.allocation) || isPodTerminal(pod)) return false
    const pending = this.#pendingResize(state, held)
    held.decided = { pod, node: state.node }
    if (pending === undefined) {
      held.allocation = fullAllocation(pod)
      held.pending = undefined
      held.since = 0
      held.isResizing = true
      this.#recountAllocated(state, held)
      if (this.#reports('1.35')) held.events.push(event('Normal', 'ResizeStarted', resizeMessage(pod, 'Pod resize started')))
      return true
    }
    if (pending.reason === held.pending?.reason && pending.message === held.pending.message) return false
    held.pending = pending
    const { reason, message } = pending
    if (this.#reports('1.35')) held.events.push(event('Warning', `Resize${reason}`, resizeMessage(pod, `Pod resize ${reason}`, message)))
    else if (this.#options.release === '1.32') held.events.push(event('Warning', `Resize${reason}`, message))
    return true
  }

  #recountAllocated(state: NodeState, held: HeldPod): void {
    const requests = this.#requests(held.pod, true)
    count(state.used, held.requests, -1)
    count(state.used, requests, 1)
    held.requests = requests
  }

  /** Returns why a resize is not carried out now. */
  #pendingResize(state: NodeState, { pod, requests }: HeldPod): PendingResize | undefined {
    const infeasible = infeasibleMessage(this.#wantedBy(pod), amountsOfNode(state.node))
    if (infeasible !== undefined) return { reason: 'Infeasible', message: infeasible }
    const others = new Map(state.used)
    count(others, requests, -1)
    const { rejection, lacking } = this.#checked(pod, state, others, state.pods.size - 1)
    const [first] = lacking ?? []
    const refused = rejection ?? (first && shortageRejection(first))
    return refused && { reason: 'Deferred', message: refused.message }
  }

  #reports(release: Release): boolean {
    return isSince(this.#options.release, release)
  }
}

/** Whether the pending resize of a pod was decided for its present size and the present node. */
const isDecided = ({ decided, pod }: HeldPod, { node }: NodeState): boolean =>
  decided !== undefined && decided.node === node && isAllocated(pod, fullAllocation(decided.pod))

const event = (type: PodEvent['type'], reason: string, message: string): PodEvent => ({ type, reason, message })

function count(sum: Map<string, number>, amounts: ResourceAmounts, sign: 1 | -1): void {
  for (const [name, amount] of amounts) sum.set(name, (sum.get(name) ?? 0) + sign * amount)
}

const allocatable = new WeakMap<Node, ResourceAmounts>()

/** Amounts that pods may use of a node. Parsed once for each state of a node. */
function amountsOfNode(node: Node): ResourceAmounts {
  let amounts = allocatable.get(node)
  if (amounts === undefined) {
    amounts = allocatableOf(node)
    allocatable.set(node, amounts)
  }
  return amounts
}
