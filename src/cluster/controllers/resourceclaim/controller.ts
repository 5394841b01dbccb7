import type { Pod } from '../../../api/core/v1.types.ts'
import type { ResourceClaim, ResourceClaimConsumerReference, ResourceClaimTemplate } from '../../../api/resource/v1beta2.types.ts'
import { objectKey, type ResourceKind } from '../../../clients/api-client.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { startInTurns } from '../../../lib/steps.ts'
import { apiVersionOf } from '../../../meta/gvk.ts'
import { undefinedIfNotFound } from '../../../meta/status.ts'
import {
  type ClaimEntry,
  type ClaimRules,
  claimReference,
  claimRules,
  consumerOf,
  deviceClaimKeys,
  foreignResourceClaim,
  groupClaimOf,
  groupNameOf,
  isPodGroup,
  podGroupKeys,
} from '../../shared/device-claims.ts'
import type { DeviceKinds } from '../../shared/device-kinds.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, recorderOf, untilSynced } from '../../shared/environment.ts'
import type { EventRecorder } from '../../shared/event-recorder.ts'
import { firstServed } from '../../shared/first-served.ts'
import { type PodGroupObject, podGroupKindOf } from '../../shared/group-kinds.ts'
import type { Informer } from '../../shared/informer.ts'
import { PODS } from '../../shared/kinds.ts'
import { controllerOf } from '../../shared/owner.ts'
import { deviceKindsIfServed } from '../../shared/served-device-kinds.ts'
import type { KeyQueue } from '../../shared/work-queue.ts'
import { releasedClaim, unprotectedClaim } from './cleanup.ts'
import {
  type ClaimOwner,
  GROUP_CLAIM_NAME,
  generatedClaim,
  groupNeedsWork,
  isPodDone,
  isToReserve,
  needsWork,
  POD_CLAIM_NAME,
} from './pod-claims.ts'

const WORKERS = 10
const [POD, GROUP, CLAIM] = ['pod:', 'group:', 'claim:'] as const
const BY_CLAIM = 'resource claim'
const BY_TEMPLATE = 'resource claim template'
const BY_GROUP = 'group with resource claims'

/**
 * Makes claims of templates for pods and groups of pods, reserves allocated claims for pods that have a node, and takes
 * back what pods and groups no longer use. A key is a pod, a group or a claim.
 */
export const resourceClaimController: ClusterPart = async (env, signal) => {
  const kinds = await deviceKindsIfServed(env)
  if (kinds === undefined) return
  const rules = claimRules(env.features)
  const groupKind = rules.ofGroups ? podGroupKindOf(env.features) : undefined
  const groups = groupKind && (await firstServed(env, [groupKind], signal))
  if (!signal.aborted) await new ClaimController(env, kinds, groups, signal).run()
}

class ClaimController {
  readonly #env: ClusterEnvironment
  readonly #kinds: DeviceKinds
  readonly #signal: AbortSignal
  readonly #pods: Informer<Pod>
  readonly #claims: Informer<ResourceClaim>
  readonly #templates: Informer<ResourceClaimTemplate>
  /** Undefined if groups have no claims. */
  readonly #groups: { readonly kind: ResourceKind<PodGroupObject>; readonly informer: Informer<PodGroupObject> } | undefined
  readonly #rules: ClaimRules
  readonly #recorder: EventRecorder
  readonly #queue: KeyQueue

