import type { Namespace } from '../api/core/v1.types.ts'
import type { KubeObject } from '../api/meta/object.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { asKind } from '../catalog/define.ts'
import type { ResourceDefinition } from '../catalog/definition.ts'
import type { ResourceId } from '../catalog/resource-access.ts'
import { eachAtOnce } from '../lib/each-at-once.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { Features } from '../lifecycle/gates.ts'
import { qualifiedResource } from '../meta/gvk.ts'
import { isStatusError } from '../meta/status.ts'
import { PODS } from '../resources/kinds.ts'
import type { ControllerEnvironment } from './controller.ts'
import { deleteForeign } from './foreign-content.ts'
import type { ForeignResources } from './foreign-resources.ts'
import type { Remaining, ResourceLeft } from './resource-left.ts'

/** Dependencies of namespace deletion. */
export interface DeletionParts {
  readonly catalog: Catalog
  readonly features: Features
  readonly foreign: ForeignResources
}

/** Result of one pass over the content of a namespace. */
export interface ContentLeft {
  readonly isEmpty: boolean
  /**
   * Remaining objects by resource. Empty while only pods remain, which kube-controller-manager reports in no condition.
   */
  readonly resources: readonly Remaining[]
  /** Deletion errors, one per resource. */
  readonly errors: readonly string[]
  /** Group versions whose content is unknown because discovery failed. */
  readonly undiscovered: readonly string[]
}

/**
 * Deletes all objects of a namespace, resource by resource, each with its own grace period; then those of aggregated
 * servers. With the gate OrderedNamespaceDeletion, nothing else is deleted until all pods are gone, so that objects
 * that protect them (network policies, quotas) outlive them (KEP-5080).
 */
export async function deleteContent(
  env: ControllerEnvironment,
  parts: DeletionParts,
  namespace: Namespace,
  signal: AbortSignal,
): Promise<ContentLeft> {
  const { catalog, features, foreign } = parts
  const { resources: others, stale: undiscovered } = foreign.discover()
  const own = podsFirst(deletable(catalog))
  const left: ResourceLeft[] = []
  for (const definition of own) {
    const found = await deleteAll(env, definition, namespace)
    left.push(found)
    if (found.count > 0 && isPods(definition) && features.enabled('OrderedNamespaceDeletion'))
      return { isEmpty: false, resources: [], errors: errorsOf(left), undiscovered }
  }
  const known = new Set(own.map(definition => qualifiedResource(resourceIdOf(definition))))
  const elsewhere = others.filter(resource => resource.verbs.includes('delete') && !known.has(qualifiedResource(resource)))
  left.push(...(await deleteForeign(foreign, elsewhere, namespace.metadata.name ?? '', signal)))
  const resources = left.filter(({ count }) => count > 0)
  const errors = errorsOf(left)
  return { isEmpty: resources.length === 0 && errors.length === 0 && undiscovered.length === 0, resources, errors, undiscovered }
}

const errorsOf = (left: readonly ResourceLeft[]): string[] => left.flatMap(({ error }) => (error === undefined ? [] : [error]))

/** Namespaced resources that can be listed and deleted. */
const deletable = (catalog: Catalog): readonly ResourceDefinition[] =>
  catalog
    .snapshot()
    .definitions.filter(
      ({ scope, storage, hub }) =>
        scope === 'Namespaced' && storage !== undefined && hub.verbs.includes('list') && hub.verbs.includes('delete'),
    )

const resourceIdOf = ({ hub }: ResourceDefinition): ResourceId => ({ group: hub.group, resource: hub.names.plural })

const isPods = ({ hub }: ResourceDefinition): boolean => hub.group === PODS.group && hub.names.plural === PODS.resource

const podsFirst = (definitions: readonly ResourceDefinition[]): ResourceDefinition[] => [
  ...definitions.filter(isPods),
  ...definitions.filter(definition => !isPods(definition)),
]

/** Deletes the objects of one resource. Objects with finalizers or a grace period may remain without an error. */
async function deleteAll(env: ControllerEnvironment, definition: ResourceDefinition, namespace: Namespace): Promise<ResourceLeft> {
  const id = resourceIdOf(definition)
  const { name = '' } = namespace.metadata
  try {
    const before = await env.access.list(id, name)
    if (before.items.length === 0) return leftOf(id, [])
    await deleteEach(env, id, name, before.items)
    const { items } = await env.access.list(id, name)
    const left = leftOf(id, items)
    const isExpected = left.finalizers.length > 0 || (isPods(definition) && mayStop(before.items, namespace, env.clock.now()))
    if (items.length === 0 || isExpected) return left
    const [version = definition.hub] = definition.versions
    return {
      ...left,
      error: `unexpected items still remain in namespace: ${name} for gvr: ${id.group}/${version.name}, Resource=${id.resource}`,
    }
  } catch (error) {
    return { ...leftOf(id, []), error: errorMessage(error) }
  }
}

const leftOf = (id: ResourceId, items: readonly KubeObject[]): Remaining => ({
  id,
  count: items.length,
  finalizers: items.flatMap(({ metadata }) => metadata.finalizers ?? []),
})

/** Whether a pod may still be terminating: the longest grace period has not passed since the namespace was deleted. */
function mayStop(pods: readonly KubeObject[], { metadata }: Namespace, now: number): boolean {
  const periods = pods.map(pod => {
    const { spec, status } = asKind(PODS, pod)
    return status.phase === 'Succeeded' || status.phase === 'Failed' ? 0 : Number(spec.terminationGracePeriodSeconds ?? 0)
  })
  const deleted = Date.parse(metadata.deletionTimestamp ?? '')
  return now - deleted < 1000 * periods.reduce((longest, seconds) => Math.max(longest, seconds), 0)
}

/**
 * Maximum number of concurrent deletions. One store transaction combines several. Bounded, so that a large namespace
 * does not delay the writes of others.
 */
const AT_ONCE = 32
/**
 * Number of failures after which the remaining objects are skipped, for example because a webhook does not respond.
 * Fewer failures do not stop the other deletions.
 */
const MOST_FAILURES = 32

/** Deletes the objects. Rejects with the first failure. */
async function deleteEach(env: ControllerEnvironment, id: ResourceId, namespace: string, items: readonly KubeObject[]): Promise<void> {
  const failures: unknown[] = []
  await eachAtOnce(items, AT_ONCE, async item => {
    if (failures.length < MOST_FAILURES) await deleteOne(env, id, namespace, item).catch(error => failures.push(error))
  })
  if (failures.length > 0) throw failures[0]
}

/** Deletes one object, unless it was deleted or replaced meanwhile. */
async function deleteOne(env: ControllerEnvironment, id: ResourceId, namespace: string, item: KubeObject): Promise<void> {
  // Deleting a pod again that is in its grace period would change nothing.
  if (item.metadata.deletionTimestamp !== undefined && (id.resource !== PODS.resource || item.metadata.deletionGracePeriodSeconds !== 0))
    return
  const { name = '', uid } = item.metadata
  await env.access.delete(id, namespace, name, { ...(uid !== undefined && { uid }), propagationPolicy: 'Background' }).catch(ignoreGone)
}

/** Ignores NotFound and Conflict: the next pass examines what remains. */
export const ignoreGone = (error: unknown): void => {
  if (!isStatusError(error, 'NotFound') && !isStatusError(error, 'Conflict')) throw error
}
