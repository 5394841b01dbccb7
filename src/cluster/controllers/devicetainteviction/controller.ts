import type { Pod } from '../../../api/core/v1.types.ts'
import type { JsonObject } from '../../../api/meta/object.ts'
import type { DeviceTaintRule } from '../../../api/resource/v1alpha3.types.ts'
import type { ResourceClaim, ResourceSlice } from '../../../api/resource/v1beta2.types.ts'
import { objectKey, type ResourceKind } from '../../../clients/api-client.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { isStatusError } from '../../../meta/status.ts'
import { formatTime, timeMillis } from '../../../meta/time.ts'
import { type ClaimRules, claimRules, isPodGroup, podGroupKeys } from '../../shared/device-claims.ts'
import type { DeviceKinds } from '../../shared/device-kinds.ts'
import { matchesRule } from '../../shared/device-taints.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, recorderOf, untilSynced } from '../../shared/environment.ts'
import type { EventRecorder } from '../../shared/event-recorder.ts'
import { firstServed } from '../../shared/first-served.ts'
import type { Informer } from '../../shared/informer.ts'
import { DEVICE_TAINT_RULES, PODS } from '../../shared/kinds.ts'
import { disruptionTarget } from '../../shared/pods.ts'
import { latestSlices, poolKey, taintsOfDevice } from '../../shared/published-devices.ts'
import { deviceKindsIfServed } from '../../shared/served-device-kinds.ts'
import type { KeyQueue } from '../../shared/work-queue.ts'

import { asEvicting, type DeviceEviction, isEvicting, podEviction, type TaintState } from './eviction.ts'
import { IN_PROGRESS, type PendingPods, type RuleCounts, ruleCondition, STATUS_PERIOD_MS } from './rule-status.ts'

const WORKERS = 8
const NAME = 'device-taint-eviction-controller'
const [POD, RULE] = ['pod:', 'rule:']
const BY_POOL = 'device pool'
const BY_GROUP = 'group with resource claims'

/**
 * Evicts pods that do not tolerate the NoExecute taints of their devices, which drivers and DeviceTaintRules give. A
 * key is a pod or a rule. Source: pkg/controller/devicetainteviction of k8s.io/kubernetes.
 */
export const deviceTaintEviction: ClusterPart = async (env, signal) => {
  if (!env.features.enabled('DRADeviceTaints')) return
  const kinds = await deviceKindsIfServed(env)
  if (kinds === undefined) return
  // The rules have a gate of their own since 1.35.
  const hasRules = !isSince(env.features.release, '1.35') || env.features.enabled('DRADeviceTaintRules')
  const rules = hasRules ? await firstServed(env, DEVICE_TAINT_RULES, signal) : undefined
  if (!signal.aborted) await new DeviceTaintEviction(env, kinds, rules, signal).run()
}

class DeviceTaintEviction {
  readonly #env: ClusterEnvironment
  readonly #signal: AbortSignal
  readonly #pods: Informer<Pod>
  readonly #claims: Informer<ResourceClaim>
  readonly #slices: Informer<ResourceSlice>
  readonly #ruleKind: ResourceKind<DeviceTaintRule> | undefined
  readonly #rules: Informer<DeviceTaintRule> | undefined
  readonly #claimRules: ClaimRules
  readonly #events: EventRecorder
  readonly #queue: KeyQueue
  /** Keys of pods that are to be evicted. */
  readonly #due = new Set<string>()
  /** Uids of pods that were evicted and still exist. */
  readonly #evicted = new Set<string>()
  /** Numbers of pods that rules have evicted, by uid of the rule. */
  readonly #evictedBy = new Map<string, number>()

