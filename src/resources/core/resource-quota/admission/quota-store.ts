import { listKind, updateKind } from '../../../../catalog/define.ts'
import type { ResourceAccess } from '../../../../catalog/definition.ts'
import { conflictError, OPTIMISTIC_LOCK } from '../../../../meta/status.ts'
import { QUOTAS } from '../../../kinds.ts'
import type { ResourceQuota } from '../../v1.types.ts'
import { type Amounts, listOf } from '../usage/amounts.ts'

/** What of a quota's status is written; what is absent stays. */
export interface QuotaStatus {
  readonly hard?: Amounts
  readonly used: Amounts
}

/** The quotas of a namespace as the store has them. */
export const readQuotas = (access: ResourceAccess, namespace: string): Promise<ResourceQuota[]> => listKind(access, QUOTAS, namespace)

/** Compares and swaps the status of a quota. Throws Conflict where the quota has changed since it was read, NotFound where it has gone. */
export function writeQuotaStatus(access: ResourceAccess, { metadata }: ResourceQuota, { hard, used }: QuotaStatus): Promise<ResourceQuota> {
  const { namespace = '', name = '', resourceVersion } = metadata
  return updateKind(access, QUOTAS, { namespace, name, subresource: 'status' }, now => {
    if (now.metadata.resourceVersion !== resourceVersion) throw conflictError(QUOTAS, name, OPTIMISTIC_LOCK)
    return { ...now, status: { ...now.status, ...(hard && { hard: listOf(hard) }), used: listOf(used) } }
  })
}
