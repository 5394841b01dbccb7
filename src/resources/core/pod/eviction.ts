import type { Pod, PodStatus } from '../../../api/core/v1.types.ts'
import type { ObjectMeta, TypedObject } from '../../../api/meta/object.ts'
import type { Eviction } from '../../../api/policy/v1.types.ts'
import { defineSubresource, getKind, updateKind } from '../../../catalog/define.ts'
import type { VirtualCall } from '../../../catalog/definition.ts'
import type { ResourceAccess } from '../../../catalog/resource-access.ts'
import { types } from '../../../catalog/types.ts'
import { invariant } from '../../../lib/invariant.ts'
import { badRequestError, conflictError, failure, isStatusError } from '../../../meta/status.ts'
import { DISRUPTION_BUDGETS, PODS } from '../../kinds.ts'
import { created } from './binding.ts'
import { setPodCondition } from './conditions.ts'
import { budgetsOf, letsUnhealthyGo, stillProcessed, takeDisruption } from './disruption.ts'

/** Attempts of an eviction, if the pod changes between read and write. */
const ATTEMPTS = 20

const goList = (values: readonly string[]): string => `[${values.join(' ')}]`

/** Options of the deletion: those of the body, and dry run if either body or query asks for it. */
interface Wanted {
  /** Whether nothing is written. */
  readonly dryRun: boolean
  /** Optional. Precondition: UID that the pod must have. */
  readonly uid?: string
  /** Optional. Precondition: revision that the pod must have. */
  readonly resourceVersion?: string
  /** Optional. Without it the grace period of the pod applies. */
  readonly gracePeriodSeconds?: number
  /** Optional. Policy for dependents, in the form of delete options. */
  readonly propagationPolicy?: string
}

/** Merges the options. Throws 500 if query and body differ in dry run, as upstream does. */
function wantedOf({ deleteOptions }: Eviction, dryRun: boolean): Wanted {
  const { preconditions, gracePeriodSeconds, propagationPolicy, dryRun: inBody = [] } = deleteOptions ?? {}
  if (dryRun && inBody.length > 0 && goList(inBody) !== '[All]') {
    throw failure(500, '', `Non-matching dry-run options in request and content: [All] and ${goList(inBody)}`)
  }
  return {
    dryRun: dryRun || inBody.length > 0,
    ...(preconditions?.uid !== undefined && { uid: preconditions.uid }),
    ...(preconditions?.resourceVersion !== undefined && { resourceVersion: preconditions.resourceVersion }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds: Number(gracePeriodSeconds) }),
    ...(propagationPolicy !== undefined && { propagationPolicy }),
  }
}

const isFinished = ({ phase }: PodStatus, { deletionTimestamp }: ObjectMeta): boolean =>
  phase === 'Succeeded' || phase === 'Failed' || deletionTimestamp !== undefined

/** Reports whether the pod is not running yet or has finished. Its eviction disrupts nothing. */
const needsNoBudget = (status: PodStatus, metadata: ObjectMeta): boolean => isFinished(status, metadata) || status.phase === 'Pending'

const isReady = ({ conditions = [] }: PodStatus): boolean =>
  conditions.some(condition => condition.type === 'Ready' && condition.status === 'True')

/** The pod to evict. */
interface EvictionTarget {
  /** Access with the rights of the server. */
  readonly api: ResourceAccess
  readonly namespace: string
  /** Name of the pod, and of the Eviction in the body. */
  readonly name: string
  /** Milliseconds since the epoch, for conditions and the budget's list of disrupted pods. */
  readonly now: number
  /** Options of the client, without preconditions that the eviction adds. */
  readonly wanted: Wanted
}

/**
 * Deletes the pod after its status has recorded the reason. `wanted` may contain the revision on which the decision was
 * based.
 */
