import type { Json } from '../../../api/meta/object.ts'
import type { PoolStatus, ResourcePoolStatusRequest, ResourcePoolStatusRequestStatus } from '../../../api/resource/v1alpha3.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { column, nameColumn } from '../../shared/columns.ts'
import { keepMetadata } from '../../shared/status-metadata.ts'
import { keepMembers, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { resourceVersion } from '../version.ts'
import { validatePoolStatusRequest, validateRequestedStatus } from './validation.ts'

const COMPLETE = 'Complete'
const FAILED = 'Failed'
/** Printed while there is no status, or if the request failed. */
const UNKNOWN = '-'

/** Returns the condition that completes the request, or undefined. */
const completingCondition = (status: ResourcePoolStatusRequestStatus | undefined) =>
  status?.conditions?.find(({ type, status: value }) => value === 'True' && (type === COMPLETE || type === FAILED))

/** Prints the number of devices in all pools, and of pools with errors. */
function countCells(status: ResourcePoolStatusRequestStatus | undefined): string[] {
  if (!status || completingCondition(status)?.type === FAILED) return Array.from({ length: 5 }, () => UNKNOWN)
  const { pools = [] } = status
  const sum = (member: 'totalDevices' | 'availableDevices' | 'allocatedDevices' | 'unavailableDevices'): string =>
    String(pools.reduce((total: number, pool: PoolStatus) => total + (pool[member] ?? 0), 0))
  const errors = pools.filter(({ validationError }) => validationError !== undefined).length
  return [sum('totalDevices'), sum('availableDevices'), sum('allocatedDevices'), sum('unavailableDevices'), String(errors)]
}

/** Prints `Complete (2/5 pools)` if not all pools are listed. */
function statusCell(status: ResourcePoolStatusRequestStatus | undefined): string {
  const outcome = completingCondition(status)?.type ?? 'Pending'
  const shown = status?.pools?.length ?? 0
  const count = status?.poolCount ?? 0
  return outcome === COMPLETE && count > shown ? `${COMPLETE} (${shown}/${count} pools)` : outcome
}

const table: TableDefinition<ResourcePoolStatusRequest> = {
  columns: [
    nameColumn,
    column('Driver', 'Driver whose pools are requested.'),
    column('Total', 'Number of devices in all pools.'),
    column('Available', 'Devices that can be allocated.'),
    column('Allocated', 'Devices that are allocated.'),
    column('Unavailable', 'Devices that cannot be allocated.'),
    column('Errors', 'Number of pools with errors.'),
    column('Pools', 'Number of pools that match the request.', 0, 'integer'),
    column('Status', 'State of the request.'),
    column('Completed', 'Time since the request was completed.'),
  ],
  cells({ metadata, spec, status }, now): Json[] {
    const outcome = completingCondition(status)
    const completed = outcome?.type === COMPLETE ? age(outcome.lastTransitionTime ?? undefined, now) : '<none>'
    return [metadata.name ?? '', spec.driver, ...countCells(status), status?.poolCount ?? 0, statusCell(status), completed]
  },
}

const v1alpha3: Version<ResourcePoolStatusRequest> = {
  ...resourceVersion(
    'ResourcePoolStatusRequest',
    { plural: 'resourcepoolstatusrequests', singular: 'resourcepoolstatusrequest' },
    'v1alpha3',
  ),
  table,
  subresources: {
    status: {
      verbs: STATUS_VERBS,
      strategy: {
        allowUnconditionalUpdate: false,
        resetFields: [['spec'], ['metadata']],
        prepare(next, old) {
          if (!old) return
          next.spec = old.spec
          keepMetadata(next, old)
        },
        validate: validateRequestedStatus,
      },
    },
  },
}

/**
 * Asks a controller, which is not part of this server, for the number of devices in the pools of a driver, and how many
 * are allocated. It is completed once. Not served by default; exists in 1.36. https://kep.k8s.io/5677 Source of its
 * rules: pkg/registry/resource/resourcepoolstatusrequest.
 */
export const resourcePoolStatusRequestResource = defineResource<ResourcePoolStatusRequest>({
  scope: 'Cluster',
  versions: [v1alpha3],
  hub: v1alpha3,
  storage: { prefix: 'resourcepoolstatusrequests', version: v1alpha3 },
  strategy: {
    allowUnconditionalUpdate: false,
    resetFields: STATUS_FIELDS,
    prepare(next, old) {
      if (old) keepMembers(next, old, 'status')
      else delete next.status
    },
    validate: validatePoolStatusRequest,
  },
})
