import type {
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimTemplate,
  TypedLocalObjectReference,
  TypedObjectReference,
} from '../../../api/core/v1.types.ts'
import type { ObjectMeta } from '../../../api/meta/object.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, notSupported, required, verbatim } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { type LabelSelectorRules, validateLabelSelector } from '../../../meta/label-selector.ts'
import { isDns1123Subdomain, nameIsDnsSubdomain } from '../../../meta/names.ts'
import { validateAnnotations, validateLabels } from '../../../meta/object-meta-validation.ts'
import { compareQuantity } from '../../../meta/quantity.ts'
import { NOT_POSITIVE } from '../checks.ts'
import { ACCESS_MODES, VOLUME_MODES } from '../storage-class.ts'

/**
 * Upstream prints the path of the source, a Go struct, in place of the source itself. Its pointer varies from run to
 * run there, and is fixed here.
 */
const SOURCE_PATH = verbatim('field.Path{name:"dataSource", index:"", parent:(*field.Path)(0xc000000000)}')

/** Rules that depend on gates and on the old object. */
export interface ClaimSpecOptions {
  readonly release: Release
  /** Optional. Whether selectors may have invalid label values, by release or because the old object has one. */
  readonly selector?: LabelSelectorRules
  /** Optional. Set before 1.29, or if the old object has a data source with an API group. */
  readonly allowInvalidApiGroup?: boolean
  /** Optional. Set if the gate VolumeAttributesClass is on, or the old object has a class. */
  readonly hasClasses?: boolean
}

/**
 * Validates the claim template of an ephemeral volume. Since 1.26 no faults are tolerated. The name of a
 * volumeAttributesClass is not checked.
 */
export function validateClaimTemplate(template: PersistentVolumeClaimTemplate, path: FieldPath, release: Release): FieldError[] {
  const isStrict = isSince(release, '1.26')
  const errors = validateTemplateMeta(
    template.metadata,
    path.child('metadata'),
    isStrict ? 'cannot be set' : 'cannot be set for an ephemeral volume',
  )
  errors.push(...validateClaimSpec(template.spec, path.child('spec'), { release, selector: { allowInvalidValues: !isStrict } }))
  return errors
}

/** Validates the metadata of a template, which may only have labels and annotations. Null counts as unset. */
export function validateTemplateMeta(metadata: ObjectMeta, path: FieldPath, refusal = 'cannot be set'): FieldError[] {
  const errors = validateAnnotations(metadata.annotations, path.child('annotations'))
  errors.push(...validateLabels(metadata.labels, path.child('labels')))
  for (const [field, value] of Object.entries(metadata)) {
    if (field === 'labels' || field === 'annotations' || value === null || value === undefined) continue
    errors.push(forbidden(path.child(field), refusal))
  }
  return errors
}

/**
 * Validates a PersistentVolumeClaimSpec, of a claim or of the template in an ephemeral volume. It needs an access mode
 * and a positive storage request. Upstream’s path of the request is `resources[storage]`. Errors in a mode are reported
 * for the list. Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function validateClaimSpec(spec: PersistentVolumeClaimSpec, path: FieldPath, options: ClaimSpecOptions): FieldError[] {
  const errors: FieldError[] = []
  const { accessModes: modes = [] } = spec
  if (modes.length === 0) errors.push(required(path.child('accessModes'), 'at least 1 access mode is required'))
  errors.push(...validateLabelSelector(spec.selector, path.child('selector'), options.selector))
  for (const mode of modes) if (!ACCESS_MODES.includes(mode)) errors.push(notSupported(path.child('accessModes'), mode, ACCESS_MODES))
  if (modes.includes('ReadWriteOncePod') && modes.some(mode => mode !== 'ReadWriteOncePod' && ACCESS_MODES.includes(mode))) {
    errors.push(forbidden(path.child('accessModes'), 'may not use ReadWriteOncePod with other access modes'))
  }
  const storage = spec.resources.requests?.storage
  const storagePath = path.child('resources').key('storage')
  if (storage === undefined) errors.push(required(storagePath))
  else if (compareQuantity(storage, 0) <= 0) errors.push(invalid(storagePath, storage, NOT_POSITIVE))
  if (spec.storageClassName)
    for (const text of nameIsDnsSubdomain(spec.storageClassName, false))
      errors.push(invalid(path.child('storageClassName'), spec.storageClassName, text))
  if (spec.volumeMode !== undefined && !VOLUME_MODES.includes(spec.volumeMode))
    errors.push(notSupported(path.child('volumeMode'), spec.volumeMode, VOLUME_MODES))
  if (spec.dataSource) errors.push(...validateDataSource(spec.dataSource, path.child('dataSource'), options))
  if (spec.dataSourceRef) errors.push(...validateDataSource(spec.dataSourceRef, path.child('dataSourceRef'), options))
  errors.push(...validateAgreement(spec, path))
  const { volumeAttributesClassName: name } = spec
  if (name && options.hasClasses)
    for (const text of nameIsDnsSubdomain(name, false)) errors.push(invalid(path.child('volumeAttributesClassName'), name, text))
  return errors
}

/**
 * Checks that dataSource and dataSourceRef are equal if both are set. A dataSourceRef with a namespace excludes
 * dataSource, which has no such member.
 */
function validateAgreement({ dataSource, dataSourceRef }: PersistentVolumeClaimSpec, path: FieldPath): FieldError[] {
  if (!dataSource || !dataSourceRef) return []
  const errors: FieldError[] = []
  if (dataSourceRef.namespace) errors.push(invalid(path, SOURCE_PATH, 'may not be specified when dataSourceRef.namespace is specified'))
  else if (
    dataSource.apiGroup !== dataSourceRef.apiGroup ||
    dataSource.kind !== dataSourceRef.kind ||
    dataSource.name !== dataSourceRef.name
  ) {
    errors.push(invalid(path, SOURCE_PATH, 'must match dataSourceRef'))
  }
  return errors
}

/**
 * Validates a data source. Without an API group it must be a claim. An invalid group is accepted if `options` allow it.
 * Name and kind are always required.
 */
function validateDataSource(
  source: TypedLocalObjectReference & Pick<TypedObjectReference, 'namespace'>,
  path: FieldPath,
  options: ClaimSpecOptions,
): FieldError[] {
  const errors: FieldError[] = []
  if (!source.name) errors.push(required(path.child('name')))
  if (!source.kind) errors.push(required(path.child('kind')))
  const group: string = source.apiGroup ?? ''
  if (group === '' && source.kind !== 'PersistentVolumeClaim')
    errors.push(
      invalid(
        path,
        source.kind ?? '',
        isSince(options.release, '1.26') ? "must be 'PersistentVolumeClaim' when referencing the default apiGroup" : '',
      ),
    )
  if (group !== '' && !options.allowInvalidApiGroup)
    for (const text of isDns1123Subdomain(group)) errors.push(invalid(path.child('apiGroup'), group, text))
  if (source.namespace)
    for (const text of nameIsDnsSubdomain(source.namespace, false)) errors.push(invalid(path.child('namespace'), source.namespace, text))
  return errors
}
