import type { Strategy } from '../../../catalog/definition.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { quantityMilliValue } from '../../../meta/quantity.ts'
import { keepMembers, SPEC_FIELDS, STATUS_FIELDS } from '../../shared/strategy-parts.ts'
import type { ApiStruct } from '../checks.ts'
import { CLASS_ANNOTATION } from '../storage-class.ts'
import { validateClaim, validateClaimStatus } from './validation.ts'

export const claimStrategy: Strategy = {
  revalidatesMeta: true,
  resetFields: STATUS_FIELDS,
  returnsDeleted: true,
  prepare(next, old) {
    if (old) keepMembers(next, old, 'status')
    else next.status = { phase: 'Pending' }
    next.spec ??= {}
    dropDisabledFields(next.spec, old?.spec)
    normaliseSources(next.spec, old?.spec)
  },
  validate: validateClaim,
  warnings,
}

export const claimStatusStrategy: Strategy = {
  revalidatesMeta: true,
  resetFields: SPEC_FIELDS,
  prepare(next, old) {
    if (!old) return
    keepMembers(next, old, 'spec')
    for (const field of ['currentVolumeAttributesClassName', 'modifyVolumeStatus']) {
      if (next.status?.[field] !== undefined && old.status?.[field] === undefined) delete next.status[field]
    }
  },
  validate: next => validateClaimStatus(next),
}

/** Features that are off in this release: classes of volume attributes, and sources in other namespaces. */
export function dropDisabledFields(spec: ApiStruct, old: ApiStruct | undefined): void {
  if (spec.volumeAttributesClassName !== undefined && old?.volumeAttributesClassName === undefined) delete spec.volumeAttributesClassName
  if (spec.dataSourceRef?.namespace && !old?.dataSourceRef) delete spec.dataSourceRef
}

/** A claim says `apiGroup: null` where it is given none. */
const isClassicSource = ({ kind, apiGroup }: ApiStruct): boolean =>
  (kind === 'PersistentVolumeClaim' && (apiGroup ?? '') === '') || (kind === 'VolumeSnapshot' && apiGroup === 'snapshot.storage.k8s.io')

/** dataSource and dataSourceRef say the same where one of them is not given. The former, alone, is dropped where it is neither a claim nor a snapshot. */
function normaliseSources(spec: ApiStruct, old: ApiStruct | undefined): void {
  if (!old?.dataSource && !old?.dataSourceRef && spec.dataSource && !spec.dataSourceRef && !isClassicSource(spec.dataSource)) delete spec.dataSource
  if (spec.dataSource && !spec.dataSourceRef) spec.dataSourceRef = { ...spec.dataSource }
  else if (spec.dataSourceRef && !spec.dataSource && !spec.dataSourceRef.namespace) {
    const { namespace: _, ...source } = spec.dataSourceRef
    spec.dataSource = source
  }
}

function warnings({ metadata, spec = {} }: KubeObject): string[] {
  const texts: string[] = []
  if (Object.hasOwn(metadata.annotations ?? {}, CLASS_ANNOTATION)) {
    texts.push(`metadata.annotations[${CLASS_ANNOTATION}]: deprecated since v1.8; use "storageClassName" attribute instead`)
  }
  return [...texts, ...claimSpecWarnings(spec, fieldPath('spec'))]
}

export function claimSpecWarnings(spec: ApiStruct, path: FieldPath): string[] {
  const texts: string[] = []
  for (const list of ['requests', 'limits']) {
    const quantity: string | undefined = spec.resources?.[list]?.storage
    if (quantity !== undefined && quantityMilliValue(quantity) % 1000n !== 0n) {
      texts.push(`${path.child('resources', list).key('storage').text}: fractional byte value "${quantity}" is invalid, must be an integer`)
    }
  }
  return texts
}
