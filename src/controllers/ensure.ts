import type { ResourceId } from '../catalog/definition.ts'
import type { KubeObject } from '../meta/object.ts'
import { isStatusError, StatusError } from '../meta/status.ts'
import type { ControllerEnvironment } from './controller.ts'

/** Creates the object unless one of its name is there, which stays as it is. */
export async function ensure({ access }: ControllerEnvironment, id: ResourceId, namespace: string, object: KubeObject): Promise<void> {
  const { name = '' } = object.metadata
  try {
    await access.get(id, namespace, name, { resourceVersion: '0' })
  } catch (error) {
    if (!isStatusError(error, 'NotFound')) throw error
    await access.create(id, namespace, object).catch(async again => {
      if (isStatusError(again, 'AlreadyExists')) return
      // Another server may have made it, and what it asked for (an address, say) is taken by itself.
      await access.get(id, namespace, name).catch(() => Promise.reject(named(again, `${id.resource} ${name}`)))
    })
  }
}

/** A failure whose message names the object. */
const named = (error: unknown, object: string): unknown =>
  isStatusError(error) ? new StatusError({ ...error.status, message: `${object}: ${error.message}` }) : error

/** Objects that are refused, each with the reason. A server is not ready as long as there are any. */
export type Refusals = Map<string, string>

/** Whether the answer stays the same if one asks again soon: not for a race, a server that is not ready, and a store that is away. */
export const isRefused = (error: unknown): boolean => isStatusError(error) && ![409, 429, 503, 504].includes(error.code)

/** Waits for all of them, and rejects with the first failure then: none keeps the others from being done. */
export async function all(works: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(works)) if (result.status === 'rejected') throw result.reason
}
