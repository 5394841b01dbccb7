import type { ResourceClaim as OlderClaim } from '../../../api/resource/v1alpha1.types.ts'
import type { AllocationResult, ResourceClaim } from '../../../api/resource/v1alpha2.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import type { Steps } from '../../../lib/steps.ts'
import { age } from '../../../meta/age.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { statusAloneStrategy, withholdStatus } from '../../shared/status-metadata.ts'
import { SPEC_FIELDS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { setClaimDefaults, validateClaimSpec } from './claim-spec.ts'
import { validateClaimStatus } from './claim-status.ts'
import { changedSpec, withUpdateErrors } from './update-errors.ts'
import { alphaVersion } from './version.ts'

function* validateResourceClaim({ spec }: ResourceClaim, old: ResourceClaim | undefined): Steps<FieldError[]> {
  const changes = yield* changedSpec('resourceV1alpha2.ResourceClaimSpec', spec, old)
  return withUpdateErrors(validateClaimSpec(spec, fieldPath('spec')), old !== undefined, changes)
}

/** Prints `pending`, `allocated,reserved`, `deleted,allocated,deallocating` and the like. */
function stateCell({ metadata, status }: ResourceClaim): string {
  const isDeleted = metadata.deletionTimestamp !== undefined
  const states = isDeleted ? ['deleted'] : []
  if (!status.allocation) return [...states, ...(isDeleted ? [] : ['pending'])].join(',')
  states.push('allocated')
  if ((status.reservedFor ?? []).length > 0) states.push('reserved')
  else if (isDeleted || status.deallocationRequested) states.push('deallocating')
  return states.join(',')
}

const table: TableDefinition<ResourceClaim> = {
  columns: [
    nameColumn,
    column('ResourceClassName', 'Class of the resource.'),
    column('AllocationMode', 'When the resource is allocated: Immediate or WaitForFirstConsumer.'),
    column('State', 'Whether the claim is allocated and reserved.'),
    ageColumn,
  ],
  cells: (claim, now) => [
    claim.metadata.name ?? '',
    claim.spec.resourceClassName,
    claim.spec.allocationMode ?? '',
    stateCell(claim),
    age(claim.metadata.creationTimestamp, now),
  ],
}

const NAMES = { plural: 'resourceclaims', singular: 'resourceclaim' }
const subresources = {
  status: {
    verbs: STATUS_VERBS,
    strategy: { ...statusAloneStrategy<ResourceClaim>({ validate: validateClaimStatus }), resetFields: SPEC_FIELDS },
  },
}

const v1alpha2: Version<ResourceClaim> = {
  ...alphaVersion('v1alpha2', 'ResourceClaim', NAMES),
  setDefaults: ({ spec }) => setClaimDefaults(spec),
  table,
  subresources,
}

/** Converts the data of a single driver, without its name, to a handle. */
function allocationToHub({ resourceHandle, ...rest }: NonNullable<OlderClaim['status']['allocation']>): AllocationResult {
  return { ...(resourceHandle && { resourceHandles: [{ data: resourceHandle }] }), ...rest }
}

function allocationFromHub({ resourceHandles = [], ...rest }: AllocationResult): NonNullable<OlderClaim['status']['allocation']> {
  const data = resourceHandles[0]?.data
  return { ...(data && { resourceHandle: data }), ...rest }
}

const v1alpha1: Version<OlderClaim, ResourceClaim> = {
  ...alphaVersion('v1alpha1', 'ResourceClaim', NAMES),
  setDefaults: ({ spec }) => setClaimDefaults(spec),
  subresources,
  toHub: ({ status: { allocation, ...status }, ...claim }) => ({
    ...claim,
    status: { ...status, ...(allocation && { allocation: allocationToHub(allocation) }) },
  }),
  fromHub: ({ status: { allocation, ...status }, ...claim }) => ({
    ...claim,
    status: { ...status, ...(allocation && { allocation: allocationFromHub(allocation) }) },
  }),
}

/**
 * A request for a resource of a class, which a driver or the scheduler allocates. The spec is immutable.
 * https://kep.k8s.io/3063
 * Source of its rules: pkg/registry/resource/resourceclaim, 1.26 to 1.30.
 */
export const classBasedClaimResource = defineResource<ResourceClaim>({
  scope: 'Namespaced',
  versions: [v1alpha2, v1alpha1],
  hub: v1alpha2,
  storage: { prefix: 'resourceclaims', version: v1alpha2 },
  strategy: {
    metaRounds: ['change', 'whole'],
    resetFields: STATUS_FIELDS,
    returnsDeleted: true,
    prepare: (next, old) => withholdStatus(next, old),
    validate: validateResourceClaim,
  },
})