  constructor(env: ClusterEnvironment, kinds: DeviceKinds, groups: ResourceKind<PodGroupObject> | undefined, signal: AbortSignal) {
    this.#env = env
    this.#groups = groups && { kind: groups, informer: env.informers.of(groups) }
    this.#rules = { ...claimRules(env.features), ofGroups: groups !== undefined }
    this.#kinds = kinds
    this.#signal = signal
    this.#pods = env.informers.of(PODS)
    this.#claims = env.informers.of(kinds.claims)
    this.#templates = env.informers.of(kinds.templates)
    this.#pods.addIndex(BY_CLAIM, pod => deviceClaimKeys(pod))
    this.#pods.addIndex(BY_TEMPLATE, missingTemplates)
    this.#pods.addIndex(BY_GROUP, podGroupKeys)
    this.#groups?.informer.addIndex(BY_TEMPLATE, missingTemplates)
    this.#recorder = recorderOf(env, 'resource_claim', signal)
    this.#queue = queueOf(env, 'resource_claim', signal, {
      workers: WORKERS,
      work: key => this.#sync(key),
    })
  }

  async run(): Promise<void> {
    const groups = this.#groups?.informer
    if (!(await untilSynced([this.#pods, this.#claims, this.#templates, ...(groups ? [groups] : [])], this.#signal))) return
    this.#pods.onGradually({
      added: pod => this.#podChanged(pod),
      updated: pod => this.#podChanged(pod),
      deleted: pod => this.#lookAtClaims(pod),
    })
    const changed = (claim: ResourceClaim): void => {
      this.#queue.add(CLAIM + objectKey(claim))
      this.#lookAtPods(this.#pods.store.by(BY_CLAIM, objectKey(claim)))
    }
    this.#claims.on({
      added: changed,
      updated: changed,
      deleted: claim => {
        this.#lookAtPods(this.#pods.store.by(BY_CLAIM, objectKey(claim)))
        this.#lookAtOwningGroup(claim)
      },
    })
    this.#templates.on({
      added: template => {
        this.#lookAtPods(this.#pods.store.by(BY_TEMPLATE, objectKey(template)))
        for (const group of groups?.store.by(BY_TEMPLATE, objectKey(template)) ?? []) this.#groupChanged(group)
      },
    })
    groups?.on({
      added: group => this.#groupChanged(group),
      updated: group => this.#groupChanged(group),
      deleted: group => this.#lookAtClaims(group),
    })
    await untilAborted(this.#signal)
  }

  #groupChanged(group: PodGroupObject): void {
    if (groupNeedsWork(group, key => this.#claims.store.get(key))) this.#queue.add(GROUP + objectKey(group))
    this.#lookAtPods(this.#pods.store.by(BY_GROUP, objectKey(group)))
  }

  #lookAtOwningGroup(claim: ResourceClaim): void {
    const owner = controllerOf(claim)
    if (owner?.kind !== 'PodGroup') return
    const group = this.#groups?.informer.store.get(`${claim.metadata.namespace ?? ''}/${owner.name}`)
    if (group) this.#groupChanged(group)
  }

  #podChanged(pod: Pod): void {
    if (!pod.spec.resourceClaims?.length) return
    if (isPodDone(pod)) this.#lookAtClaims(pod)
    else this.#lookAtPods([pod])
  }

  #lookAtPods(pods: readonly Pod[]): void {
    for (const pod of pods) if (needsWork(pod, key => this.#claims.store.get(key), this.#rules)) this.#queue.add(POD + objectKey(pod))
  }

  #lookAtClaims(user: Pod | PodGroupObject): void {
    for (const key of deviceClaimKeys(user)) this.#queue.add(CLAIM + key)
  }

  async #sync(key: string): Promise<void> {
    if (key.startsWith(POD)) await this.#syncPod(key.slice(POD.length))
    else if (key.startsWith(GROUP)) await this.#syncGroup(key.slice(GROUP.length))
    else await this.#syncClaim(key.slice(CLAIM.length))
  }

  async #syncPod(key: string): Promise<void> {
    const pod = this.#pods.store.get(key)
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined || isPodDone(pod)) return
    await this.#makeClaims({ kind: PODS, object: pod, annotation: POD_CLAIM_NAME }, pod.spec.resourceClaims ?? [], each =>
      this.#claimOfPod(pod, each),
    )
    await this.#reserve(pod)
  }

  async #syncGroup(key: string): Promise<void> {
    const group = this.#groups?.informer.store.get(key)
    if (this.#groups === undefined || group === undefined || group.metadata.deletionTimestamp !== undefined) return
    const owner: ClaimOwner = { kind: this.#groups.kind, object: group, annotation: GROUP_CLAIM_NAME }
    await this.#makeClaims(owner, group.spec.resourceClaims ?? [], each => this.#makeClaim(owner, each))
  }

  /**
   * Makes the claims of a pod or a group, and writes their names into its status. @param make returns the name of a
   * claim. Undefined if the name in the status is right
   */
  async #makeClaims(
    { kind, object }: ClaimOwner,
    claims: readonly ClaimEntry[],
    make: (each: ClaimEntry) => Promise<string | undefined>,
  ): Promise<void> {
    const made: { name: string; resourceClaimName: string }[] = []
    for (const each of claims)
      try {
        const resourceClaimName = await make(each)
        if (resourceClaimName !== undefined) made.push({ name: each.name, resourceClaimName })
      } catch (error) {
        const message = `${kind.kind}ResourceClaim ${each.name}: ${errorMessage(error)}`
        this.#recorder.record(kind, object, 'Warning', 'FailedResourceClaimCreation', message)
        throw new Error(`${kind.kind.toLowerCase()} ${objectKey(object)}, ${message}`, { cause: error })
      }
    if (made.length === 0) return
    const { namespace = '', name = '', uid = '' } = object.metadata
    const patch = { metadata: { uid }, status: { resourceClaimStatuses: made } }
    await this.#env.client.patch(kind, { namespace, name, subresource: 'status' }, patch, 'strategic')
  }

  /** Returns the name of the claim for a claim of a pod: that of its group, or one that is made for the pod alone. */
  async #claimOfPod(pod: Pod, each: ClaimEntry): Promise<string | undefined> {
    const { name, isGenerated } = claimReference(pod, each)
    if (this.#rules.ofGroups && groupNameOf(pod) !== undefined) {
      const group = this.#groupOf(pod)
      // The claims of a group are not known before it exists.
      if (group === undefined) return undefined
      const ofGroup = isGenerated && groupClaimOf(each, group) ? claimReference(group, each) : undefined
      if (ofGroup) return ofGroup.name === name ? undefined : ofGroup.name
    }
    const known = name === undefined ? undefined : this.#claims.store.get(`${pod.metadata.namespace ?? ''}/${name}`)
    const foreign = known && isGenerated ? foreignResourceClaim(pod, known, this.#rules) : undefined
    if (foreign !== undefined) throw new Error(foreign)
    return this.#makeClaim({ kind: PODS, object: pod, annotation: POD_CLAIM_NAME }, each)
  }

  #groupOf(pod: Pod): PodGroupObject | undefined {
    return this.#groups?.informer.store.get(`${pod.metadata.namespace ?? ''}/${groupNameOf(pod) ?? ''}`)
  }

  /** Makes the claim of a template. Returns its name. Undefined if the owner needs none, or has it. */
  async #makeClaim(owner: ClaimOwner, each: ClaimEntry): Promise<string | undefined> {
    const { namespace = '', uid = '' } = owner.object.metadata
    const { name, isMissing } = claimReference(owner.object, each)
    const known = name === undefined ? undefined : this.#claims.store.get(`${namespace}/${name}`)
    const templateName = each.resourceClaimTemplateName
    if (known || templateName === undefined || (name === undefined && !isMissing)) return undefined
    // A claim that was made before the status of the owner could be written.
    const orphan = this.#claims.store.controlledBy(uid).find(({ metadata }) => metadata.annotations?.[owner.annotation] === each.name)
    if (orphan) return orphan.metadata.name
    const template = this.#templates.store.get(`${namespace}/${templateName}`)
    if (template === undefined)
      throw new Error(`resource claim template "${templateName}": resourceclaimtemplate.resource.k8s.io "${templateName}" not found`)
    const { claims } = this.#kinds
    const claim = await startInTurns(generatedClaim(owner, each, template, apiVersionOf(claims)))
    return (await this.#env.client.create(claims, claim)).metadata.name
  }

  /** Reserves allocated claims for a pod that was given a node without the scheduler. */
  async #reserve(pod: Pod): Promise<void> {
    for (const key of deviceClaimKeys(pod)) {
      const claim = this.#claims.store.get(key)
      if (claim === undefined || !isToReserve(claim, pod, this.#rules)) continue
      const reservedFor = [...(claim.status.reservedFor ?? []), consumerOf(pod, claim, this.#groupOf(pod))]
      await this.#env.client.update(this.#kinds.claims, { ...claim, status: { ...claim.status, reservedFor } }, 'status')
    }
  }

  async #syncClaim(key: string): Promise<void> {
    const claim = this.#claims.store.get(key)
    if (claim === undefined) return
    const { client } = this.#env
    const { namespace = '', name = '', uid = '' } = claim.metadata
    const kept: ResourceClaimConsumerReference[] = []
    for (const consumer of claim.status.reservedFor ?? []) if (await this.#isUsing(consumer, namespace)) kept.push(consumer)
    const released = releasedClaim(claim, kept)
    const current = released ? await client.update(this.#kinds.claims, released, 'status') : claim
    const unprotected = unprotectedClaim(current, released !== undefined)
    if (unprotected) await client.update(this.#kinds.claims, unprotected)
    if (kept.length > 0 || claim.metadata.deletionTimestamp !== undefined) return
    const owner = controllerOf(claim)
    const pod = owner?.kind === 'Pod' ? this.#pods.store.get(`${namespace}/${owner.name}`) : undefined
    // The garbage collector deletes the claims of pods that are gone.
    if (pod?.metadata.uid !== owner?.uid || pod === undefined || !isPodDone(pod)) return
    await client.delete(this.#kinds.claims, namespace, name, { uid }).catch(undefinedIfNotFound)
  }

  /** Reports whether a consumer of a claim still uses it. One that is not observed yet is read from the server. */
  async #isUsing(consumer: ResourceClaimConsumerReference, namespace: string): Promise<boolean> {
    const { apiGroup, resource, name, uid } = consumer
    if (this.#groups && isPodGroup(consumer)) {
      const { kind, informer } = this.#groups
      if (informer.store.get(`${namespace}/${name}`)?.metadata.uid === uid) return true
      const group = await this.#env.client.get(kind, namespace, name).catch(undefinedIfNotFound)
      return group?.metadata.uid === uid
    }
    if (apiGroup || resource !== 'pods') return true
    const observed = this.#pods.store.get(`${namespace}/${name}`)
    if (observed?.metadata.uid === uid) return !isPodDone(observed)
    const pod = await this.#env.client.get(PODS, namespace, name).catch(undefinedIfNotFound)
    return pod !== undefined && pod.metadata.uid === uid && !isPodDone(pod)
  }
}

/** Keys of the templates of which claims have to be made for a pod or a group. */
const missingTemplates = (user: Pod | PodGroupObject): string[] =>
  (user.spec.resourceClaims ?? []).flatMap(each =>
    claimReference(user, each).isMissing ? [`${user.metadata.namespace ?? ''}/${each.resourceClaimTemplateName ?? ''}`] : [],
  )
