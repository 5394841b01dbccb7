import { formatTime } from '../meta/time.ts'
import type { Namespace, NamespaceCondition } from '../resources/core/v1.types.ts'
import type { ContentLeft, Remaining } from './namespace-deletion.ts'

type Finding = Pick<Required<NamespaceCondition>, 'type' | 'status' | 'reason' | 'message'>

/**
 * The conditions that `kubectl describe namespace` shows of a namespace whose content is being deleted.
 * Source: pkg/controller/namespace/deletion/status_condition_utils.go in k8s.io/kubernetes.
 */
export function withConditions(namespace: Namespace, { resources, errors }: ContentLeft, now: number): Namespace {
  const wanted = [
    isFalse('NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'),
    isFalse('NamespaceDeletionGroupVersionParsingFailure', 'ParsedGroupVersions', 'All legacy kube types successfully parsed'),
    errors.length > 0
      ? isTrue('NamespaceDeletionContentFailure', 'ContentDeletionFailed', failureText(errors))
      : isFalse('NamespaceDeletionContentFailure', 'ContentDeleted', 'All content successfully deleted, may be waiting on finalization'),
    remaining(resources),
    remainingFinalizers(resources),
  ]
  const { conditions: before = [] } = namespace.status
  const conditions = wanted.map(next => {
    const old = before.find(({ type }) => type === next.type)
    return { ...next, lastTransitionTime: old?.status === next.status ? old.lastTransitionTime : formatTime(now) }
  })
  namespace.status = { ...namespace.status, conditions }
  return namespace
}

const failureText = (errors: readonly string[]): string => `Failed to delete all resource types, ${errors.length} remaining: ${[...errors].sort().join(', ')}`

function remaining(resources: readonly Remaining[]): Finding {
  if (resources.length === 0) return isFalse('NamespaceContentRemaining', 'ContentRemoved', 'All content successfully removed')
  const counts = resources.map(({ definition, items }) => `${definition.hub.names.plural}.${definition.hub.group} has ${items.length} resource instances`)
  return isTrue('NamespaceContentRemaining', 'SomeResourcesRemain', `Some resources are remaining: ${counts.sort().join(', ')}`)
}

function remainingFinalizers(resources: readonly Remaining[]): Finding {
  const counts = new Map<string, number>()
  for (const { items } of resources)
    for (const { metadata } of items) for (const finalizer of metadata.finalizers ?? []) counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1)
  if (counts.size === 0) return isFalse('NamespaceFinalizersRemaining', 'ContentHasNoFinalizers', 'All content-preserving finalizers finished')
  const texts = [...counts].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`)
  return isTrue('NamespaceFinalizersRemaining', 'SomeFinalizersRemain', `Some content in the namespace has finalizers remaining: ${texts.sort().join(', ')}`)
}

const isTrue = (type: string, reason: string, message: string): Finding => ({ type, status: 'True', reason, message })
const isFalse = (type: string, reason: string, message: string): Finding => ({ type, status: 'False', reason, message })
