import type { TypedObject } from '../../../api/meta/object.ts'
import type { ResourceKind } from '../../../clients/api-client.ts'
import { formatTime } from '../../../meta/time.ts'

/** Condition of a migration in any version: v1alpha1 has `lastUpdateTime`, and others have `lastTransitionTime`. */
interface MigrationCondition {
  /** `Running`, `Succeeded` or `Failed`. */
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  /** Only in v1alpha1. */
  readonly lastUpdateTime?: string
  /** Only in v1beta1 and v1. */
  readonly lastTransitionTime?: string
  /** Generation of the migration that the condition is about. */
  readonly observedGeneration?: number | bigint
}

/** StorageVersionMigration in any version. Only v1alpha1 names the version of the resource. */
export type Migration = TypedObject & {
  readonly spec: { readonly resource: { readonly group?: string; readonly version?: string; readonly resource?: string } }
  readonly status: { readonly conditions?: readonly MigrationCondition[]; readonly resourceVersion?: string }
}

/** Versions of StorageVersionMigration, newest first. Releases serve some of them, or none. */
export const MIGRATIONS = ['v1', 'v1beta1', 'v1alpha1'].map(
  (version): ResourceKind<Migration> => ({
    group: 'storagemigration.k8s.io',
    version,
    resource: 'storageversionmigrations',
    kind: 'StorageVersionMigration',
    namespaced: false,
  }),
)

/** Name of a resource with its group: `deployments.apps`. */
export const resourceNameOf = ({ spec: { resource } }: Migration): string => `${resource.resource ?? ''}.${resource.group ?? ''}`

const isTrue = ({ status: { conditions = [] } }: Migration, type: string): boolean =>
  conditions.some(each => each.type === type && each.status === 'True')

/** Whether the condition Running is true. It stays true for a while after the end if `endsLater` is set. */
export const isRunning = (migration: Migration): boolean => isTrue(migration, 'Running')
/** Whether the condition Succeeded is true. */
export const hasSucceeded = (migration: Migration): boolean => isTrue(migration, 'Succeeded')
/** Whether the migration has succeeded or failed. */
export const hasEnded = (migration: Migration): boolean => hasSucceeded(migration) || isTrue(migration, 'Failed')

/** State that a migration reports. */
export interface MigrationState {
  /** Type of the condition that becomes true. */
  readonly type: 'Running' | 'Succeeded' | 'Failed'
  readonly reason: string
  /** Empty, or the error of a failed migration. */
  readonly message: string
}

/** State of a migration that has begun, before 1.36. */
export const IN_PROGRESS: MigrationState = { type: 'Running', reason: 'StorageVersionMigrationInProgress', message: '' }
/** State of a migration that is the only one of its resource, from 1.36 on. */
export const PROMOTED: MigrationState = { type: 'Running', reason: 'MigrationRunning', message: 'The migration is running' }
/** State of a migration whose objects have all been written. */
export const SUCCEEDED: MigrationState = { type: 'Succeeded', reason: 'StorageVersionMigrationSucceeded', message: '' }
/** State of a migration that cannot be continued. */
export const failedWith = (message: string): MigrationState => ({ type: 'Failed', reason: 'StorageVersionMigrationFailed', message })

/** How a release writes conditions. */
export interface ConditionStyle {
  /** Version of the kind. */
  readonly version: string
  /** Whether a migration that has ended runs until its definition is cleaned up, as from 1.36 on. */
  readonly endsLater: boolean
}

/**
 * Returns a migration with another state. A condition that is true already is not changed. Source: setStatusConditions
 * of pkg/controller/storageversionmigrator.
 */
export function withState(
  migration: Migration,
  { type, reason, message }: MigrationState,
  { version, endsLater }: ConditionStyle,
  now: number,
): Migration {
  if (isTrue(migration, type)) return migration
  const { conditions = [] } = migration.status
  const ends = type !== 'Running' && !endsLater
  const kept = ends ? conditions.map(each => (each.type === 'Running' ? { ...each, status: 'False' } : each)) : conditions
  const time = formatTime(now)
  const condition = {
    type,
    status: 'True',
    reason,
    message,
    ...(version === 'v1alpha1' ? { lastUpdateTime: time } : { lastTransitionTime: time }),
  }
  return { ...migration, status: { ...migration.status, conditions: [...kept.filter(each => each.type !== type), condition] } }
}

/** Returns a migration that has ended as no longer running. */
export function stopped(migration: Migration, now: number): Migration {
  const { generation } = migration.metadata
  const done = {
    status: 'False',
    reason: 'MigrationCompleted',
    message: 'Migration completed',
    lastTransitionTime: formatTime(now),
    ...(generation !== undefined && { observedGeneration: generation }),
  }
  const conditions = (migration.status.conditions ?? []).map(each => (each.type === 'Running' ? { ...each, ...done } : each))
  return { ...migration, status: { ...migration.status, conditions } }
}

const age = ({ metadata }: Migration): string => metadata.creationTimestamp ?? ''

/**
 * Returns the migration of a resource that may begin: the oldest one that has not ended. Undefined while one of the
 * resource is running.
 */
export function nextMigration(migrations: Iterable<Migration>, resource: string): Migration | undefined {
  const own = [...migrations].filter(each => resourceNameOf(each) === resource)
  if (own.some(each => isRunning(each) && !hasEnded(each))) return undefined
  const byAge = (a: Migration, b: Migration): number =>
    age(a) === age(b) ? ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1) : age(a) < age(b) ? -1 : 1
  return own.filter(each => !hasEnded(each)).sort(byAge)[0]
}
