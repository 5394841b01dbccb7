import type { KubeObject, TypedObject } from '../../src/api/meta/object.ts'
import type { ResourceAccess } from '../../src/catalog/resource-access.ts'
import type { AdmissionRequest } from '../../src/registry/types.ts'

/**
 * An object of a kind whose type a test does not name: it says by its expectations what is in it. Every KubeObject is
 * one, and the other way round.
 */
export interface AnyObject extends TypedObject {
  // biome-ignore lint/suspicious/noExplicitAny: what is read is compared with what is expected
  [field: string]: any
}

/** Returns the same object with loose types. Throws if it is undefined. */
export function loose(object: KubeObject | undefined): AnyObject {
  if (!object) throw new Error('there is no such object')
  return object
}

/** In-process access whose objects are of any kind. */
export interface AnyAccess extends ResourceAccess {
  get(...args: Parameters<ResourceAccess['get']>): Promise<AnyObject>
  list(...args: Parameters<ResourceAccess['list']>): Promise<{ items: AnyObject[]; resourceVersion: string }>
  create(...args: Parameters<ResourceAccess['create']>): Promise<AnyObject>
  update(
    gr: Parameters<ResourceAccess['update']>[0],
    namespace: string,
    name: string,
    change: (object: AnyObject) => AnyObject | undefined,
    options?: Parameters<ResourceAccess['update']>[4],
  ): Promise<AnyObject>
}

/** A request to admission about an object of any kind. */
export type AnyRequest = Omit<AdmissionRequest, 'object' | 'old'> & { readonly object?: AnyObject; readonly old?: AnyObject }
