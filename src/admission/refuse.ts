import type { StatusError } from '../meta/status.ts'
import { forbiddenError } from '../meta/status.ts'
import type { AdmissionRequest } from '../registry/types.ts'

/** 403 of an admission plugin. An object without a name is identified by its generateName. */
export function refuse({ served, name, object }: AdmissionRequest, why: string): StatusError {
  const { group, names } = served.version
  return forbiddenError({ group, resource: names.plural }, name || object?.metadata.name || object?.metadata.generateName || 'Unknown', why)
}

/**
 * Whether the request is for the resource (`pods`, `ingresses.networking.k8s.io`) and the given subresource. Allocates
 * no strings: plugins call it for every write.
 */
export function isAbout({ served: { version }, subresource }: AdmissionRequest, resource: string, asked = ''): boolean {
  if (subresource !== asked) return false
  const { group, names } = version
  if (group === '') return names.plural === resource
  const dot = names.plural.length
  return (
    resource.length === dot + 1 + group.length && resource[dot] === '.' && resource.startsWith(names.plural) && resource.endsWith(group)
  )
}
