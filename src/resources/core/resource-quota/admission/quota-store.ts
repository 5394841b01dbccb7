import type { ResourceQuota } from '../../../../api/core/v1.types.ts'
import { listKind, updateKind } from '../../../../catalog/define.ts'
import type { ResourceAccess } from '../../../../catalog/resource-access.ts'
import { startInTurns } from '../../../../lib/steps.ts'
import { conflictError, OPTIMISTIC_LOCK } from '../../../../meta/status.ts'
import { QUOTAS } from '../../../kinds.ts'
import { type Amounts, resourceListInSteps } from '../usage/amounts.ts'

/** Fields of a quota's status to write. Omitted fields are kept. */
export interface QuotaStatus {
  readonly hard?: Amounts
  readonly used: Amounts
}

/** Reads the quotas of a namespace from the store. */
export const readQuotas = (access: ResourceAccess, namespace: string): Promise<ResourceQuota[]> => listKind(access, QUOTAS, namespace)

/**
 * Updates the status of a quota, with its resourceVersion as precondition. Throws Conflict if the quota has changed
 * since it was read, NotFound if it was deleted.
 */
export async function writeQuotaStatus(
  access: ResourceAccess,
  { metadata }: ResourceQuota,
  { hard, used }: QuotaStatus,
): Promise<ResourceQuota> {
  const { namespace = '', name = '', resourceVersion } = metadata
  const written = {
    ...(hard && { hard: await startInTurns(resourceListInSteps(hard)) }),
    used: await startInTurns(resourceListInSteps(used)),
  }
  return await updateKind(access, QUOTAS, { namespace, name, subresource: 'status' }, now => {
    if (now.metadata.resourceVersion !== resourceVersion) throw conflictError(QUOTAS, name, OPTIMISTIC_LOCK)
    return { ...now, status: { ...now.status, ...written } }
  })
}
