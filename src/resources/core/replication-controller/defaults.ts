import type { ReplicationController } from '../../../api/core/v1.types.ts'
import { runAtOnce, type Steps } from '../../../lib/steps.ts'
import { hasNoMembers, isWide } from '../../../lib/wide-objects.ts'
import { cloneInSteps } from '../../../meta/whole-floats.ts'
import { defaultPodTemplate } from '../pod-spec/defaults.ts'

/**
 * Selector and labels default to the labels of the template. There is one replica by default; since 1.33 a marker sets
 * it.
 */
export function setReplicationControllerDefaults(object: ReplicationController): Steps<void> | undefined {
  const { spec } = object
  spec.replicas ??= 1
  // The marker's default is Go's zero value, which is omitted when written.
  if (spec.minReadySeconds === 0) delete spec.minReadySeconds
  if (spec.template === undefined) return undefined
  const { labels } = spec.template.metadata
  const rest = defaultPodTemplate(spec.template)
  if (labels === undefined) return rest
  const steps = copyLabels(object, labels)
  if (isWide(labels)) return templateThenLabels(rest, steps)
  runAtOnce(steps)
  return rest
}

function* copyLabels({ spec, metadata }: ReplicationController, labels: Readonly<Record<string, string>>): Steps<void> {
  if (hasNoMembers(spec.selector)) spec.selector = yield* cloneInSteps(labels)
  if (hasNoMembers(metadata.labels)) metadata.labels = yield* cloneInSteps(labels)
}

function* templateThenLabels(template: Steps<void> | undefined, labels: Steps<void>): Steps<void> {
  if (template) yield* template
  yield* labels
}
