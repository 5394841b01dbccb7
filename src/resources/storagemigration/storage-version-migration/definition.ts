import type { StorageVersionMigration } from '../../../api/storagemigration/v1alpha1.types.ts'
import type { StorageVersionMigration as BetaMigration } from '../../../api/storagemigration/v1beta1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { types } from '../../../catalog/types.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { column } from '../../shared/columns.ts'
import { statusAloneStrategy, withholdStatus } from '../../shared/status-metadata.ts'
import { STANDARD_VERBS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { validateBetaMigration, validateBetaStatus } from './beta-validation.ts'
import { betaFromHub, betaToHub } from './conversion.ts'
import { validateMigration, validateMigrationStatus } from './validation.ts'

const COLUMNS = [column('Name', 'Name of the object.'), column('Resource', 'Resource whose objects are rewritten.')]

const table: TableDefinition<StorageVersionMigration> = {
  columns: COLUMNS,
  cells({ metadata, spec }) {
    const { resource = '', version = '', group = '' } = spec.resource
    return [metadata.name ?? '', `${resource}.${version}.${group}`]
  },
}

const STATES = ['Running', 'Failed', 'Succeeded']

/** Table of 1.35 and later, with the last condition that is true. */
const tableWithStatus: TableDefinition<StorageVersionMigration> = {
  columns: [...COLUMNS, column('Status', 'State of the migration.')],
  cells({ metadata, spec, status }) {
    const { resource = '', group = '' } = spec.resource
    const state = status.conditions?.findLast(condition => condition.status === 'True' && STATES.includes(condition.type))
    return [metadata.name ?? '', group === '' ? resource : `${resource}.${group}`, state?.type ?? 'Unknown']
  },
}

const isBeta = ({ features }: HookContext): boolean => isSince(features.release, '1.35')
/** Converts the old object, if any, to v1beta1. */
const betaOf = (old: StorageVersionMigration | undefined): BetaMigration | undefined => old && betaFromHub(old)

const statusStrategy = statusAloneStrategy<StorageVersionMigration>({
  allowUnconditionalUpdate: false,
  validate: (next, old, ctx) => (isBeta(ctx) ? validateBetaStatus(betaFromHub(next), betaOf(old)) : validateMigrationStatus(next, old)),
})

const v1alpha1: Version<StorageVersionMigration> = {
  group: 'storagemigration.k8s.io',
  name: 'v1alpha1',
  kind: 'StorageVersionMigration',
  names: { plural: 'storageversionmigrations', singular: 'storageversionmigration' },
  verbs: STANDARD_VERBS,
  schema: types.type('storagemigration.StorageVersionMigration'),
  listSchema: types.type('storagemigration.StorageVersionMigrationList'),
  table,
  tableIn: release => (isSince(release, '1.35') ? tableWithStatus : table),
  subresources: { status: { verbs: STATUS_VERBS, strategy: statusStrategy } },
}

const v1beta1: Version<BetaMigration, StorageVersionMigration> = {
  group: v1alpha1.group,
  name: 'v1beta1',
  kind: v1alpha1.kind,
  names: v1alpha1.names,
  verbs: v1alpha1.verbs,
  schema: types.type('storagemigrationV1beta1.StorageVersionMigration'),
  toHub: betaToHub,
  fromHub: betaFromHub,
  subresources: { status: { verbs: STATUS_VERBS, strategy: statusStrategy } },
}

/** Differs from v1beta1 only in name. */
const v1: Version<BetaMigration, StorageVersionMigration> = {
  ...v1beta1,
  name: 'v1',
  schema: types.type('storagemigrationV1.StorageVersionMigration'),
}

/**
 * Asks a controller, which is not part of this server, to rewrite all objects of a resource. Releases up to 1.34 have
 * v1alpha1, 1.35 and later v1beta1, which are not served by default, and 1.37 has v1, which is. Fields that the other
 * version lacks are lost when an object is written, as between kube-apiservers of these releases.
 * https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/storage-version-migration-v1alpha1/ Source of
 * its rules: pkg/registry/storagemigration/storagemigration.
 */
export const storageVersionMigrationResource = defineResource<StorageVersionMigration>({
  scope: 'Cluster',
  versions: [v1, v1beta1, v1alpha1],
  hub: v1alpha1,
  storage: { prefix: 'storageversionmigrations', version: v1alpha1 },
  strategy: {
    allowUnconditionalUpdate: false,
    metaRounds: ['change', 'whole'],
    resetFields: STATUS_FIELDS,
    prepare: (next, old) => withholdStatus(next, old),
    validate: (next, old, ctx) => (isBeta(ctx) ? validateBetaMigration(betaFromHub(next), betaOf(old)) : validateMigration(next, old)),
  },
})
