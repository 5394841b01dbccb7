import { qualifiedResource } from '../meta/gvk.ts'
import type { StatusError } from '../meta/status.ts'
import { forbiddenError } from '../meta/status.ts'
import type { AdmissionRequest } from '../registry/types.ts'

/** 403 of an admission plugin. An object that has no name yet is told by its prefix. */
export function refuse({ served, name, object }: AdmissionRequest, why: string): StatusError {
  const { group, names } = served.version
  return forbiddenError({ group, resource: names.plural }, name || object?.metadata.name || object?.metadata.generateName || 'Unknown', why)
}

/** Whether the request is about the resource, `pods` or `ingresses.networking.k8s.io`, itself or one of its subresources. */
export const isAbout = ({ served, subresource }: AdmissionRequest, resource: string, asked = ''): boolean =>
  subresource === asked && qualifiedResource({ group: served.version.group, resource: served.version.names.plural }) === resource
