import { expect } from 'chai'
import type { ResourceDefinition } from '../../../src/catalog/definition.ts'
import { runIfSteps, type Steps } from '../../../src/lib/steps.ts'
import type { FieldError } from '../../../src/meta/field-error.ts'
import { createValidatingAdmissionPolicyBindingResource } from '../../../src/resources/admissionregistration/validating-admission-policy-binding/definition.ts'
import { validatingWebhookConfigurationResource } from '../../../src/resources/admissionregistration/validating-webhook-configuration/definition.ts'
import { customResourceDefinitionResource } from '../../../src/resources/apiextensions/custom-resource-definition/definition.ts'
import { certificateSigningRequestResource } from '../../../src/resources/certificates/certificate-signing-request/definition.ts'
import { endpointSliceResource } from '../../../src/resources/discovery/endpoint-slice/definition.ts'
import { flowSchemaResource } from '../../../src/resources/flowcontrol/flow-schema/definition.ts'
import { ingressResource } from '../../../src/resources/networking/ingress/definition.ts'
import { networkPolicyResource } from '../../../src/resources/networking/network-policy/definition.ts'
import { createClusterRoleResource } from '../../../src/resources/rbac/cluster-role/definition.ts'
import { createClusterRoleBindingResource } from '../../../src/resources/rbac/cluster-role-binding/definition.ts'
import { csiDriverResource } from '../../../src/resources/storage/csi-driver/definition.ts'
import { csiStorageCapacityResource } from '../../../src/resources/storage/csi-storage-capacity/definition.ts'
import { storageClassResource } from '../../../src/resources/storage/storage-class/definition.ts'
import { volumeAttachmentResource } from '../../../src/resources/storage/volume-attachment/definition.ts'
import { countedSteps } from '../../support/counted-steps.ts'
import { hookContext } from '../../support/hook-context.ts'
import { KindServer } from '../../support/kind-server.ts'

/** Number of items or members. A map of as many is wide. */
const MANY = 5632
/** Loops end a step after 512 items. */
const STEPS = MANY / 512

const list = <T>(item: (i: number) => T): T[] => Array.from({ length: MANY }, (_, i) => item(i))
const map = <T>(value: (i: number) => T): Record<string, T> => Object.fromEntries(list(i => [`k${i}`, value(i)]))

/** Hooks of a kind, and how often each yields at least for a value in a loop. */
type Hooks = Partial<Record<'validate' | 'warnings', number>>

const flowSchema = (rules: object): object => ({
  spec: { matchingPrecedence: 9000, priorityLevelConfiguration: { name: 'catch-all' }, rules: [rules] },
})
const RULES = 'spec.validation.openAPIV3Schema.x-kubernetes-validations'
const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }
const definition = (more: object): object => ({
  metadata: { name: 'ws.e.io' },
  spec: {
    group: 'e.io',
    scope: 'Cluster',
    names: { plural: 'ws', singular: 'w', kind: 'W', listKind: 'WList' },
    versions: [version],
    ...more,
  },
  status: { storedVersions: ['v1'] },
})
const subjects = list(i => ({ kind: 'User', name: `u${i}`, apiGroup: 'rbac.authorization.k8s.io' }))
const viewRole = { kind: 'ClusterRole', name: 'view', apiGroup: 'rbac.authorization.k8s.io' }
const hook = { name: 'a.b.c', clientConfig: { url: 'https://x/' }, sideEffects: 'None', admissionReviewVersions: ['v1'] }
const rule = { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }

