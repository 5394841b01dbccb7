import type { ResourceClaim as BetaClaim } from '../../../api/resource/v1beta1.types.ts'
import type { DeviceRequestAllocationResult, ResourceClaim } from '../../../api/resource/v1beta2.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import type { HookContext, Strategy } from '../../../catalog/strategy.ts'
import type { Steps } from '../../../lib/steps.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { age } from '../../../meta/age.ts'
import type { Authorizer } from '../../../meta/authorizer.ts'
import { deepEqualBySize } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { covered, immutableError } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { goValue } from '../../shared/go-values.ts'
import { keepMetadata, withholdStatus } from '../../shared/status-metadata.ts'
import { SPEC_FIELDS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { validateAdminAccess } from '../admin-access.ts'
import { validateClaimSpec } from '../claim-spec.ts'
import { devicesFromHub, devicesToHub } from '../conversion.ts'
import { setOlderRequestDefaults, setRequestDefaults } from '../defaults.ts'
import { type Differences, otherVersion, resourceVersion } from '../version.ts'
import { validateStatusRights } from './status-rights.ts'
import { deviceId, validateClaimStatus } from './status-validation.ts'

const resultsOf = (claim: ResourceClaim | undefined): DeviceRequestAllocationResult[] => claim?.status.allocation?.devices.results ?? []

/**
 * Validates a claim. Before 1.35 an update reports errors in the spec twice, as upstream does, and a change of the spec
 * in between; since then only the change.
 */
function* validateResourceClaim({ spec }: ResourceClaim, old: ResourceClaim | undefined, ctx: HookContext): Steps<FieldError[]> {
  const path = fieldPath('spec')
  const isSame = old === undefined || (yield* deepEqualBySize(spec, old.spec))
  const changes = isSame ? [] : covered('immutable', [immutableError(path, goValue('resource.ResourceClaimSpec', spec))])
  if (old && isSince(ctx.features.release, '1.35')) return changes
  const errors = yield* validateClaimSpec(spec, false, path, ctx)
  if (!old) return errors
  return [...errors, ...changes, ...(yield* validateClaimSpec(spec, true, path, ctx))]
}

/** Removes the status of devices that are no longer allocated. */
function dropDeallocated(
  { status }: ResourceClaim,
  next: readonly DeviceRequestAllocationResult[],
  old: readonly DeviceRequestAllocationResult[],
): void {
  const gone = new Set(old.map(deviceId))
  for (const result of next) gone.delete(deviceId(result))
  const kept = status.devices?.filter(device => !gone.has(deviceId(device))) ?? []
  if (kept.length > 0) status.devices = kept
  else delete status.devices
}

const REQUESTS = fieldPath('spec', 'devices', 'requests')
const RESULTS = fieldPath('status', 'allocation', 'devices', 'results')

const claimStrategy: Strategy<ResourceClaim> = {
  metaRounds: ['change', 'whole'],
  resetFields: STATUS_FIELDS,
  returnsDeleted: true,
  prepare: (next, old) => withholdStatus(next, old),
  validate: validateResourceClaim,
  evaluate: async ({ metadata, spec }, old, ctx) =>
    old
      ? []
      : validateAdminAccess(
          (spec.devices.requests ?? []).map(({ exactly }) => exactly),
          metadata.namespace ?? '',
          REQUESTS,
          ctx,
        ),
}

const claimStatusStrategy = (authorizer: Authorizer): Strategy<ResourceClaim> => ({
  declaredRules: true,
  resetFields: SPEC_FIELDS,
  prepare(next, old) {
    if (!old) return
    next.spec = old.spec
    keepMetadata(next, old)
    dropDeallocated(next, resultsOf(next), resultsOf(old))
  },
  validate: validateClaimStatus,
  async evaluate(next, old, ctx) {
    const isGranted = resultsOf(old).some(({ adminAccess }) => adminAccess === true)
    const errors = isGranted ? [] : await validateAdminAccess(resultsOf(next), next.metadata.namespace ?? '', RESULTS, ctx)
    return old ? [...errors, ...(await validateStatusRights(authorizer, next, old, ctx))] : errors
  },
})

/** Prints `pending`, `allocated,reserved`, `deleted,allocated` and the like. */
function stateCell({ metadata, status }: ResourceClaim): string {
  const states = metadata.deletionTimestamp ? ['deleted'] : []
  if (status.allocation) states.push('allocated', ...(status.reservedFor ? ['reserved'] : []))
  else if (!metadata.deletionTimestamp) states.push('pending')
  return states.join(',')
}

const table: TableDefinition<ResourceClaim> = {
  columns: [nameColumn, column('State', 'Whether the claim is allocated and reserved.'), ageColumn],
  cells: (claim, now) => [claim.metadata.name ?? '', stateCell(claim), age(claim.metadata.creationTimestamp, now)],
}

const setClaimDefaults = ({ spec }: ResourceClaim): void => setRequestDefaults(spec.devices)

const OLDER: Differences<BetaClaim, ResourceClaim> = {
  toHub: ({ spec, ...claim }) => ({ ...claim, spec: { ...spec, devices: devicesToHub(spec.devices) } }),
  fromHub: ({ spec, ...claim }) => ({ ...claim, spec: { ...spec, devices: devicesFromHub(spec.devices) } }),
  setDefaults: ({ spec }) => setOlderRequestDefaults(spec.devices),
}

const v1beta2Of = (authorizer: Authorizer): Version<ResourceClaim> => ({
  ...resourceVersion('ResourceClaim', { plural: 'resourceclaims', singular: 'resourceclaim' }),
  setDefaults: setClaimDefaults,
  table,
  subresources: { status: { verbs: STATUS_VERBS, strategy: claimStatusStrategy(authorizer) } },
})

/**
 * A request for devices. The spec is immutable; the scheduler writes the allocation to the status, and drivers the
 * status of each device. https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/resource-claim-v1/
 * Source of its rules: pkg/registry/resource/resourceclaim.
 */
export function createResourceClaimResource(authorizer: Authorizer): ResourceDefinition {
  const v1beta2 = v1beta2Of(authorizer)
  const v1 = otherVersion<ResourceClaim, ResourceClaim>(v1beta2, 'v1', { setDefaults: setClaimDefaults })
  const v1beta1 = otherVersion(v1beta2, 'v1beta1', OLDER)
  return defineResource<ResourceClaim>({
    scope: 'Namespaced',
    versions: [v1, v1beta2, v1beta1, otherVersion(v1beta2, 'v1alpha3', OLDER)],
    hub: v1beta2,
    storage: { prefix: 'resourceclaims', version: v1beta1 },
    strategy: claimStrategy,
  })
}