  constructor(env: ClusterEnvironment, kinds: DeviceKinds, rules: ResourceKind<DeviceTaintRule> | undefined, signal: AbortSignal) {
    this.#env = env
    this.#signal = signal
    this.#pods = env.informers.of(PODS)
    this.#claims = env.informers.of(kinds.claims)
    this.#slices = env.informers.of(kinds.slices)
    this.#ruleKind = rules
    this.#rules = rules && env.informers.of(rules)
    this.#claimRules = claimRules(env.features)
    this.#claims.addIndex(BY_POOL, ({ status }) => [
      ...new Set((status.allocation?.devices?.results ?? []).map(({ driver, pool }) => poolKey(driver, pool))),
    ])
    this.#pods.addIndex(BY_GROUP, podGroupKeys)
    this.#slices.addIndex(BY_POOL, ({ spec }) => [poolKey(spec.driver, spec.pool.name)])
    this.#events = recorderOf(env, NAME, signal)
    this.#queue = queueOf(env, NAME, signal, {
      workers: WORKERS,
      work: key => (key.startsWith(POD) ? this.#syncPod(key.slice(POD.length)) : this.#syncRule(key.slice(RULE.length))),
    })
  }

  async run(): Promise<void> {
    const informers = [this.#pods, this.#claims, this.#slices, ...(this.#rules ? [this.#rules] : [])]
    if (!(await untilSynced(informers, this.#signal))) return
    this.#rules?.on({
      added: rule => this.#ruleChanged(undefined, rule),
      updated: (rule, old) => {
        if (!deepEqual(rule.spec, old.spec)) this.#ruleChanged(old, rule)
      },
      deleted: rule => this.#ruleChanged(rule, undefined),
    })
    this.#claims.on({
      added: claim => this.#lookAtPods(claim),
      updated: (claim, old) => {
        this.#lookAtPods(old)
        this.#lookAtPods(claim)
      },
      deleted: claim => this.#lookAtPods(claim),
    })
    const sliceChanged = ({ spec }: ResourceSlice): void => {
      for (const claim of this.#claims.store.by(BY_POOL, poolKey(spec.driver, spec.pool.name))) this.#lookAtPods(claim)
    }
    this.#slices.on({ added: sliceChanged, updated: sliceChanged, deleted: sliceChanged })
    this.#pods.onGradually({
      added: pod => this.#podChanged(pod),
      updated: (pod, old) => {
        if (pod.spec.nodeName !== old.spec.nodeName || !deepEqual(pod.status.resourceClaimStatuses, old.status.resourceClaimStatuses))
          this.#podChanged(pod)
      },
      deleted: pod => {
        this.#due.delete(objectKey(pod))
        this.#evicted.delete(pod.metadata.uid ?? '')
      },
    })
    await untilAborted(this.#signal)
  }

  #podChanged(pod: Pod): void {
    if (pod.spec.resourceClaims?.length) this.#queue.add(POD + objectKey(pod))
  }

  #lookAtPods({ metadata: { namespace = '' }, status }: ResourceClaim): void {
    for (const consumer of status.reservedFor ?? []) {
      const { apiGroup = '', resource, name, uid } = consumer
      if (this.#claimRules.ofGroups && isPodGroup(consumer))
        for (const pod of this.#pods.store.by(BY_GROUP, `${namespace}/${name}`)) this.#podChanged(pod)
      const pod = apiGroup === '' && resource === 'pods' ? this.#pods.store.get(`${namespace}/${name}`) : undefined
      if (pod?.metadata.uid === uid) this.#queue.add(POD + objectKey(pod))
    }
  }

  #ruleChanged(old: DeviceTaintRule | undefined, rule: DeviceTaintRule | undefined): void {
    if (rule) this.#queue.add(RULE + objectKey(rule))
    else this.#evictedBy.delete(old?.metadata.uid ?? '')
    const evicting = [old, rule].flatMap(each => (each && isEvicting(each) ? [each] : []))
    if (evicting.length === 0) return
    for (const claim of this.#claims.store.list())
      if (claim.status.allocation?.devices?.results?.some(device => evicting.some(each => matchesRule(each, device))))
        this.#lookAtPods(claim)
  }

  #state(rules: readonly DeviceTaintRule[] = [...(this.#rules?.store.list() ?? [])].filter(isEvicting)): TaintState {
    return { rules, taintsOf: ({ driver, pool, device }) => taintsOfDevice(this.#slices.store.by(BY_POOL, poolKey(driver, pool)), device) }
  }

  #evictionOf(pod: Pod, state: TaintState): DeviceEviction | undefined {
    return podEviction(pod, key => this.#claims.store.get(key), state, this.#claimRules)
  }

  async #syncPod(key: string): Promise<void> {
    const pod = this.#pods.store.get(key)
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined || this.#evicted.has(pod.metadata.uid ?? ''))
      return void this.#due.delete(key)
    const eviction = this.#evictionOf(pod, this.#state())
    if (eviction === undefined) {
      if (this.#due.delete(key)) this.#events.record(PODS, pod, 'Normal', 'DeviceTaintManagerEviction', 'Cancelling deletion')
      return
    }
    this.#due.add(key)
    this.#reportLater(eviction)
    const left = eviction.when - this.#env.clock.now()
    if (left > 0) return this.#queue.addAfter(POD + key, left)
    this.#events.record(PODS, pod, 'Normal', 'DeviceTaintManagerEviction', 'Marking for deletion')
    await this.#delete(pod)
    this.#due.delete(key)
    this.#evicted.add(pod.metadata.uid ?? '')
    for (const uid of eviction.rules) this.#evictedBy.set(uid, (this.#evictedBy.get(uid) ?? 0) + 1)
  }

  /** Writes the status of the rules of an eviction, but not at once, since more pods may follow. */
  #reportLater({ rules }: DeviceEviction): void {
    for (const rule of this.#rules?.store.list() ?? [])
      if (rules.has(rule.metadata.uid ?? '')) this.#queue.addAfter(RULE + objectKey(rule), STATUS_PERIOD_MS)
  }

  async #delete({ metadata: { namespace = '', name = '', uid = '' } }: Pod): Promise<void> {
    const { client, clock } = this.#env
    const condition = disruptionTarget('DeletionByDeviceTaintManager', 'Device Taint manager: deleting due to NoExecute taint', clock.now())
    try {
      await client.patch(
        PODS,
        { namespace, name, subresource: 'status' },
        { metadata: { uid }, status: { conditions: [condition] } },
        'strategic',
      )
      await client.delete(PODS, namespace, name, { uid })
    } catch (error) {
      if (!isStatusError(error, 'NotFound', 'Conflict')) throw error
    }
  }

  async #syncRule(name: string): Promise<void> {
    const rule = this.#rules?.store.get(name)
    if (rule === undefined || this.#ruleKind === undefined || !isSince(this.#env.features.release, '1.35')) return
    const now = this.#env.clock.now()
    const { uid = '', generation } = rule.metadata
    const known = rule.status.conditions?.find(({ type }) => type === IN_PROGRESS)
    const since = now - (timeMillis(known?.lastTransitionTime) ?? 0)
    const isCurrent = known !== undefined && (known.observedGeneration ?? 0) === (generation ?? 0)
    if (isCurrent && since < STATUS_PERIOD_MS) return this.#queue.addAfter(RULE + name, STATUS_PERIOD_MS - since)
    const next = ruleCondition(rule, this.#countsOf(rule))
    if (isCurrent && known.status === next.status && known.reason === next.reason && known.message === next.message) return
    const condition: JsonObject = {
      ...next,
      lastTransitionTime: formatTime(now),
      ...(generation !== undefined && { observedGeneration: generation }),
    }
    const target = { namespace: '', name, subresource: 'status' }
    await this.#env.client.apply(
      this.#ruleKind,
      target,
      { metadata: { uid }, status: { conditions: [condition] } },
      { fieldManager: NAME, force: true },
    )
  }

  #countsOf(rule: DeviceTaintRule): RuleCounts {
    const evicted = this.#evictedBy.get(rule.metadata.uid ?? '') ?? 0
    const none = { published: 0, allocated: 0 }
    if (rule.spec.taint.effect === 'NoExecute') return { evicted, pending: this.#pending(rule, this.#state()), selected: none }
    if (rule.spec.taint.effect !== 'None') return { evicted, pending: { pods: 0, namespaces: 0 }, selected: none }
    return { evicted, pending: this.#pending(rule, this.#state([asEvicting(rule)])), selected: this.#selected(rule) }
  }

  /** Counts the pods that a rule evicts. */
  #pending(rule: DeviceTaintRule, state: TaintState): PendingPods {
    const namespaces = new Set<string>()
    let pods = 0
    for (const pod of this.#pods.store.list()) {
      if (!pod.spec.resourceClaims?.length || pod.metadata.deletionTimestamp !== undefined) continue
      if (!this.#evictionOf(pod, state)?.rules.has(rule.metadata.uid ?? '')) continue
      pods++
      namespaces.add(pod.metadata.namespace ?? '')
    }
    return { pods, namespaces: namespaces.size }
  }

  #selected(rule: DeviceTaintRule): RuleCounts['selected'] {
    let published = 0
    let allocated = 0
    for (const slice of this.#slices.store.list()) {
      const { driver, pool, devices } = slice.spec
      if (!latestSlices(this.#slices.store.by(BY_POOL, poolKey(driver, pool.name))).includes(slice)) continue
      published += (devices ?? []).filter(({ name }) => matchesRule(rule, { driver, pool: pool.name, device: name })).length
    }
    for (const { status } of this.#claims.store.list())
      allocated += (status.allocation?.devices?.results ?? []).filter(device => matchesRule(rule, device)).length
    return { published, allocated }
  }
}
