import type { StatefulSet } from '../../../api/apps/v1.types.ts'
import type { Pod, PodTemplateSpec, Volume } from '../../../api/core/v1.types.ts'
import { runIfSteps, type Steps } from '../../../lib/steps.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { STATEFUL_SETS } from '../../shared/kinds.ts'
import { controllerReference } from '../../shared/owner.ts'
import { plannedPod } from '../../shared/pod-control.ts'
import { REVISION_LABEL } from '../../shared/revision-history.ts'
import { withMembers } from '../../shared/with-members.ts'
import { claimsOf } from './claims.ts'
import { identityOfName, ordinalOf, podName, startOrdinal } from './ordinals.ts'

const POD_NAME_LABEL = 'statefulset.kubernetes.io/pod-name'
const POD_INDEX_LABEL = 'apps.kubernetes.io/pod-index'

/** Name of the revision of a pod. Empty if it has none. */
export const revisionOf = ({ metadata: { labels } }: Pod): string => labels?.[REVISION_LABEL] ?? ''

/** Templates of a set: the one that pods had before the update, and the one that they get. */
export interface SetRevisions {
  readonly current: { readonly name: string; readonly template: PodTemplateSpec }
  readonly update: { readonly name: string; readonly template: PodTemplateSpec }
}

/**
 * Returns the pod to create for an ordinal: in the current revision below the partition, in the updated one otherwise.
 * It shares the parts of the template, and has to be copied before it is written.
 */
export function* newPod(set: StatefulSet, { current, update }: SetRevisions, ordinal: number, release: Release): Steps<Pod> {
  const { type, rollingUpdate } = set.spec.updateStrategy
  const kept = rollingUpdate ? (rollingUpdate.partition ?? 0) : type === 'RollingUpdate' ? (set.status.currentReplicas ?? 0) : 0
  const { name, template } = ordinal < startOrdinal(set) + kept ? current : update
  const { metadata, spec } = plannedPod(template, set, controllerReference(STATEFUL_SETS, set))
  const { generateName: _prefix, ...named } = metadata
  const of = podName(set, ordinal)
  const pod: Pod = {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { ...named, name: of, labels: yield* runIfSteps(withMembers(metadata.labels, { [REVISION_LABEL]: name })) },
    spec: { ...spec, hostname: of, subdomain: set.spec.serviceName },
    status: {},
  }
  return withStorage(set, yield* withIdentity(set, pod, release))
}

/** Whether a pod has the name and the labels of its ordinal. */
export function hasIdentity(set: StatefulSet, { metadata: { name = '', labels } }: Pod): boolean {
  const { parent, ordinal } = identityOfName(name)
  return ordinal >= 0 && parent === set.metadata.name && name === podName(set, ordinal) && labels?.[POD_NAME_LABEL] === name
}

/** Returns a pod with the labels of its ordinal. */
export function* withIdentity(set: StatefulSet, pod: Pod, release: Release): Steps<Pod> {
  const ordinal = ordinalOf(pod)
  const name = podName(set, ordinal)
  const index = isSince(release, '1.28') ? { [POD_INDEX_LABEL]: String(ordinal) } : {}
  const labels = yield* runIfSteps(withMembers(pod.metadata.labels, { [POD_NAME_LABEL]: name, ...index }))
  return { ...pod, metadata: { ...pod.metadata, name, labels } }
}

/** Whether a pod has a volume for each claim of its ordinal. */
export function hasStorage(set: StatefulSet, pod: Pod): boolean {
  if ((set.spec.volumeClaimTemplates ?? []).length === 0) return true
  const volumes = new Map((pod.spec.volumes ?? []).map(volume => [volume.name, volume.persistentVolumeClaim?.claimName]))
  return Array.from(claimsOf(set, ordinalOf(pod))).every(([name, { metadata }]) => volumes.get(name) === metadata.name)
}

/** Returns a pod with a volume for each claim of its ordinal. Volumes of the same names are replaced. */
export function withStorage(set: StatefulSet, pod: Pod): Pod {
  const claims = claimsOf(set, ordinalOf(pod))
  if (claims.size === 0) return pod
  const volumes = Array.from(
    claims,
    ([name, { metadata }]): Volume => ({ name, persistentVolumeClaim: { claimName: metadata.name ?? '' } }),
  )
  const others = (pod.spec.volumes ?? []).filter(({ name }) => !claims.has(name))
  return { ...pod, spec: { ...pod.spec, volumes: [...volumes, ...others] } }
}
