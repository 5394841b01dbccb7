import { errorMessage } from '../../lib/error-message.ts'
import { isSince } from '../../lifecycle/release.ts'
import { apiVersionOf } from '../../meta/gvk.ts'
import { type DeviceKinds, deviceKinds } from './device-kinds.ts'
import type { ClusterEnvironment } from './environment.ts'

/** Returns the kinds that the server serves. Undefined if it serves none: before 1.34, it does so only on request. */
export async function deviceKindsIfServed({ client, features, logger }: ClusterEnvironment): Promise<DeviceKinds | undefined> {
  const kinds = features.enabled('DynamicResourceAllocation') ? deviceKinds(features.release) : undefined
  if (kinds === undefined || isSince(features.release, '1.34')) return kinds
  try {
    await client.list(kinds.claims, { resourceVersion: '0' })
    return kinds
  } catch (error) {
    logger.warn('claims for devices are not processed: their API is not served', {
      version: apiVersionOf(kinds.claims),
      error: errorMessage(error),
    })
    return undefined
  }
}
