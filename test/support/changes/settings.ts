import type { JsonObject } from '../../../src/api/meta/object.ts'

export type VersionName = 'v1' | 'v2'

/** Settings of the kind. A history changes one of them at a time. */
export interface Settings {
  /**
   * Counts changes of the definition. Its schema has a field of this number with a default, by which responses show the
   * definition that they come from.
   */
  readonly generation: number
  readonly stored: VersionName
  /** Whether v2 is served: v1 always is. */
  readonly v2: boolean
  readonly conversion: 'none' | 'webhook' | 'failing'
  readonly status: boolean
  readonly scale: boolean
  /** Whether the whole status has a default. */
  readonly statusDefault: boolean
  /** Upper bound of spec.size by a rule; 0: there is no rule. */
  readonly limit: number
  readonly preserving: boolean
  readonly mutating: 'none' | 'labelling' | 'failing' | 'ignored'
  readonly denying: boolean
}

export const FIRST: Settings = {
  generation: 1,
  stored: 'v1',
  v2: true,
  conversion: 'none',
  status: true,
  scale: true,
  statusDefault: false,
  limit: 0,
  preserving: false,
  mutating: 'none',
  denying: false,
}

export const PLURAL = 'changelings'
const KIND = 'Changeling'
export const markerOf = (generation: number): string => `g${generation}`

/** Where a history's webhooks are. */
export type HookConfig = (path: string) => { readonly url: string; readonly caBundle: string }

export interface Names {
  readonly group: string
  readonly hooks: HookConfig
}

const text = { type: 'string' }

function schemaOf({ generation, limit, preserving, statusDefault }: Settings, version: VersionName): JsonObject {
  const spec: JsonObject = {
    type: 'object',
    ...(preserving && { 'x-kubernetes-preserve-unknown-fields': true }),
    ...(limit > 0 && { 'x-kubernetes-validations': [{ rule: `self.size < ${limit}`, message: `size is below ${limit}` }] }),
    properties: {
      [markerOf(generation)]: { ...text, default: 'present' },
      size: { type: 'integer', default: 1 },
      note: { ...text, nullable: true },
      tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
      parts: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: { type: 'object', required: ['name'], properties: { name: text, count: { type: 'integer', default: 2 } } },
      },
      ...(version === 'v2' && { via: text }),
    },
  }
  const status = {
    type: 'object',
    properties: { phase: text, replicas: { type: 'integer' } },
    ...(statusDefault && { default: { phase: 'new' } }),
  }
  return { type: 'object', properties: { spec, status } }
}

export function definitionOf(settings: Settings, { group, hooks }: Names): JsonObject {
  const { stored, v2, conversion, status, scale } = settings
  const subresources = {
    ...(status && { status: {} }),
    ...(scale && { scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.replicas' } }),
  }
  const version = (name: VersionName, served: boolean): JsonObject => ({
    name,
    served,
    storage: name === stored,
    schema: { openAPIV3Schema: schemaOf(settings, name) },
    subresources,
    additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
  })
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${PLURAL}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: PLURAL, singular: 'changeling', kind: KIND, listKind: `${KIND}List` },
      conversion:
        conversion === 'none'
          ? { strategy: 'None' }
          : {
              strategy: 'Webhook',
              webhook: {
                conversionReviewVersions: ['v1'],
                clientConfig: hooks(conversion === 'webhook' ? '/convert' : '/convert-failing'),
              },
            },
      versions: [version('v1', true), version('v2', v2)],
    },
  }
}

/** The configuration of the mutating webhook; undefined if there is none. */
export function webhookOf({ mutating }: Settings, { group, hooks }: Names): JsonObject | undefined {
  if (mutating === 'none') return undefined
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: group },
    webhooks: [
      {
        name: `labels.${group}`,
        rules: [{ apiGroups: [group], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], resources: [PLURAL] }],
        clientConfig: hooks(mutating === 'labelling' ? '/label' : '/failing'),
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: mutating === 'ignored' ? 'Ignore' : 'Fail',
      },
    ],
  }
}

/** The policy that refuses objects with the note `forbidden`, and its binding; undefined if there is none. */
export function policyOf(
  { denying }: Settings,
  { group }: Names,
): { readonly policy: JsonObject; readonly binding: JsonObject } | undefined {
  if (!denying) return undefined
  const apiVersion = 'admissionregistration.k8s.io/v1'
  return {
    policy: {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: group },
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: [group], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], resources: [PLURAL] }],
        },
        validations: [{ expression: "!has(object.spec.note) || object.spec.note != 'forbidden'", message: 'the note is forbidden' }],
      },
    },
    binding: {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: group },
      spec: { policyName: group, validationActions: ['Deny'] },
    },
  }
}

/** Whether requests in a version fail with 500 by a webhook. */
export const failsIn = ({ conversion, stored }: Settings, version: VersionName): boolean => conversion === 'failing' && version !== stored
