import type { KubeObject } from '../api/meta/object.ts'
import type { ResourceId } from '../catalog/resource-access.ts'
import { isStatusError, StatusError } from '../meta/status.ts'
import type { ControllerEnvironment } from './controller.ts'

/** Creates the object unless one of its name exists. An existing one is not changed. */
export async function ensure({ access }: ControllerEnvironment, id: ResourceId, namespace: string, object: KubeObject): Promise<void> {
  const { name = '' } = object.metadata
  try {
    await access.get(id, namespace, name, { resourceVersion: '0' })
  } catch (error) {
    if (!isStatusError(error, 'NotFound')) throw error
    await access.create(id, namespace, object).catch(async again => {
      if (isStatusError(again, 'AlreadyExists')) return
      // Another server may have created it meanwhile and hold what it would allocate, such as an address.
      await access.get(id, namespace, name).catch(() => Promise.reject(withObjectName(again, `${id.resource} ${name}`)))
    })
  }
}

/** Prefixes the message of a failure with the name of the object. */
const withObjectName = (error: unknown, object: string): unknown =>
  isStatusError(error) ? new StatusError({ ...error.status, message: `${object}: ${error.message}` }) : error

/** Rejected bootstrap objects with the reason, by part. The server is not ready while there are any. */
export type Refusals = Map<string, string>

/** Whether a retry would fail as well. False for conflicts, rate limits and an unavailable server or store. */
export const isRefused = (error: unknown): boolean => isStatusError(error) && ![409, 429, 503, 504].includes(error.code)

/** Waits until all promises settle, then rejects with the first failure. One failure does not stop the others. */
export async function settleAll(works: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(works)) if (result.status === 'rejected') throw result.reason
}
