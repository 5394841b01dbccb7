import type { PersistentVolumeClaim, PersistentVolumeClaimSpec, TypedLocalObjectReference } from '../../../api/core/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import type { HookContext, Strategy } from '../../../catalog/strategy.ts'
import { types } from '../../../catalog/types.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { age } from '../../../meta/age.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { ageColumn, column, nameColumn, withoutColumn } from '../../shared/columns.ts'
import { keepMembers, SPEC_FIELDS, STANDARD_VERBS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { claimSpecWarnings } from '../pod-spec/volume-warnings.ts'
import { classAnnotationWarnings, printAccessModes, storageClassOf } from '../storage-class.ts'
import { setClaimDefaults } from './defaults.ts'
import { validateClaimStatus, validatePersistentVolumeClaim } from './validation.ts'

const claimStrategy: Strategy<PersistentVolumeClaim> = {
  metaRounds: ['whole', 'change', 'whole'],
  resetFields: STATUS_FIELDS,
  returnsDeleted: true,
  prepare(next, old, { features }) {
    if (old) keepMembers(next, old, 'status')
    else next.status = { phase: 'Pending' }
    dropDisabledFields(next.spec, old?.spec, features)
    normaliseSources(next.spec, old?.spec)
  },
  validate: validatePersistentVolumeClaim,
  warnings,
}

const claimStatusStrategy: Strategy<PersistentVolumeClaim> = {
  resetFields: SPEC_FIELDS,
  prepare(next, old) {
    if (old) keepMembers(next, old, 'spec')
  },
  validate: (next, _, { features }) => validateClaimStatus(next, features),
}

/**
 * Drops fields of disabled gates in code, not by the `gate` mark of the declaration: other kinds contain claim specs
 * that keep the attributes class, and a source in another namespace is dropped as a whole.
 */
function dropDisabledFields(spec: PersistentVolumeClaimSpec, old: PersistentVolumeClaimSpec | undefined, features: Features): void {
  if (!features.enabled('VolumeAttributesClass') && old?.volumeAttributesClassName === undefined) delete spec.volumeAttributesClassName
  if (!features.enabled('CrossNamespaceVolumeDataSource') && spec.dataSourceRef?.namespace && !old?.dataSourceRef) delete spec.dataSourceRef
}

/** A claim has `apiGroup: null` if the client sets none. */
const isClassicSource = ({ kind, apiGroup }: TypedLocalObjectReference): boolean =>
  (kind === 'PersistentVolumeClaim' && (apiGroup ?? '') === '') || (kind === 'VolumeSnapshot' && apiGroup === 'snapshot.storage.k8s.io')

/**
 * Makes dataSource and dataSourceRef equal if only one of them is set. A dataSource alone is dropped if it is neither a
 * claim nor a snapshot, unless the old claim already has a source. A dataSourceRef with a namespace is not copied,
 * since dataSource has no such member.
 */
function normaliseSources(spec: PersistentVolumeClaimSpec, old: PersistentVolumeClaimSpec | undefined): void {
  if (!old?.dataSource && !old?.dataSourceRef && spec.dataSource && !spec.dataSourceRef && !isClassicSource(spec.dataSource))
    delete spec.dataSource
  if (spec.dataSource && !spec.dataSourceRef) spec.dataSourceRef = { ...spec.dataSource }
  else if (spec.dataSourceRef && !spec.dataSource && !spec.dataSourceRef.namespace) {
    const { namespace: _, ...source } = spec.dataSourceRef
    spec.dataSource = source
  }
}

function warnings(
  { metadata, spec }: PersistentVolumeClaim,
  _: PersistentVolumeClaim | undefined,
  { features: { release } }: HookContext,
): string[] {
  if (!isSince(release, '1.26')) return []
  return [...(isSince(release, '1.28') ? classAnnotationWarnings(metadata) : []), ...claimSpecWarnings(spec, fieldPath('spec'))]
}

const claimTable: TableDefinition<PersistentVolumeClaim> = {
  columns: [
    nameColumn,
    column('Status', 'Whether the claim is bound to a volume.'),
    column('Volume', 'Volume that the claim is bound to.'),
    column('Capacity', 'Size of the bound volume.'),
    column('Access Modes', 'Access modes of the bound volume.'),
    column('StorageClass', 'Storage class of the claim.'),
    column('VolumeAttributesClass', 'Volume attributes class of the claim.'),
    ageColumn,
    column('VolumeMode', 'Filesystem or raw block device.', 1),
  ],
  cells(claim, now) {
    const { metadata, spec, status } = claim
    // Capacity and access modes belong to the bound volume: an unbound claim shows neither.
    const bound = Boolean(spec.volumeName)
    return [
      metadata.name ?? '',
      metadata.deletionTimestamp ? 'Terminating' : (status.phase ?? ''),
      spec.volumeName ?? '',
      bound ? (status.capacity?.storage ?? '0') : '',
      bound ? printAccessModes(status.accessModes) : '',
      storageClassOf(claim),
      spec.volumeAttributesClassName ?? '<unset>',
      age(metadata.creationTimestamp, now),
      spec.volumeMode ?? '<unset>',
    ]
  },
}

const v1: Version<PersistentVolumeClaim> = {
  group: '',
  name: 'v1',
  kind: 'PersistentVolumeClaim',
  names: { plural: 'persistentvolumeclaims', singular: 'persistentvolumeclaim', shortNames: ['pvc'] },
  verbs: STANDARD_VERBS,
  schema: types.type('core.PersistentVolumeClaim'),
  setDefaults: setClaimDefaults,
  table: claimTable,
  tableIn: release => (isSince(release, '1.29') ? claimTable : withoutColumn(claimTable, 'VolumeAttributesClass')),
  subresources: { status: { verbs: STATUS_VERBS, strategy: claimStatusStrategy } },
}

/**
 * A request for storage. Only the size of a bound claim may grow (admission-plugin.ts), and its attributes class
 * change. https://kubernetes.io/docs/concepts/storage/persistent-volumes/#persistentvolumeclaims Source of its rules:
 * pkg/registry/core/persistentvolumeclaim.
 */
export const persistentVolumeClaimResource = defineResource<PersistentVolumeClaim>({
  scope: 'Namespaced',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'persistentvolumeclaims', version: v1 },
  strategy: claimStrategy,
})
