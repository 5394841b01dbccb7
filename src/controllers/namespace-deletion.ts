import type { Catalog } from '../catalog/catalog.ts'
import { asKind } from '../catalog/define.ts'
import type { ResourceDefinition, ResourceId } from '../catalog/definition.ts'
import { eachAtOnce } from '../lib/each-at-once.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { Features } from '../lifecycle/gates.ts'
import { qualifiedResource } from '../meta/gvk.ts'
import type { KubeObject } from '../meta/object.ts'
import { isStatusError } from '../meta/status.ts'
import type { Namespace } from '../resources/core/v1.types.ts'
import { PODS } from '../resources/kinds.ts'
import type { ControllerEnvironment } from './controller.ts'
import { deleteForeign } from './foreign-content.ts'
import type { ForeignResources } from './foreign-resources.ts'
import type { Remaining, ResourceLeft } from './resource-left.ts'

/** What decides how the content of a namespace is deleted. */
export interface DeletionParts {
  readonly catalog: Catalog
  readonly features: Features
  readonly foreign: ForeignResources
}

/** What a pass over the content of a namespace leaves. */
export interface ContentLeft {
  readonly isEmpty: boolean
  /** Empty while only pods are waited for: kube-controller-manager reports them by no condition. */
  readonly resources: readonly Remaining[]
  /** Why objects could not be deleted, one text a resource. */
  readonly errors: readonly string[]
  /** Group versions of which it is not known what they have in the namespace. */
  readonly undiscovered: readonly string[]
}

/**
 * Deletes all objects of the namespace, one resource after the other, with the grace period that each has; then those that other servers have. With the gate OrderedNamespaceDeletion pods come first, and nothing else is
 * deleted before the last of them has gone, so that what protects them (network policies, quotas) outlives them (KEP-5080).
 */
export async function deleteContent(env: ControllerEnvironment, parts: DeletionParts, namespace: Namespace, signal: AbortSignal): Promise<ContentLeft> {
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
  const known = new Set(own.map(definition => qualifiedResource(idOf(definition))))
  const elsewhere = others.filter(resource => resource.verbs.includes('delete') && !known.has(qualifiedResource(resource)))
  left.push(...(await deleteForeign(foreign, elsewhere, namespace.metadata.name ?? '', signal)))
  const resources = left.filter(({ count }) => count > 0)
  const errors = errorsOf(left)
  return { isEmpty: resources.length === 0 && errors.length === 0 && undiscovered.length === 0, resources, errors, undiscovered }
}

const errorsOf = (left: readonly ResourceLeft[]): string[] => left.flatMap(({ error }) => (error === undefined ? [] : [error]))

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

/** Deletes the objects of one resource; what has finalizers or a grace period may stay for now without an error. */
async function deleteAll(env: ControllerEnvironment, definition: ResourceDefinition, namespace: Namespace): Promise<ResourceLeft> {
  const id = idOf(definition)
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
    return { ...left, error: `unexpected items still remain in namespace: ${name} for gvr: ${id.group}/${version.name}, Resource=${id.resource}` }
  } catch (error) {
    return { ...leftOf(id, []), error: errorMessage(error) }
  }
}

const leftOf = (id: ResourceId, items: readonly KubeObject[]): Remaining => ({
  id,
  count: items.length,
  finalizers: items.flatMap(({ metadata }) => metadata.finalizers ?? []),
})

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
