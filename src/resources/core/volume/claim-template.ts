import { forbidden, invalid, notSupported, required, verbatim } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { validateLabelSelector } from '../../../meta/label-selector.ts'
import { isDns1123Subdomain, nameIsDnsSubdomain } from '../../../meta/names.ts'
import { validateAnnotations, validateLabels } from '../../../meta/object-meta-validation.ts'
import { compareQuantity } from '../../../meta/quantity.ts'
import type { ApiStruct, Errors } from '../checks.ts'
import { NOT_POSITIVE, report } from '../checks.ts'

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']
const VOLUME_MODES = ['Block', 'Filesystem']

/** Upstream tells the path of the source where it should tell the source. */
const SOURCE_PATH = verbatim('field.Path{name:"dataSource", index:"", parent:(*field.Path)(0xc000000000)}')

export interface ClaimSpecOptions {
  /** An older object already has a selector with a bad label value. */
  readonly allowInvalidSelector?: boolean
  /** An older object already has a data source with a bad API group. */
  readonly allowInvalidApiGroup?: boolean
}

/** The template of the claim that an ephemeral volume makes. */
export function checkClaimTemplate(template: ApiStruct, path: FieldPath, errors: Errors): void {
  checkTemplateMeta(template.metadata ?? {}, path.child('metadata'), errors)
  checkClaimSpec(template.spec ?? {}, path.child('spec'), errors)
}

/** Metadata of what is made from a template: labels and annotations, and nothing else. */
export function checkTemplateMeta(metadata: ApiStruct, path: FieldPath, errors: Errors): void {
  errors.push(...validateAnnotations(metadata.annotations ?? {}, path.child('annotations')))
  errors.push(...validateLabels(metadata.labels ?? {}, path.child('labels')))
  for (const [field, value] of Object.entries(metadata)) {
    if (field === 'labels' || field === 'annotations' || value === null || value === undefined) continue
    errors.push(forbidden(path.child(field), 'cannot be set'))
  }
}

/** PersistentVolumeClaimSpec. */
export function checkClaimSpec(spec: ApiStruct, path: FieldPath, errors: Errors, options: ClaimSpecOptions = {}): void {
  const modes: string[] = spec.accessModes ?? []
  if (modes.length === 0) errors.push(required(path.child('accessModes'), 'at least 1 access mode is required'))
  if (spec.selector && !options.allowInvalidSelector) errors.push(...validateLabelSelector(spec.selector, path.child('selector')))
  for (const mode of modes) if (!ACCESS_MODES.includes(mode)) errors.push(notSupported(path.child('accessModes'), mode, ACCESS_MODES))
  if (modes.includes('ReadWriteOncePod') && modes.some(mode => mode !== 'ReadWriteOncePod' && ACCESS_MODES.includes(mode))) {
    errors.push(forbidden(path.child('accessModes'), 'may not use ReadWriteOncePod with other access modes'))
  }
  const storage = spec.resources?.requests?.storage
  const storagePath = path.child('resources').key('storage')
  if (storage === undefined) errors.push(required(storagePath))
  else if (compareQuantity(storage, 0) <= 0) errors.push(invalid(storagePath, storage, NOT_POSITIVE))
  if (spec.storageClassName) report(nameIsDnsSubdomain(spec.storageClassName, false), path.child('storageClassName'), spec.storageClassName, errors)
  if (spec.volumeMode !== undefined && !VOLUME_MODES.includes(spec.volumeMode))
    errors.push(notSupported(path.child('volumeMode'), spec.volumeMode, VOLUME_MODES))
  if (spec.dataSource) checkDataSource(spec.dataSource, path.child('dataSource'), errors, options)
  if (spec.dataSourceRef) checkDataSource(spec.dataSourceRef, path.child('dataSourceRef'), errors, options)
  if (!spec.dataSource || !spec.dataSourceRef) return
  const { dataSource, dataSourceRef } = spec
  if (dataSourceRef.namespace) errors.push(invalid(path, SOURCE_PATH, 'may not be specified when dataSourceRef.namespace is specified'))
  else if (dataSource.apiGroup !== dataSourceRef.apiGroup || dataSource.kind !== dataSourceRef.kind || dataSource.name !== dataSourceRef.name) {
    errors.push(invalid(path, SOURCE_PATH, 'must match dataSourceRef'))
  }
}

function checkDataSource(source: ApiStruct, path: FieldPath, errors: Errors, options: ClaimSpecOptions): void {
  if (!source.name) errors.push(required(path.child('name')))
  if (!source.kind) errors.push(required(path.child('kind')))
  const group: string = source.apiGroup ?? ''
  if (group === '' && source.kind !== 'PersistentVolumeClaim')
    errors.push(invalid(path, source.kind ?? '', "must be 'PersistentVolumeClaim' when referencing the default apiGroup"))
  if (group !== '' && !options.allowInvalidApiGroup) report(isDns1123Subdomain(group), path.child('apiGroup'), group, errors)
  if (source.namespace) report(nameIsDnsSubdomain(source.namespace, false), path.child('namespace'), source.namespace, errors)
}
