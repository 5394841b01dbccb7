import type { Strategy } from '../../../catalog/definition.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { keepMetadata, withholdStatus } from '../../shared/status-metadata.ts'
import { SPEC_FIELDS, STATUS_FIELDS } from '../../shared/strategy-parts.ts'
import { dropAlphaOfRequests } from '../dropped.ts'
import { deviceId } from './device-id.ts'
import { validateClaimStatus } from './status-validation.ts'
import { validateClaim } from './validation.ts'

type ApiStruct = KubeObject['spec']

const resultsOf = (claim: KubeObject | undefined): ApiStruct[] => claim?.status?.allocation?.devices?.results ?? []
const hasAdminResult = (claim: KubeObject | undefined): boolean => resultsOf(claim).some(({ adminAccess }) => adminAccess !== undefined)

function dropAlpha(next: KubeObject, old: KubeObject | undefined): void {
  dropAlphaOfRequests(next.spec?.devices, old?.spec?.devices, hasAdminResult(old))
}

/** Devices that are allocated no more have no status. */
function dropDeallocated(next: KubeObject, old: KubeObject): void {
  const gone = new Set(resultsOf(old).map(deviceId))
  for (const result of resultsOf(next)) gone.delete(deviceId(result))
  const kept = ((next.status?.devices ?? []) as ApiStruct[]).filter(device => !gone.has(deviceId(device)))
  if (kept.length > 0) next.status.devices = kept
  else if (next.status) delete next.status.devices
}

export const claimStrategy: Strategy = {
  revalidatesMeta: true,
  resetFields: STATUS_FIELDS,
  returnsDeleted: true,
  prepare(next, old) {
    withholdStatus(next, old)
    dropAlpha(next, old)
  },
  validate: validateClaim,
}

export const claimStatusStrategy: Strategy = {
  resetFields: SPEC_FIELDS,
  prepare(next, old) {
    if (!old) return
    next.spec = old.spec
    keepMetadata(next, old)
    dropDeallocated(next, old)
    const hadAdmin = hasAdminResult(old) || ((old.spec?.devices?.requests ?? []) as ApiStruct[]).some(({ exactly }) => exactly?.adminAccess !== undefined)
    if (!hadAdmin) for (const result of resultsOf(next)) delete result.adminAccess
  },
  validate: validateClaimStatus,
}
