import type { StorageVersionMigration } from '../../../api/storagemigration/v1alpha1.types.ts'
import type { StorageVersionMigration as BetaMigration } from '../../../api/storagemigration/v1beta1.types.ts'

/** Converts from v1beta1, which does not have the version of the resource, and has metav1's conditions. */
export const betaToHub = ({ status: { conditions, ...status }, ...object }: BetaMigration): StorageVersionMigration => ({
  ...object,
  status: {
    ...status,
    ...(conditions && {
      conditions: conditions.map(({ lastTransitionTime, ...condition }) => ({ ...condition, lastUpdateTime: lastTransitionTime })),
    }),
  },
})

/** Converts to v1beta1. The version of the resource and continueToken are dropped. */
export const betaFromHub = ({
  spec: { resource },
  status: { conditions, ...status },
  ...object
}: StorageVersionMigration): BetaMigration => ({
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
