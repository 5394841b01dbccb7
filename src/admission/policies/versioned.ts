import { subresourceOf } from '../../catalog/catalog.ts'
import type { KubeObject } from '../../meta/object.ts'
import { copyIn, normalized } from '../../registry/convert.ts'
import type { AdmissionRequest } from '../../registry/types.ts'
import type { About } from '../attributes.ts'

/** The objects of a request as the version that matched writes them: every member in its place, nothing empty that is left out. */
export function versionedObjects(
  request: AdmissionRequest,
  about: About,
): { readonly object: KubeObject | undefined; readonly oldObject: KubeObject | undefined } {
  const written = (object: KubeObject | undefined): KubeObject | undefined => object && versioned(request, about, object)
  return { object: written(request.object), oldObject: written(request.old) }
}

function versioned({ served, subresource, operation }: AdmissionRequest, { version }: About, object: KubeObject): KubeObject {
  // What has a kind of its own has one version alone, and comes in it.
  const own = subresource === '' ? undefined : subresourceOf(served.version, subresource)
  if (operation === 'CONNECT' || (own?.kind && !own.view)) return object
  if (own?.kind && own.view) return normalized(own.kind, own.view.get(object))
  return normalized(version, copyIn(served.definition, object, version))
}