async function remove({ api, namespace, name, now }: EvictionTarget, wanted: Wanted): Promise<void> {
  let { resourceVersion } = wanted
  if (!wanted.dryRun) {
    const marked = await updateKind(api, PODS, { namespace, name, subresource: 'status', keepsManagers: true }, pod => {
      checkPreconditions(pod, wanted)
      setPodCondition(
        pod.status,
        { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' },
        now,
      )
      return pod
    })
    // The write of the status has changed the revision, so the deletion requires the new one.
    if (resourceVersion !== undefined) resourceVersion = marked.metadata.resourceVersion
  }
  await api.delete(PODS, namespace, name, { ...wanted, ...(resourceVersion !== undefined && { resourceVersion }) })
}

const wantedRevision = ({ metadata: { resourceVersion } }: TypedObject): Pick<Wanted, 'resourceVersion'> =>
  resourceVersion === undefined ? {} : { resourceVersion }

/** Throws 409 with the texts of storage preconditions upstream, which name the type `Pod` and not its resource. */
function checkPreconditions({ metadata }: TypedObject, { uid, resourceVersion }: Wanted): void {
  const pod = { group: '', resource: 'Pod' }
  if (uid && uid !== metadata.uid)
    throw conflictError(
      pod,
      metadata.name ?? '',
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    )
  if (resourceVersion && resourceVersion !== metadata.resourceVersion)
    throw conflictError(
      pod,
      metadata.name ?? '',
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    )
}

/**
 * Deletes the pod if no budget applies to it; otherwise returns it. If the pod changes in between, it is read again,
 * unless the client has set a resourceVersion.
 */
async function removeUnbudgeted(eviction: EvictionTarget): Promise<Pod | undefined> {
  const { api, namespace, name, wanted } = eviction
  for (let attempt = 1; ; attempt++) {
    const pod = await getKind(api, PODS, namespace, name)
    if (!needsNoBudget(pod.status, pod.metadata)) return pod
    const pinned = wanted.resourceVersion !== undefined
    try {
      await remove(eviction, pinned || isFinished(pod.status, pod.metadata) ? wanted : { ...wanted, ...wantedRevision(pod) })
      return undefined
    } catch (error) {
      if (pinned || attempt >= ATTEMPTS || !isStatusError(error, 'Conflict')) throw error
    }
  }
}

/**
 * Takes one disruption from the pod’s budget, or from a copy of it in a dry run. Without a budget the eviction is
 * allowed; more than one budget is a 500. `unasked` is the name of a budget that lets a pod go without counting it,
 * because the pod is not ready.
 */
async function askBudget({ api, name, now, wanted }: EvictionTarget, pod: Pod): Promise<{ unasked?: string }> {
  const [budget, second] = await budgetsOf(api, pod)
  if (second) throw failure(500, '', 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.')
  if (!budget) return {}
  const budgetName = budget.metadata.name ?? ''
  if (!isReady(pod.status) && letsUnhealthyGo(budget)) return { unasked: budgetName }
  if (wanted.dryRun) takeDisruption(structuredClone(budget), name, now)
  else
    await updateKind(
      api,
      DISRUPTION_BUDGETS,
      { namespace: pod.metadata.namespace ?? '', name: budgetName, subresource: 'status' },
      current => {
        takeDisruption(current, name, now)
        return current
      },
    )
  return {}
}

/**
 * Throws 429 if the budget does not allow the eviction, or if a pod that was not ready has changed since it was read.
 */
async function evict(eviction: EvictionTarget): Promise<void> {
  const pod = await removeUnbudgeted(eviction)
  if (!pod) return
  const { unasked } = await askBudget(eviction, pod)
  const { wanted } = eviction
  if (unasked === undefined) return remove(eviction, wanted)
  try {
    // The deletion requires the revision that was read: the pod must not have become ready in the meantime.
    await remove(eviction, { ...wanted, ...wantedRevision(pod) })
  } catch (error) {
    throw wanted.resourceVersion === undefined && isStatusError(error, 'Conflict') ? stillProcessed(unasked) : error
  }
}

/** Runs the call: 201 with a Status instead of the eviction. Throws 400 if body and URL name different pods. */
async function evictPod({ api, body, ctx, dryRun, name, namespace }: VirtualCall<Eviction>) {
  invariant(body, 'an eviction is created with a body')
  if ((body.metadata.name ?? '') !== name) throw badRequestError('name in URL does not match name in Eviction object')
  await evict({ api, namespace, name, now: ctx.receivedAt, wanted: wantedOf(body, dryRun) })
  return { code: 201, status: created }
}

/**
 * API-initiated eviction: a deletion that respects the pod's disruption budget. A refusal that may succeed later is a
 * 429 with the cause `DisruptionBudget`. https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/
 */
export const evictionSubresource = defineSubresource<Pod, Eviction>({
  verbs: ['create'],
  kind: { group: 'policy', version: 'v1', kind: 'Eviction', schema: types.type('policy.Eviction'), alsoTakes: ['policy/v1beta1'] },
  virtual: { call: evictPod },
})
