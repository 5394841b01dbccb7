import { quote } from '../../lib/go-quote.ts'
import type { PolicyBinding } from '../policies/policy.ts'
import type { WebhookConfiguration } from '../webhooks/webhook.ts'

/** Suffix of the names of objects in manifests. */
export const STATIC_SUFFIX = '.static.k8s.io'

/** An object of a manifest file, decoded, defaulted and valid as an API object. */
export interface ManifestObject<T> {
  readonly file: string
  readonly object: T
}

/**
 * Throws an Error if names lack the suffix or occur twice. The messages are those of kube-apiserver, as in all of this
 * module.
 */
export function checkNames(objects: readonly ManifestObject<{ readonly metadata: { readonly name?: string } }>[]): void {
  const seen = new Map<string, string>()
  for (const { file, object } of objects) {
    const { name = '' } = object.metadata
    const before = seen.get(name)
    if (!name.endsWith(STATIC_SUFFIX))
      throw loadingError(file, `${quote(name)} in file ${quote(file)} must have a name ending with ${quote(STATIC_SUFFIX)}`)
    if (before !== undefined)
      throw loadingError(file, `duplicate name ${quote(name)} found in file ${quote(file)} (previously seen in ${quote(before)})`)
    seen.set(name, file)
  }
}

/** Throws an Error if a webhook has no URL: services are not known before the API is served. */
export function checkWebhooks({ file, object }: ManifestObject<WebhookConfiguration>): void {
  for (const { name, clientConfig } of object.webhooks ?? []) {
    const subject = `webhook ${quote(name)} in ${quote(object.metadata.name ?? '')} (file ${quote(file)}): `
    if (clientConfig.service !== undefined)
      throw loadingError(file, `${subject}clientConfig.service is not supported for static manifests; use clientConfig.url instead`)
    if (!clientConfig.url) throw loadingError(file, `${subject}clientConfig.url is required for static manifests`)
  }
}

/** Throws an Error if a policy has parameters: they are objects of the API. */
export function checkPolicy({
  file,
  object,
}: ManifestObject<{
  readonly kind: string
  readonly metadata: { readonly name?: string }
  readonly spec: { readonly paramKind?: unknown }
}>): void {
  if (object.spec.paramKind !== undefined)
    throw loadingError(file, `${object.kind} ${quote(object.metadata.name ?? '')}: spec.paramKind is not supported for static manifests`)
}

/** Throws an Error if a binding refers to parameters, or to a policy that is not from a manifest. */
export function checkBinding({ file, object }: ManifestObject<PolicyBinding>): void {
  const subject = `binding ${quote(object.metadata.name ?? '')}`
  const { policyName = '', paramRef } = object.spec
  if (policyName === '') throw loadingError(file, `${subject} must reference a policy (spec.policyName)`)
  if (!policyName.endsWith(STATIC_SUFFIX))
    throw loadingError(file, `${subject}: spec.policyName ${quote(policyName)} must end with ${quote(STATIC_SUFFIX)}`)
  if (paramRef !== undefined) throw loadingError(file, `${subject}: spec.paramRef is not supported for static manifests`)
}

/** Throws an Error if a binding refers to a policy that the directory does not have. */
export function checkReferences(policies: ReadonlySet<string>, bindings: readonly PolicyBinding[]): void {
  for (const { metadata, spec } of bindings)
    if (!policies.has(spec.policyName ?? ''))
      throw new Error(
        `binding ${quote(metadata.name ?? '')} references policy ${quote(spec.policyName ?? '')} which does not exist in the manifest directory`,
      )
}

/** Error of a file. */
export const loadingError = (file: string, why: string): Error => new Error(`error loading ${file}: ${why}`)
