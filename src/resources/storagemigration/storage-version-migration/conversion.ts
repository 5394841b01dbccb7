import type { StorageVersionMigration } from '../v1alpha1.types.ts'
import type { StorageVersionMigration as BetaMigration } from '../v1beta1.types.ts'

/** v1beta1 names no version of the resource, and has conditions of metav1. */
export const betaToHub = ({ status: { conditions, ...status }, ...object }: BetaMigration): StorageVersionMigration => ({
  ...object,
  status: {
    ...status,
    ...(conditions && { conditions: conditions.map(({ lastTransitionTime, ...condition }) => ({ ...condition, lastUpdateTime: lastTransitionTime })) }),
  },
})

/** Releases that serve v1beta1 have no version of the resource and no continueToken. */
export const betaFromHub = ({ spec: { resource }, status: { conditions, ...status }, ...object }: StorageVersionMigration): BetaMigration => ({
  ...object,
  spec: { resource: { group: resource.group ?? '', resource: resource.resource ?? '' } },
  status: {
    ...status,
    ...(conditions && {
      conditions: conditions.map(({ lastUpdateTime = null, reason = '', message = '', ...condition }) => ({
        ...condition,
        lastTransitionTime: lastUpdateTime,
        reason,
        message,
      })),
    }),
  },
})
