import type { Pod } from '../../api/core/v1.types.ts'
import { objectKey } from '../../clients/api-client.ts'
import { errorMessage } from '../../lib/error-message.ts'
import type { Logger } from '../../lib/log.ts'
import { startInTurns } from '../../lib/steps.ts'
import { type EvictionParts, evictVictims } from './evictions.ts'
import { type Extender, preemptByExtenders } from './extenders/extender.ts'
import type { AttemptFailure } from './failure-status.ts'
import { failureText } from './failure-text.ts'
import type { Unfeasible } from './find-node.ts'
import type { BindingContext, PostFilter, PostFiltered } from './framework.ts'
import type { PodInfo } from './pod-info.ts'
import { type NoPreemption, type Preemption, type PreemptionCandidate, preemptionCandidates, preemptionOf } from './preemption.ts'
import type { PreemptionArgs, Profile } from './profile.ts'
import type { SchedulingQueue } from './queue.ts'
import type { SchedulerMetrics } from './scheduler-metrics.ts'
import type { Snapshot } from './snapshot.ts'

/** Parts of the scheduler that help a pod which fits on no node. */
export interface PostFilterParts {
  readonly evictions: EvictionParts
  readonly extenders: readonly Extender[]
  readonly context: BindingContext
  readonly logger: Logger
  readonly metrics: SchedulerMetrics
  readonly pending: Pick<SchedulingQueue, 'hold' | 'isPending' | 'release'>
  /** Returns a number from 0 to 1, 1 excluded. */
  readonly random: () => number
  /** Writes in the background, after earlier writes for the pod. `write` never rejects. */
  readonly write: (pod: Pod, write: () => Promise<void>) => void
  /** Ends the nomination of a pod. */
  readonly endNomination: (pod: Pod) => void
}

/**
 * Helps pods that fit on no node: plugins may change what stands in the way, and pods of lower priority are deleted.
 * Source: the extension point PostFilter.
 */
export class PostFilters {
  readonly #parts: PostFilterParts

  constructor(parts: PostFilterParts) {
    this.#parts = parts
  }

  /**
   * Starts what may help the pod, and returns why it was not scheduled. @param isPending whether the pod still waits.
   * If it does not, nothing is deleted for it.
   */
  async help(info: PodInfo, snapshot: Snapshot, filtered: Unfeasible, profile: Profile, isPending: () => boolean): Promise<AttemptFailure> {
    const { write, metrics } = this.#parts
    const begun = performance.now()
    const changes = filtered.postFilters.map(postFilter => postFilter())
    for (const { write: change } of changes) if (change) write(info.pod, () => this.#tryWrite(info.pod, change))
    const { preemption: args } = profile
    const preemption = args ? await this.#preemption(info, snapshot, filtered, args) : { message: '', isHopeless: true }
    const status = 'candidate' in preemption ? 'Success' : 'Unschedulable'
    if (args || filtered.postFilters.length > 0) metrics.observerOf(profile.schedulerName)('PostFilter', status, performance.now() - begun)
    if ('candidate' in preemption) {
      if (isPending()) this.#preempt(info, preemption.candidate)
      return { reason: 'Unschedulable', message: failureText(filtered.infeasible), nominatedNode: preemption.candidate.node.name }
    }
    return this.#hopeless(info, filtered, changes, preemption)
  }

  /**
   * Starts what plugins change for the pods of a group that is not scheduled. @param hasNodes whether some have nodes
   */
  helpGroup(pods: readonly { readonly pod: Pod; readonly postFilters: readonly PostFilter[] }[], hasNodes: boolean): void {
    const group = { hasNodes, released: new Set<string>() }
    for (const { pod, postFilters } of pods)
      for (const postFilter of postFilters) {
        const { write } = postFilter(group)
        if (write) this.#parts.write(pod, () => this.#tryWrite(pod, write))
      }
  }

  /** Chooses victims, together with extenders. */
  async #preemption(pod: PodInfo, snapshot: Snapshot, filtered: Unfeasible, args: PreemptionArgs): Promise<Preemption> {
    const { context, evictions, extenders, logger, metrics, random } = this.#parts
    metrics.preemptionAttempts.child().value++
    const nominated = (name: string) => evictions.nominated.on(name)
    const found = await startInTurns(preemptionCandidates({ pod, snapshot, ...filtered, nominated, args, random }))
    if ('message' in found) return found
    try {
      return preemptionOf(await preemptByExtenders(pod.pod, found, extenders, { signal: context.signal, logger }))
    } catch (error) {
      return { message: `preemption: ${errorMessage(error)}`, isHopeless: false }
    }
  }

  #hopeless({ pod }: PodInfo, { infeasible }: Unfeasible, changes: readonly PostFiltered[], preemption: NoPreemption): AttemptFailure {
    const isVoid = preemption.isHopeless && pod.status.nominatedNodeName !== undefined
    if (isVoid) this.#parts.endNomination(pod)
    const messages = [...changes.map(({ message }) => message), preemption.message].filter(each => each !== '')
    const message = failureText(infeasible, infeasible.nodeCount > 0 ? messages.join(', ') : '')
    return { reason: 'Unschedulable', message, nominatedNode: isVoid ? '' : undefined }
  }

  /** Changes what keeps a pod from being scheduled. The pod is tried again when the change is observed. */
  async #tryWrite(pod: Pod, write: (context: BindingContext) => Promise<void>): Promise<void> {
    const { context, logger } = this.#parts
    try {
      await write(context)
    } catch (error) {
      logger.warn('a claim of an unschedulable pod was not released', { pod: objectKey(pod), error: errorMessage(error) })
    }
  }

  /** Nominates the pod, and deletes victims in the background. The pod is not tried again before that is done. */
  #preempt(info: PodInfo, candidate: PreemptionCandidate): void {
    const { evictions, metrics } = this.#parts
    metrics.preemptionVictims.child().observe(candidate.victims.length)
    evictions.nominated.set(info, candidate.node.name)
    this.whileHeld([info.pod], () => evictVictims(evictions, info.pod, candidate))
  }

  /** Deletes victims in the background. The pods, at least one, are not tried again before that is done. */
  whileHeld(pods: readonly Pod[], evict: () => Promise<void>): void {
    const { logger, metrics, pending, write } = this.#parts
    const [first] = pods
    if (first === undefined) return
    for (const pod of pods) pending.hold(pod)
    write(first, async () => {
      let hasFailed = false
      try {
        await evict()
      } catch (error) {
        hasFailed = true
        logger.warn('a preemption was not carried out', { pod: objectKey(first), error: errorMessage(error) })
      }
      metrics.preemptions.child(hasFailed ? 'error' : 'success').value++
      for (const pod of pods) pending.release(pod, hasFailed)
    })
  }
}
