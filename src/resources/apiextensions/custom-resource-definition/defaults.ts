import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from '../../../api/apiextensions/v1.types.ts'
import type { CustomResourceDefinition as OlderDefinition } from '../../../api/apiextensions/v1beta1.types.ts'

type Stored = Pick<CustomResourceDefinitionVersion, 'name' | 'storage'>

const HTTPS_PORT = 443

/**
 * Sets defaults: singular name and list kind are derived from the kind, and conversion is `None`. Source:
 * pkg/apis/apiextensions/v1/defaults.go in k8s.io/apiextensions-apiserver.
 */
export function setDefinitionDefaults({ spec, status }: CustomResourceDefinition): void {
  setNames(spec.names)
  spec.conversion ??= { strategy: 'None' }
  const { webhook } = spec.conversion
  // The internal version has no `webhook` around these members, so an empty one is not kept.
  if (webhook && !webhook.clientConfig && !webhook.conversionReviewVersions) delete spec.conversion.webhook
  setPort(webhook?.clientConfig?.service)
  setStoredVersions(status, spec.versions)
}

/**
 * Sets defaults of v1beta1. Old releases may have stored a definition without versions, or one that preserves unknown
 * fields.
 */
export function setOlderDefinitionDefaults(definition: OlderDefinition): void {
  const { spec, status } = definition
  spec.scope ||= 'Namespaced'
  setNames(spec.names)
  if (spec.version && (spec.versions ?? []).length === 0) spec.versions = [{ name: spec.version, served: true, storage: true }]
  const first = spec.versions?.[0]?.name
  if (first !== undefined) spec.version ||= first
  spec.conversion ??= { strategy: 'None' }
  const { conversion } = spec
  if (conversion.strategy === 'Webhook' && (conversion.conversionReviewVersions ?? []).length === 0)
    conversion.conversionReviewVersions = ['v1beta1']
  setPort(conversion.webhookClientConfig?.service)
  spec.preserveUnknownFields ??= true
  setStoredVersions(status, spec.versions)
}

/** Derives names from the kind. Without a kind they stay absent or empty. */
function setNames(names: { singular?: string; listKind?: string; kind: string }): void {
  names.singular ||= names.kind.toLowerCase()
  if (!names.singular) delete names.singular
  if (!names.listKind && names.kind) names.listKind = `${names.kind}List`
}

function setPort(service: { port?: number } | undefined): void {
  if (service) service.port ??= HTTPS_PORT
}

/** Fills an empty list only: `prepare` of the strategy adds versions later. */
function setStoredVersions(status: { storedVersions: string[] | null }, versions: readonly Stored[] | null | undefined): void {
  if ((status.storedVersions ?? []).length > 0) return
  const stored = storageVersion(versions)
  if (stored !== undefined) status.storedVersions = [stored]
}

/** Returns the first version that is marked as the storage version. */
export const storageVersion = (versions: readonly Stored[] | null | undefined): string | undefined =>
  versions?.find(({ storage }) => storage)?.name
