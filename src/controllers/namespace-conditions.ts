import type { Namespace, NamespaceCondition } from '../api/core/v1.types.ts'
import { formatTime } from '../meta/time.ts'
import type { ContentLeft } from './namespace-deletion.ts'
import type { Remaining } from './resource-left.ts'

type Finding = Pick<Required<NamespaceCondition>, 'type' | 'status' | 'reason' | 'message'>

/**
 * Sets the deletion conditions of a namespace, as `kubectl describe namespace` shows them. Conditions of other types
 * are kept.
 * Source: pkg/controller/namespace/deletion/status_condition_utils.go in k8s.io/kubernetes.
 */
export function withConditions(namespace: Namespace, { resources, errors, undiscovered }: ContentLeft, now: number): Namespace {
  const wanted = [
    undiscovered.length > 0
      ? trueCondition('NamespaceDeletionDiscoveryFailure', 'DiscoveryFailed', undiscoveredText(undiscovered))
      : isFalse('NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'),
    isFalse('NamespaceDeletionGroupVersionParsingFailure', 'ParsedGroupVersions', 'All legacy kube types successfully parsed'),
    errors.length > 0
      ? trueCondition('NamespaceDeletionContentFailure', 'ContentDeletionFailed', failureText(errors))
      : isFalse('NamespaceDeletionContentFailure', 'ContentDeleted', 'All content successfully deleted, may be waiting on finalization'),
    remaining(resources),
    remainingFinalizers(resources),
  ]
  const conditions = new Map((namespace.status.conditions ?? []).map(condition => [condition.type, condition]))
  for (const next of wanted) {
    const old = conditions.get(next.type)
    const lastTransitionTime = old?.status === next.status ? old.lastTransitionTime : formatTime(now)
    conditions.set(next.type, { ...next, lastTransitionTime })
  }
  namespace.status = { ...namespace.status, conditions: [...conditions.values()] }
  return namespace
}

/** Source: ErrGroupDiscoveryFailed and StaleGroupVersionError of k8s.io/client-go, discovery. */
function undiscoveredText(groupVersions: readonly string[]): string {
  const failures = [...groupVersions].sort().map(each => `${each}: stale GroupVersion discovery: ${each}`)
  return `Discovery failed for some groups, ${failures.length} failing: unable to retrieve the complete list of server APIs: ${failures.join(', ')}`
}

const failureText = (errors: readonly string[]): string =>
  `Failed to delete all resource types, ${errors.length} remaining: ${[...errors].sort().join(', ')}`

function remaining(resources: readonly Remaining[]): Finding {
  if (resources.length === 0) return isFalse('NamespaceContentRemaining', 'ContentRemoved', 'All content successfully removed')
  const counts = resources.map(({ id, count }) => `${id.resource}.${id.group} has ${count} resource instances`)
  return trueCondition('NamespaceContentRemaining', 'SomeResourcesRemain', `Some resources are remaining: ${counts.sort().join(', ')}`)
}

/** Condition for remaining finalizers, with their counts. */
function remainingFinalizers(resources: readonly Remaining[]): Finding {
  const counts = new Map<string, number>()
  for (const { finalizers } of resources) for (const finalizer of finalizers) counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1)
  if (counts.size === 0)
    return isFalse('NamespaceFinalizersRemaining', 'ContentHasNoFinalizers', 'All content-preserving finalizers finished')
  const texts = [...counts].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`)
  return trueCondition(
    'NamespaceFinalizersRemaining',
    'SomeFinalizersRemain',
    `Some content in the namespace has finalizers remaining: ${texts.sort().join(', ')}`,
  )
}

const trueCondition = (type: string, reason: string, message: string): Finding => ({ type, status: 'True', reason, message })
const isFalse = (type: string, reason: string, message: string): Finding => ({ type, status: 'False', reason, message })
