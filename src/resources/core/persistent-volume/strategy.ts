import type { Strategy } from '../../../catalog/definition.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { quantityMilliValue } from '../../../meta/quantity.ts'
import { formatTime } from '../../../meta/time.ts'
import { keepMembers, SPEC_FIELDS, STATUS_FIELDS } from '../../shared/strategy-parts.ts'
import type { ApiStruct } from '../checks.ts'
import { nodeTermWarnings } from '../pod-spec/warnings.ts'
import { CLASS_ANNOTATION } from '../storage-class.ts'
import { validatePersistentVolume } from './validation.ts'

/** The class of volume attributes is off in this release: only who has one keeps it. */
function dropDisabledFields(next: KubeObject, old: KubeObject | undefined): void {
  if (next.spec?.volumeAttributesClassName !== undefined && old?.spec?.volumeAttributesClassName === undefined) delete next.spec.volumeAttributesClassName
}

export const persistentVolumeStrategy: Strategy = {
  revalidatesMeta: true,
  resetFields: STATUS_FIELDS,
  returnsDeleted: true,
  prepare(next, old, { now }) {
    dropDisabledFields(next, old)
    if (old) keepMembers(next, old, 'status')
    else next.status = { phase: 'Pending', lastPhaseTransitionTime: formatTime(now) }
  },
  validate: validatePersistentVolume,
  warnings,
}

export const persistentVolumeStatusStrategy: Strategy = {
  revalidatesMeta: true,
  resetFields: SPEC_FIELDS,
  /** The time of the last change of phase is kept by the server, unless the client writes it. */
  prepare(next, old, { now }) {
    if (!old) return
    keepMembers(next, old, 'spec')
    next.status ??= {}
    const time: string | undefined = next.status.lastPhaseTransitionTime
    const before: string | undefined = old.status?.lastPhaseTransitionTime
    if (next.status.phase !== old.status?.phase) {
      if (time === undefined || time === before) next.status.lastPhaseTransitionTime = formatTime(now)
    } else if (time === undefined && before !== undefined) {
      next.status.lastPhaseTransitionTime = before
    }
  },
  validate: () => [],
}

const RETIRED: readonly (readonly [source: string, name: string, since: string, gone: string])[] = [
  ['cephfs', 'cephfs', 'v1.28', 'v1.31'],
  ['photonPersistentDisk', 'photonPersistentDisk', 'v1.11', 'v1.16'],
  ['scaleIO', 'scaleIO', 'v1.16', 'v1.22'],
  ['storageos', 'storageOS', 'v1.22', 'v1.25'],
  ['glusterfs', 'glusterfs', 'v1.25', 'v1.26'],
  ['rbd', 'rbd', 'v1.28', 'v1.31'],
]

function warnings({ metadata, spec = {} }: KubeObject): string[] {
  const texts: string[] = []
  const annotations = metadata.annotations ?? {}
  if (Object.hasOwn(annotations, CLASS_ANNOTATION)) {
    texts.push(`metadata.annotations[${CLASS_ANNOTATION}]: deprecated since v1.8; use "storageClassName" attribute instead`)
  }
  if (Object.hasOwn(annotations, 'volume.beta.kubernetes.io/mount-options')) {
    texts.push('metadata.annotations[volume.beta.kubernetes.io/mount-options]: deprecated since v1.31; use "mountOptions" attribute instead')
  }
  if (spec.persistentVolumeReclaimPolicy === 'Recycle') {
    texts.push(
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
    )
  }
  const terms: ApiStruct[] = spec.nodeAffinity?.required?.nodeSelectorTerms ?? []
  const termsPath = fieldPath('spec', 'nodeAffinity', 'required', 'nodeSelectorTerms')
  texts.push(...terms.flatMap((term, i) => nodeTermWarnings(term, false, termsPath.index(i))))
  for (const [source, name, since, gone] of RETIRED) {
    if (spec[source] !== undefined) texts.push(`spec.${name}: deprecated in ${since}, non-functional in ${gone}+`)
  }
  const storage: string | undefined = spec.capacity?.storage
  if (storage !== undefined && quantityMilliValue(storage) % 1000n !== 0n) {
    texts.push(`spec.capacity[storage]: fractional byte value "${storage}" is invalid, must be an integer`)
  }
  return texts
}
