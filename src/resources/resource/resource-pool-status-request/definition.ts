import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import type { Json } from '../../../meta/object.ts'
import { column, nameColumn } from '../../shared/columns.ts'
import { keepMetadata } from '../../shared/status-metadata.ts'
import { keepMembers, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import type { PoolStatus, ResourcePoolStatusRequest, ResourcePoolStatusRequestStatus } from '../v1alpha3.types.ts'
import { resourceVersion } from '../version.ts'
import { validatePoolStatusRequest, validateRequestedStatus } from './validation.ts'

const COMPLETE = 'Complete'
const FAILED = 'Failed'
/** What a cell shows before the status is there, or where the request failed. */
const UNKNOWN = '-'

/** The condition that says how the request ended, if it has. */
const outcomeOf = (status: ResourcePoolStatusRequestStatus | undefined) =>
  status?.conditions?.find(({ type, status: value }) => value === 'True' && (type === COMPLETE || type === FAILED))

/** Devices in all pools, and pools that could not be looked into. */
function countCells(status: ResourcePoolStatusRequestStatus | undefined): string[] {
  if (!status || outcomeOf(status)?.type === FAILED) return Array.from({ length: 5 }, () => UNKNOWN)
  const { pools = [] } = status
  const sum = (member: 'totalDevices' | 'availableDevices' | 'allocatedDevices' | 'unavailableDevices'): string =>
    String(pools.reduce((total: number, pool: PoolStatus) => total + (pool[member] ?? 0), 0))
  const errors = pools.filter(({ validationError }) => validationError !== undefined).length
  return [sum('totalDevices'), sum('availableDevices'), sum('allocatedDevices'), sum('unavailableDevices'), String(errors)]
}

/** `Complete (2/5 pools)` where not all pools are shown. */
function statusCell(status: ResourcePoolStatusRequestStatus | undefined): string {
  const outcome = outcomeOf(status)?.type ?? 'Pending'
  const shown = status?.pools?.length ?? 0
  const count = status?.poolCount ?? 0
  return outcome === COMPLETE && count > shown ? `${COMPLETE} (${shown}/${count} pools)` : outcome
}

const table: TableDefinition<ResourcePoolStatusRequest> = {
  columns: [
    nameColumn,
    column('Driver', 'The driver whose pools are asked for.'),
    column('Total', 'Devices in all pools.'),
    column('Available', 'Devices that can be allocated.'),
    column('Allocated', 'Devices that are allocated.'),
    column('Unavailable', 'Devices that cannot be allocated.'),
    column('Errors', 'Pools that could not be looked into.'),
    column('Pools', 'Pools that match the request.', 0, 'integer'),
    column('Status', 'How the request ended.'),
    column('Completed', 'Time since it was answered.'),
  ],
  cells({ metadata, spec, status }, now): Json[] {
    const outcome = outcomeOf(status)
    const completed = outcome?.type === COMPLETE ? age(outcome.lastTransitionTime ?? undefined, now) : '<none>'
    return [metadata.name ?? '', spec.driver, ...countCells(status), status?.poolCount ?? 0, statusCell(status), completed]
  },
}

const v1alpha3: Version<ResourcePoolStatusRequest> = {
  ...resourceVersion('ResourcePoolStatusRequest', { plural: 'resourcepoolstatusrequests', singular: 'resourcepoolstatusrequest' }, 'v1alpha3'),
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
 * A question to a controller, which this server is not: how many devices the pools of a driver have, and how many of them are allocated. It is answered once. Off unless it is asked for; 1.36 has it.
 * https://kep.k8s.io/5677
 * Source of its rules: pkg/registry/resource/resourcepoolstatusrequest.
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
