import { clone } from '../../../meta/equal.ts'
import { defaultPodTemplate } from '../pod-spec/defaults.ts'
import type { ReplicationController } from '../v1.types.ts'

const isEmpty = (map: object | undefined): boolean => Object.keys(map ?? {}).length === 0

/** The labels of the template stand in for a selector and labels that are not given; one replica is a marker's default. */
export function setReplicationControllerDefaults(object: ReplicationController): void {
  const { spec, metadata } = object
  const labels = spec.template?.metadata.labels
  if (labels) {
    if (isEmpty(spec.selector)) spec.selector = clone(labels)
    if (isEmpty(metadata.labels)) metadata.labels = clone(labels)
  }
  // The marker's default is Go's zero, which is not written.
  if (spec.minReadySeconds === 0) delete spec.minReadySeconds
  if (spec.template) defaultPodTemplate(spec.template)
}
