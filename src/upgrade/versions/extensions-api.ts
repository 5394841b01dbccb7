import { isJsonObject, type JsonObject, type KubeObject } from '../../api/meta/object.ts'
import { clone } from '../../meta/equal.ts'
import { objectAt, objectsIn, rename } from '../../meta/json-members.ts'
import type { OldVersion } from './old-version.ts'

/** Members of spec that apply to all versions, and the member of each version that replaces them in v1. */
const SHARED = [
  ['validation', 'schema'],
  ['subresources', 'subresources'],
  ['additionalPrinterColumns', 'additionalPrinterColumns'],
  ['selectableFields', 'selectableFields'],
] as const

/**
 * Converts a definition. v1 has schemas, subresources and columns per version only, and preserves unknown fields only
 * with a marker in the schema.
 */
function toDefinition(object: KubeObject): KubeObject {
  const { spec } = object
  if (!isJsonObject(spec)) return object
  const versions = versionsOf(spec)
  for (const [from, to] of SHARED) {
    const shared = spec[from]
    delete spec[from]
    if (shared !== undefined) for (const version of versions) version[to] ??= clone(shared)
  }
  const keepsUnknown = spec.preserveUnknownFields !== false
  delete spec.preserveUnknownFields
  for (const version of versions) {
    for (const column of objectsIn(version.additionalPrinterColumns)) rename(column, 'JSONPath', 'jsonPath')
    if (keepsUnknown) keepUnknownFields(version)
  }
  delete spec.version
  if (versions.length > 0) spec.versions = versions
  if (isJsonObject(spec.conversion)) toConversion(spec.conversion)
  return object
}

/** Returns the listed versions, or the single one in `version`. */
function versionsOf(spec: JsonObject): JsonObject[] {
  const listed = objectsIn(spec.versions)
  return listed.length > 0 || typeof spec.version !== 'string' || spec.version === ''
    ? listed
    : [{ name: spec.version, served: true, storage: true }]
}

function keepUnknownFields(version: JsonObject): void {
  const schema = objectAt(objectAt(version, 'schema'), 'openAPIV3Schema')
  schema.type ??= 'object'
  schema['x-kubernetes-preserve-unknown-fields'] = true
}

function toConversion(conversion: JsonObject): void {
  const { webhookClientConfig, conversionReviewVersions } = conversion
  delete conversion.webhookClientConfig
  delete conversion.conversionReviewVersions
  if (webhookClientConfig !== undefined)
    conversion.webhook = { clientConfig: webhookClientConfig, conversionReviewVersions: conversionReviewVersions ?? null }
}

/** Default review versions of admission and conversion webhooks. */
const FIRST_REVIEW = ['v1beta1']

/**
 * Sets defaults of v1beta1. Those of v1 are stricter: Fail, Equivalent, 10 seconds. Source:
 * pkg/apis/admissionregistration/v1beta1/defaults.go.
 */
function setWebhookDefaults({ webhooks }: KubeObject): void {
  for (const webhook of objectsIn(webhooks)) {
    webhook.failurePolicy ??= 'Ignore'
    webhook.matchPolicy ??= 'Exact'
    webhook.sideEffects ??= 'Unknown'
    webhook.timeoutSeconds ??= 30
    webhook.admissionReviewVersions ??= [...FIRST_REVIEW]
  }
}

const webhooks = (kind: string, resource: string): OldVersion => ({
  group: 'admissionregistration.k8s.io',
  name: 'v1beta1',
  kind,
  type: `admissionregistrationV1beta1.${kind}`,
  into: { group: 'admissionregistration.k8s.io', resource },
  setDefaults: setWebhookDefaults,
})

const policies = (kind: string, resource: string): OldVersion => ({
  group: 'admissionregistration.k8s.io',
  name: 'v1alpha1',
  kind,
  type: `admissionregistrationV1alpha1.${kind}`,
  into: { group: 'admissionregistration.k8s.io', resource },
})

/** Kinds that extend the API, of releases up to 1.21. */
export const OLD_EXTENSIONS: readonly OldVersion[] = [
  {
    group: 'apiextensions.k8s.io',
    name: 'v1beta1',
    kind: 'CustomResourceDefinition',
    type: 'apiextensionsV1beta1.CustomResourceDefinition',
    into: { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' },
    isPreferred: true,
    setDefaults({ spec }) {
      if (!isJsonObject(spec)) return
      if (spec.scope === undefined || spec.scope === '') spec.scope = 'Namespaced'
      if (isJsonObject(spec.conversion) && spec.conversion.webhookClientConfig !== undefined)
        spec.conversion.conversionReviewVersions ??= [...FIRST_REVIEW]
    },
    toHub: toDefinition,
  },
  webhooks('MutatingWebhookConfiguration', 'mutatingwebhookconfigurations'),
  webhooks('ValidatingWebhookConfiguration', 'validatingwebhookconfigurations'),
  policies('ValidatingAdmissionPolicy', 'validatingadmissionpolicies'),
  policies('ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings'),
  {
    group: 'apiregistration.k8s.io',
    name: 'v1beta1',
    kind: 'APIService',
    type: 'apiregistrationV1beta1.APIService',
    into: { group: 'apiregistration.k8s.io', resource: 'apiservices' },
  },
]
