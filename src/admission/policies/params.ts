import type { ParamKind, ParamRef } from '../../api/admissionregistration/v1.types.ts'
import type { KubeObject } from '../../api/meta/object.ts'
import type { LabelSelector } from '../../api/meta/v1.types.ts'
import type { Catalog, ServedResource } from '../../catalog/catalog.ts'
import { apiVersionOf, parseApiVersion } from '../../meta/gvk.ts'
import { isStatusError } from '../../meta/status.ts'

/** A policy or binding is misconfigured. The message is in upstream's words. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}

/** Reads param objects from the watch cache, in their served version. */
export interface ParamReader {
  /** Throws 404 if the object does not exist. */
  get(served: ServedResource, namespace: string, name: string, signal: AbortSignal): Promise<KubeObject>
  /** @param namespace empty for all namespaces. */
  list(served: ServedResource, namespace: string, selector: LabelSelector | undefined, signal: AbortSignal): Promise<readonly KubeObject[]>
}

/** Resolves the paramKind of a policy in the current catalog. Throws a ConfigurationError if it is not served. */
export function servedParamKind(catalog: Catalog, { apiVersion = '', kind = '' }: ParamKind): ServedResource {
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: '' }
  const served = catalog.snapshot().ofKind({ group, version }, kind)
  if (!served) throw new ConfigurationError(`failed to find resource referenced by paramKind: '${group}/${version}, Kind=${kind}'`)
  return served
}

/**
 * Returns the param objects that a binding selects; the policy is evaluated once for each. An undefined element stands
 * for an evaluation without params. The list is empty if nothing is found and parameterNotFoundAction is Allow. Throws
 * a ConfigurationError.
 * @param served the policy's paramKind, or undefined if it has none. @param namespace namespace of the request.
 */
export async function collectParams(
  reader: ParamReader,
  served: ServedResource | undefined,
  ref: ParamRef | undefined,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly (KubeObject | undefined)[]> {
  if (!served || !ref) return [undefined]
  const isNamespaced = served.definition.scope === 'Namespaced'
  const of = isNamespaced ? ref.namespace || namespace : ''
  if (isNamespaced && of === '')
    throw new ConfigurationError('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources')
  if (!served.definition.storage) {
    const { kind } = served.version
    const printed = `&ParamKind{APIVersion:${apiVersionOf({ group: served.version.group, version: served.version.name })},Kind:${kind},}`
    throw new ConfigurationError(`paramKind kind \`${printed}\` not yet synced to use for admission`)
  }
  if (ref.namespace && !isNamespaced)
    throw new ConfigurationError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`')
  const params = ref.name ? await paramsByName(reader, served, of, ref.name, signal) : await reader.list(served, of, ref.selector, signal)
  if (params.length === 0 && ref.parameterNotFoundAction === 'Deny')
    throw new ConfigurationError('no params found for policy binding with `Deny` parameterNotFoundAction')
  return params
}

/** Reads the param object of a name. Empty if it does not exist. */
async function paramsByName(
  reader: ParamReader,
  served: ServedResource,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<KubeObject[]> {
  try {
    return [await reader.get(served, namespace, name, signal)]
  } catch (error) {
    if (isStatusError(error, 'NotFound')) return []
    throw error
  }
}
