import { refuse } from '../../../../admission/refuse.ts'
import type { TypedObject } from '../../../../api/meta/object.ts'
import type { KindId } from '../../../../catalog/define.ts'
import { errorMessage } from '../../../../lib/error-message.ts'
import type { Features } from '../../../../lifecycle/gates.ts'
import { isSince, type Release } from '../../../../lifecycle/release.ts'
import type { Authorizer } from '../../../../meta/authorizer.ts'
import { failure, isStatusError, notFoundError, type StatusError } from '../../../../meta/status.ts'
import type { AdmissionRequest } from '../../../../registry/types.ts'

/** Dependencies of NodeRestriction. */
export interface RestrictionOptions {
  readonly features: Features
  readonly authorizer: Authorizer
  /** Returns the cached object, or else the stored one. Rejects with NotFound. */
  get<T extends TypedObject>(id: KindId<T>, name: string, namespace?: string): Promise<T>
}

/** A request of a kubelet. */
export interface Restricted {
  readonly request: AdmissionRequest
  readonly node: string
  readonly options: RestrictionOptions
}

/** Checks a request of a node. Throws a StatusError if it is refused. */
export type Restriction = (restricted: Restricted) => void | Promise<void>

/** Whether the server behaves as this release or a later one. */
export const sinceOf = ({ options: { features } }: Restricted, release: Release): boolean => isSince(features.release, release)

/** Returns the name of the object. On create the request itself has no name. */
export const requestedName = ({ name, object }: AdmissionRequest): string => name || object?.metadata.name || ''

/** Creates the plugin's 403. */
export const refuseNode = ({ request }: Restricted, why: string): StatusError => refuse(request, why)

/**
 * Creates an error that is no Status upstream and becomes a 500. The cache may be behind, and a later attempt may
 * succeed.
 */
export const failed = (message: string): StatusError => failure(500, '', message)

/**
 * Reads an object. Throws 404 in the words of upstream's cache, which names resources in the singular, if it does not
 * exist. If it cannot be read, throws 403 with the message that `unread` creates from the error.
 */
export async function found<T extends TypedObject>(
  restricted: Restricted,
  id: KindId<T>,
  { name, namespace = '' }: { readonly name: string; readonly namespace?: string },
  unread: (why: string) => string = why => why,
): Promise<T> {
  const missing = (): StatusError => notFoundError({ group: id.group, resource: id.resource.replace(/s$/, '') }, name)
  if (name === '') throw missing()
  try {
    return await restricted.options.get(id, name, namespace)
  } catch (error) {
    throw isStatusError(error, 'NotFound') ? missing() : refuseNode(restricted, unread(errorMessage(error)))
  }
}
