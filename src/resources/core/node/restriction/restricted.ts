import { refuse } from '../../../../admission/refuse.ts'
import type { KindId } from '../../../../catalog/define.ts'
import { errorMessage } from '../../../../lib/error-message.ts'
import type { Features } from '../../../../lifecycle/gates.ts'
import { isSince, type Release } from '../../../../lifecycle/release.ts'
import type { Authorizer } from '../../../../meta/authorizer.ts'
import type { TypedObject } from '../../../../meta/object.ts'
import { failure, isStatusError, notFoundError, type StatusError } from '../../../../meta/status.ts'
import type { AdmissionRequest } from '../../../../registry/types.ts'

/** What NodeRestriction asks of the rest of the server. */
export interface RestrictionOptions {
  readonly features: Features
  readonly authorizer: Authorizer
  /** As the cache has it, else as the store does. Rejects with NotFound. */
  get<T extends TypedObject>(id: KindId<T>, name: string, namespace?: string): Promise<T>
}

/** A request of the kubelet of a node. */
export interface Restricted {
  readonly request: AdmissionRequest
  readonly node: string
  readonly options: RestrictionOptions
}

/** Throws what a request of a node is refused with. */
export type Restriction = (restricted: Restricted) => void | Promise<void>

export const sinceOf = ({ options: { features } }: Restricted, release: Release): boolean => isSince(features.release, release)

/** Of what is created the name stands in the object. */
export const nameOf = ({ name, object }: AdmissionRequest): string => name || object?.metadata.name || ''

/** 403 of the plugin. */
export const refuseNode = ({ request }: Restricted, why: string): StatusError => refuse(request, why)

/** An error that is no Status upstream: the cache may be behind, and a later attempt may succeed. */
export const failed = (message: string): StatusError => failure(500, '', message)

/**
 * The object. Throws 404 where it is not there, in the words of upstream's cache, which names resources in the singular, and 403 with what `unread` makes of the error where it cannot be read.
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
