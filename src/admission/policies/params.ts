import type { Catalog, ServedResource } from '../../catalog/catalog.ts'
import { apiVersionOf, parseApiVersion } from '../../meta/gvk.ts'
import type { LabelSelector } from '../../meta/label-selector.ts'
import type { KubeObject } from '../../meta/object.ts'
import { isStatusError } from '../../meta/status.ts'
import type { ParamKind, ParamRef } from './policy.ts'

/** Why a policy or a binding cannot be put to use, in upstream's words. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}

/** Reads objects of parameters, in the version that is served, from the watch cache. */
export interface ParamReader {
  /** Throws 404. */
  get(served: ServedResource, namespace: string, name: string, signal: AbortSignal): Promise<KubeObject>
  /** @param namespace empty: of all. */
  list(served: ServedResource, namespace: string, selector: LabelSelector | undefined, signal: AbortSignal): Promise<readonly KubeObject[]>
}

/** The kind of a policy's parameters, as it is served now. Throws a ConfigurationError. */
export function servedParamKind(catalog: Catalog, { apiVersion = '', kind = '' }: ParamKind): ServedResource {
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: '' }
  const served = catalog.snapshot().ofKind({ group, version }, kind)
  if (!served) throw new ConfigurationError(`failed to find resource referenced by paramKind: '${group}/${version}, Kind=${kind}'`)
  return served
}

/**
 * The parameters that a binding names; undefined stands for none, which a policy is evaluated with once, an empty list for parameters that are not there, and that is allowed.
 * Throws a ConfigurationError.
 * @param served the kind of the policy's parameters; undefined where it has none. @param namespace of the request.
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
  if (isNamespaced && of === '') throw new ConfigurationError('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources')
  if (!served.definition.storage) {
    const { kind } = served.version
    const printed = `&ParamKind{APIVersion:${apiVersionOf({ group: served.version.group, version: served.version.name })},Kind:${kind},}`
    throw new ConfigurationError(`paramKind kind \`${printed}\` not yet synced to use for admission`)
  }
  if (ref.namespace && !isNamespaced) throw new ConfigurationError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`')
  const params = ref.name ? await byName(reader, served, of, ref.name, signal) : await reader.list(served, of, ref.selector, signal)
  if (params.length === 0 && ref.parameterNotFoundAction === 'Deny')
    throw new ConfigurationError('no params found for policy binding with `Deny` parameterNotFoundAction')
  return params
}

async function byName(reader: ParamReader, served: ServedResource, namespace: string, name: string, signal: AbortSignal): Promise<KubeObject[]> {
  try {
    return [await reader.get(served, namespace, name, signal)]
  } catch (error) {
    if (isStatusError(error, 'NotFound')) return []
    throw error
  }
}
