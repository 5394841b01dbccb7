import type { Catalog } from '../catalog/catalog.ts'
import { getKind, updateKind } from '../catalog/define.ts'
import type { ResourceDefinition, ResourceId } from '../catalog/definition.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { KubeObject } from '../meta/object.ts'
import { isStatusError } from '../meta/status.ts'
import { formatTime } from '../meta/time.ts'
import type { Namespace, NamespaceCondition } from '../resources/core/v1.types.ts'
import { NAMESPACES, PODS } from '../resources/kinds.ts'
import type { Controller, ControllerEnvironment } from './controller.ts'
import { follow, pause, WorkQueue } from './controller.ts'

/** The finalizer of the spec that this controller removes. */
const FINALIZER = 'kubernetes'
/** Until then every server has seen that the namespace is going, and creates that had begun before are there to be found. */
const SETTLE_MS = 500
/** How soon a namespace that still has content is looked at again. */
const AGAIN_MS = 1000

/** Empties namespaces that are being deleted, reports in their conditions what is left, and lets them go when nothing is. */
export const namespaceController =
  (catalog: Catalog): Controller =>
  async (env, signal) => {
    const queue = new WorkQueue(
      4,
      signal,
      name => emptyNamespace(env, catalog, name, signal),
      (name, error) => env.logger.debug(2, 'namespace is not empty yet', { namespace: name, error: errorMessage(error) }),
      env.queues?.meter('namespace'),
    )
    await follow(env, NAMESPACES, signal, event => {
      const meta = event.object?.metadata
      if (meta?.deletionTimestamp !== undefined && event.type !== 'deleted') queue.add(meta.name ?? '')
    })
  }

/** Deletes all objects of the namespace, reports in its conditions what remains, and tries again until nothing does. */
async function emptyNamespace(env: ControllerEnvironment, catalog: Catalog, name: string, signal: AbortSignal): Promise<void> {
  let first = true
  await pause(SETTLE_MS, signal)
  while (!signal.aborted) {
    const namespace = await getKind(env.access, NAMESPACES, '', name).catch(error => {
      if (isStatusError(error, 'NotFound')) return undefined
      throw error
    })
    if (!namespace?.metadata.deletionTimestamp || !namespace.spec.finalizers?.includes(FINALIZER)) return
    const left = await deleteContent(env, catalog, name)
    if (left.length === 0) {
      await updateKind(env.access, NAMESPACES, { namespace: '', name, subresource: 'finalize' }, finalize).catch(ignoreGone)
      return
    }
    await updateKind(env.access, NAMESPACES, { namespace: '', name, subresource: 'status' }, object => withConditions(object, left, env.clock.now())).catch(
      ignoreGone,
    )
    // Most objects are gone at once, so the second look comes soon.
    await pause(first ? 100 : AGAIN_MS, signal)
    first = false
  }
}

/** The object is gone or was changed: the next look finds out which. */
const ignoreGone = (error: unknown): void => {
  if (!isStatusError(error, 'NotFound') && !isStatusError(error, 'Conflict')) throw error
}

/** Removes the finalizer of the spec: the namespace can go. */
function finalize(object: Namespace): Namespace {
  object.spec = { ...object.spec, finalizers: (object.spec.finalizers ?? []).filter(each => each !== FINALIZER) }
  return object
}

interface Remaining {
  readonly definition: ResourceDefinition
  readonly items: readonly KubeObject[]
}

/** Deletes all objects of the namespace, one resource after the other, with the grace period that each has. Returns what is there afterwards. */
async function deleteContent(env: ControllerEnvironment, catalog: Catalog, namespace: string): Promise<Remaining[]> {
  const definitions = catalog
    .snapshot()
    .definitions.filter(d => d.scope === 'Namespaced' && d.storage !== undefined && d.hub.verbs.includes('list') && d.hub.verbs.includes('delete'))
  const left: Remaining[] = []
  for (const definition of definitions) {
    const id = { group: definition.hub.group, resource: definition.hub.names.plural }
    const { items } = await env.access.list(id, namespace)
    if (items.length === 0) continue
    await Promise.all(items.map(item => deleteOne(env, id, namespace, item)))
    const after = await env.access.list(id, namespace)
    if (after.items.length > 0) left.push({ definition, items: after.items })
  }
  return left
}

/** One object, unless it has gone or was replaced meanwhile. */
async function deleteOne(env: ControllerEnvironment, id: ResourceId, namespace: string, item: KubeObject): Promise<void> {
  // A second request for a pod that waits for its grace period changes nothing.
  if (item.metadata.deletionTimestamp !== undefined && (id.resource !== PODS.resource || item.metadata.deletionGracePeriodSeconds !== 0)) return
  const { name = '', uid } = item.metadata
  await env.access.delete(id, namespace, name, { ...(uid !== undefined && { uid }), propagationPolicy: 'Background' }).catch(ignoreGone)
}

/** The conditions that `kubectl describe namespace` shows of a namespace that is stuck. */
function withConditions(namespace: Namespace, left: readonly Remaining[], now: number): Namespace {
  const finalizers = new Map<string, number>()
  for (const { items } of left)
    for (const item of items) for (const finalizer of item.metadata.finalizers ?? []) finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1)
  const resources = left
    .map(({ definition, items }) => {
      const { group, names } = definition.hub
      return `${group === '' ? `${names.plural}.` : `${names.plural}.${group}`} has ${items.length} resource instances`
    })
    .sort()
  const remaining = [...finalizers].sort(([a], [b]) => (a < b ? -1 : 1)).map(([finalizer, count]) => `${finalizer} in ${count} resource instances`)
  const wanted = [
    condition('NamespaceDeletionDiscoveryFailure', false, 'ResourcesDiscovered', 'All resources successfully discovered'),
    condition('NamespaceDeletionGroupVersionParsingFailure', false, 'ParsedGroupVersions', 'All legacy kube types successfully parsed'),
    condition('NamespaceDeletionContentFailure', false, 'ContentDeleted', 'All content successfully deleted, may be waiting on finalization'),
    condition('NamespaceContentRemaining', true, 'SomeResourcesRemain', `Some resources are remaining: ${resources.join(', ')}`),
    remaining.length > 0
      ? condition(
          'NamespaceFinalizersRemaining',
          true,
          'SomeFinalizersRemain',
          `Some content in the namespace has finalizers remaining: ${remaining.join(', ')}`,
        )
      : condition('NamespaceFinalizersRemaining', false, 'ContentHasNoFinalizers', 'All content-preserving finalizers finished'),
  ]
  const { conditions: before = [] } = namespace.status
  namespace.status = {
    ...namespace.status,
    conditions: wanted.map(next => {
      const old = before.find(c => c.type === next.type)
      return {
        type: next.type,
        status: next.status,
        lastTransitionTime: old?.status === next.status ? old.lastTransitionTime : formatTime(now),
        reason: next.reason,
        message: next.message,
      }
    }),
  }
  return namespace
}

type Finding = Omit<Required<NamespaceCondition>, 'lastTransitionTime'>

const condition = (type: string, status: boolean, reason: string, message: string): Finding => ({ type, status: status ? 'True' : 'False', reason, message })
