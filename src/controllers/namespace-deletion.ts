import type { Catalog } from '../catalog/catalog.ts'
import { asKind } from '../catalog/define.ts'
import type { ResourceDefinition, ResourceId } from '../catalog/definition.ts'
import { eachAtOnce } from '../lib/each-at-once.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { Features } from '../lifecycle/gates.ts'
import type { KubeObject } from '../meta/object.ts'
import { isStatusError } from '../meta/status.ts'
import type { Namespace } from '../resources/core/v1.types.ts'
import { PODS } from '../resources/kinds.ts'
import type { ControllerEnvironment } from './controller.ts'

/** What decides how the content of a namespace is deleted. */
export interface DeletionParts {
  readonly catalog: Catalog
  readonly features: Features
}

/** Objects of one resource that are there after their deletion. */
export interface Remaining {
  readonly definition: ResourceDefinition
  readonly items: readonly KubeObject[]
}

/** What a pass over the content of a namespace leaves. */
export interface ContentLeft {
  readonly isEmpty: boolean
  /** Empty while only pods are waited for: kube-controller-manager reports them by no condition. */
  readonly resources: readonly Remaining[]
  /** Why objects could not be deleted, one text a resource. */
  readonly errors: readonly string[]
}

/**
 * Deletes all objects of the namespace, one resource after the other, with the grace period that each has. With the gate OrderedNamespaceDeletion pods come first, and nothing else is
 * deleted before the last of them has gone, so that what protects them (network policies, quotas) outlives them (KEP-5080).
 */
export async function deleteContent(env: ControllerEnvironment, { catalog, features }: DeletionParts, namespace: Namespace): Promise<ContentLeft> {
  const resources: Remaining[] = []
  const errors: string[] = []
  for (const definition of podsFirst(deletable(catalog))) {
    const { items, error } = await deleteAll(env, definition, namespace)
    if (error !== undefined) errors.push(error)
    if (items.length === 0) continue
    if (isPods(definition) && features.enabled('OrderedNamespaceDeletion')) return { isEmpty: false, resources: [], errors }
    resources.push({ definition, items })
  }
  return { isEmpty: resources.length === 0 && errors.length === 0, resources, errors }
}

const deletable = (catalog: Catalog): readonly ResourceDefinition[] =>
  catalog
    .snapshot()
    .definitions.filter(
      ({ scope, storage, hub }) => scope === 'Namespaced' && storage !== undefined && hub.verbs.includes('list') && hub.verbs.includes('delete'),
    )

const idOf = ({ hub }: ResourceDefinition): ResourceId => ({ group: hub.group, resource: hub.names.plural })

const isPods = ({ hub }: ResourceDefinition): boolean => hub.group === PODS.group && hub.names.plural === PODS.resource

const podsFirst = (definitions: readonly ResourceDefinition[]): ResourceDefinition[] => [
  ...definitions.filter(isPods),
  ...definitions.filter(definition => !isPods(definition)),
]

interface ResourceLeft {
  readonly items: readonly KubeObject[]
  readonly error?: string
}

/** Deletes the objects of one resource; what has finalizers or a grace period may stay for now without an error. */
async function deleteAll(env: ControllerEnvironment, definition: ResourceDefinition, namespace: Namespace): Promise<ResourceLeft> {
  const id = idOf(definition)
  const { name = '' } = namespace.metadata
  try {
    const before = await env.access.list(id, name)
    if (before.items.length === 0) return { items: [] }
    await deleteEach(env, id, name, before.items)
    const { items } = await env.access.list(id, name)
    const isExpected =
      items.some(({ metadata }) => (metadata.finalizers ?? []).length > 0) || (isPods(definition) && mayStop(before.items, namespace, env.clock.now()))
    if (items.length === 0 || isExpected) return { items }
    const [version = definition.hub] = definition.versions
    return { items, error: `unexpected items still remain in namespace: ${name} for gvr: ${id.group}/${version.name}, Resource=${id.resource}` }
  } catch (error) {
    return { items: [], error: errorMessage(error) }
  }
}

/** Whether some pod may still be stopping: the longest grace period has not passed since the namespace was deleted. */
function mayStop(pods: readonly KubeObject[], { metadata }: Namespace, now: number): boolean {
  const periods = pods.map(pod => {
    const { spec, status } = asKind(PODS, pod)
    return status.phase === 'Succeeded' || status.phase === 'Failed' ? 0 : Number(spec.terminationGracePeriodSeconds ?? 0)
  })
  const deleted = Date.parse(metadata.deletionTimestamp ?? '')
  return now - deleted < 1000 * periods.reduce((longest, seconds) => Math.max(longest, seconds), 0)
}

/** Deletes under way at the same time, of which one transaction takes several. All at once, those of a large namespace would stand before everybody's writes. */
const AT_ONCE = 32
/** Objects that cannot be deleted do not keep the others, until there are so many: a webhook that does not answer fails them all. */
const MOST_FAILURES = 32

/** Rejects with the first failure. */
async function deleteEach(env: ControllerEnvironment, id: ResourceId, namespace: string, items: readonly KubeObject[]): Promise<void> {
  const failures: unknown[] = []
  await eachAtOnce(items, AT_ONCE, async item => {
    if (failures.length < MOST_FAILURES) await deleteOne(env, id, namespace, item).catch(error => failures.push(error))
  })
  if (failures.length > 0) throw failures[0]
}

/** One object, unless it has gone or was replaced meanwhile. */
async function deleteOne(env: ControllerEnvironment, id: ResourceId, namespace: string, item: KubeObject): Promise<void> {
  // A second request for a pod that waits for its grace period changes nothing.
  if (item.metadata.deletionTimestamp !== undefined && (id.resource !== PODS.resource || item.metadata.deletionGracePeriodSeconds !== 0)) return
  const { name = '', uid } = item.metadata
  await env.access.delete(id, namespace, name, { ...(uid !== undefined && { uid }), propagationPolicy: 'Background' }).catch(ignoreGone)
}

/** The object is gone or was changed: the next look finds out which. */
export const ignoreGone = (error: unknown): void => {
  if (!isStatusError(error, 'NotFound') && !isStatusError(error, 'Conflict')) throw error
}
