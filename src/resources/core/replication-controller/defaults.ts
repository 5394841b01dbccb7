import type { ReplicationController } from '../../../api/core/v1.types.ts'
import { clone } from '../../../meta/equal.ts'
import { defaultPodTemplate } from '../pod-spec/defaults.ts'

const isEmptyMap = (map: object | undefined): boolean => Object.keys(map ?? {}).length === 0

/**
 * Selector and labels default to the labels of the template. There is one replica by default; since 1.33 a marker sets
 * it.
 */
export function setReplicationControllerDefaults(object: ReplicationController): void {
  const { spec, metadata } = object
  const labels = spec.template?.metadata.labels
  if (labels) {
    if (isEmptyMap(spec.selector)) spec.selector = clone(labels)
    if (isEmptyMap(metadata.labels)) metadata.labels = clone(labels)
  }
  spec.replicas ??= 1
  // The marker's default is Go's zero value, which is omitted when written.
  if (spec.minReadySeconds === 0) delete spec.minReadySeconds
  if (spec.template) defaultPodTemplate(spec.template)
}