const kinds: Record<string, [ResourceDefinition, Record<string, [body: object, hooks: Hooks, errors?: readonly string[]]>]> = {
  StorageClass: [
    storageClassResource,
    {
      'topology terms': [
        { provisioner: 'p', allowedTopologies: list(i => ({ matchLabelExpressions: [{ key: 'a', values: [`${i % (MANY - 1)}`] }] })) },
        { validate: 2 * STEPS, warnings: 2 * STEPS },
        [`allowedTopologies[${MANY - 1}].matchLabelExpressions`],
      ],
      requirements: [
        { provisioner: 'p', allowedTopologies: [{ matchLabelExpressions: list(i => ({ key: `k${i % (MANY - 1)}`, values: ['a'] })) }] },
        { validate: 2 * STEPS, warnings: STEPS },
        [`allowedTopologies[0].matchLabelExpressions[${MANY - 1}].key`],
      ],
      values: [
        { provisioner: 'p', allowedTopologies: [{ matchLabelExpressions: [{ key: 'k', values: list(i => `${i % (MANY - 1)}`) }] }] },
        { validate: STEPS },
        [`allowedTopologies[0].matchLabelExpressions[0].values[${MANY - 1}]`],
      ],
    },
  ],
  CSIStorageCapacity: [
    csiStorageCapacityResource,
    {
      labels: [
        { storageClassName: 'c', nodeTopology: { matchLabels: map(() => 'v') } },
        { validate: STEPS, warnings: STEPS },
      ],
      expressions: [
        { storageClassName: 'c', nodeTopology: { matchExpressions: list(i => ({ key: `k${i}`, operator: 'Exists' })) } },
        { validate: STEPS, warnings: STEPS },
      ],
    },
  ],
  CSIDriver: [
    csiDriverResource,
    {
      'token requests': [
        { spec: { tokenRequests: list(i => ({ audience: `a${i % (MANY - 1)}` })) } },
        { validate: STEPS },
        [`spec.tokenRequests[${MANY - 1}].audience`],
      ],
    },
  ],
  VolumeAttachment: [
    volumeAttachmentResource,
    {
      metadata: [
        {
          spec: { attacher: 'e.io', nodeName: 'n', source: { persistentVolumeName: 'v' } },
          status: { attached: true, attachmentMetadata: map(() => 'x'.repeat(50)) },
        },
        { validate: STEPS },
        ['status.attachmentMetadata'],
      ],
    },
  ],
  ClusterRole: [
    createClusterRoleResource(),
    {
      rules: [{ rules: list(() => ({ verbs: ['get'], apiGroups: [''], resources: ['pods'] })) }, { validate: STEPS }],
      selectors: [{ aggregationRule: { clusterRoleSelectors: list(i => ({ matchLabels: { a: `${i}` } })) } }, { validate: 2 * STEPS }],
      'a selector': [{ aggregationRule: { clusterRoleSelectors: [{ matchLabels: map(() => 'v') }] } }, { validate: 2 * STEPS }],
    },
  ],
  ClusterRoleBinding: [createClusterRoleBindingResource(), { subjects: [{ roleRef: viewRole, subjects }, { validate: STEPS }] }],
  FlowSchema: [
    flowSchemaResource,
    {
      subjects: [
        flowSchema({
          subjects: list(i => ({ kind: 'User', user: { name: `u${i}` } })),
          nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/'] }],
        }),
        { validate: STEPS },
      ],
      paths: [
        flowSchema({
          subjects: [{ kind: 'User', user: { name: 'u' } }],
          nonResourceRules: [{ verbs: ['*'], nonResourceURLs: list(i => `/${i}`) }],
        }),
        { validate: STEPS },
      ],
    },
  ],
  ValidatingWebhookConfiguration: [
    validatingWebhookConfigurationResource,
    {
      rules: [{ webhooks: [{ ...hook, rules: list(() => rule) }] }, { validate: 3 * STEPS }],
      resources: [{ webhooks: [{ ...hook, rules: [{ ...rule, resources: list(i => `r${i}`) }] }] }, { validate: STEPS }],
      'review versions': [{ webhooks: [{ ...hook, admissionReviewVersions: ['v1', ...list(i => `v${i}a`)] }] }, { validate: STEPS }],
      'a selector': [{ webhooks: [{ ...hook, objectSelector: { matchLabels: map(() => 'v') } }] }, { validate: STEPS }],
    },
  ],
  ValidatingAdmissionPolicyBinding: [
    createValidatingAdmissionPolicyBindingResource(),
    {
      'resource names': [
        {
          spec: {
            policyName: 'p',
            validationActions: ['Deny'],
            matchResources: { resourceRules: [{ ...rule, resourceNames: list(i => `n${i % (MANY - 1)}`) }] },
          },
        },
        { validate: STEPS },
        [`spec.matchResources.resourceRules[0].resourceNames[${MANY - 1}]`],
      ],
    },
  ],
  NetworkPolicy: [
    networkPolicyResource,
    {
      rules: [{ spec: { podSelector: {}, ingress: list(() => ({})) } }, { validate: STEPS, warnings: STEPS }],
      exceptions: [
        {
          spec: {
            podSelector: {},
            egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8', except: list(i => `10.1.${i >> 8}.${i & 255}/32`) } }] }],
          },
        },
        { validate: STEPS, warnings: STEPS },
      ],
      labels: [{ spec: { podSelector: { matchLabels: map(() => 'v') } } }, { validate: STEPS }],
    },
  ],
  Ingress: [
    ingressResource,
    {
      hosts: [
        { spec: { defaultBackend: { service: { name: 's', port: { number: 1 } } }, tls: [{ hosts: list(i => `h${i}.x`) }] } },
        { validate: STEPS },
      ],
    },
  ],
  EndpointSlice: [
    endpointSliceResource,
    {
      addresses: [
        {
          addressType: 'IPv4',
          endpoints: list(i => i)
            .slice(0, 60)
            .map(i => ({ addresses: list(n => `10.${i}.${n >> 8}.${n & 255}`).slice(0, 100) })),
        },
        { validate: STEPS, warnings: STEPS },
      ],
    },
  ],
  CertificateSigningRequest: [
    certificateSigningRequestResource,
    {
      usages: [
        { spec: { signerName: 'e.io/s', usages: list(() => 'client auth') } },
        { validate: 2 * STEPS },
        ['spec.request', ...list(i => `spec.usages[${i}]`).slice(1)],
      ],
    },
  ],
  CustomResourceDefinition: [
    customResourceDefinitionResource,
    {
      'short names': [
        definition({ names: { plural: 'ws', singular: 'w', kind: 'W', listKind: 'WList', shortNames: list(i => `s${i}`) } }),
        { validate: STEPS },
      ],
      columns: [
        definition({
          versions: [{ ...version, additionalPrinterColumns: list(i => ({ name: `c${i}`, type: 'string', jsonPath: `.a${i}` })) }],
        }),
        { validate: STEPS },
      ],
      rules: [
        definition({
          versions: [
            {
              ...version,
              schema: {
                openAPIV3Schema: {
                  type: 'object',
                  'x-kubernetes-validations': list(i => ({ rule: i === 7 ? '' : 'true', messageExpression: ' ' })),
                },
              },
            },
          ],
        }),
        { validate: STEPS },
        list(i => i).flatMap(i => [...(i === 7 ? [`${RULES}[7].rule`] : []), `${RULES}[${i}].messageExpression`]),
      ],
      'review versions': [
        definition({
          conversion: {
            strategy: 'Webhook',
            webhook: { clientConfig: { url: 'https://x/' }, conversionReviewVersions: ['v1', ...list(i => `v${i}a`)] },
          },
        }),
        { validate: STEPS },
      ],
    },
  ],
}

function* fieldsOf(errors: FieldError[] | Steps<FieldError[]>): Steps<string[]> {
  return (yield* runIfSteps(errors)).map(({ field }) => field)
}

describe('hooks of a kind take steps for very many values', () => {
  for (const [kind, [definition, bodies]] of Object.entries(kinds))
    for (const [what, [body, least, errors = []]] of Object.entries(bodies))
      it(`${kind}: ${what}`, () => {
        const { hub, strategy } = definition
        const object = new KindServer([definition]).decode(
          { group: hub.group, resource: hub.names.plural },
          { metadata: { name: 'x' }, ...body },
        )
        const validated = countedSteps(fieldsOf(strategy?.validate?.(object, undefined, hookContext()) ?? []))
        expect(validated.result).to.deep.equal(errors)
        expect(validated.yields, 'steps of the validation').to.be.at.least(Math.floor(least.validate ?? 0))
        const warned = countedSteps(runIfSteps(strategy?.warnings?.(object, undefined, hookContext()) ?? []))
        expect(warned.yields, 'steps of the warnings').to.be.at.least(Math.floor(least.warnings ?? 0))
      })
})
