import { expect } from 'chai'
import type { ResourceDefinition } from '../../../src/catalog/definition.ts'
import { resultAtOnce } from '../../../src/lib/steps.ts'
import type { Release } from '../../../src/lifecycle/release.ts'
import { fieldPath } from '../../../src/meta/field-path.ts'
import { StatusError } from '../../../src/meta/status.ts'
import { withDeclaredRules } from '../../../src/registry/declared-validation.ts'
import { horizontalPodAutoscalerResource } from '../../../src/resources/autoscaling/horizontal-pod-autoscaler/definition.ts'
import { certificateSigningRequestResource } from '../../../src/resources/certificates/certificate-signing-request/definition.ts'
import { endpointSliceResource } from '../../../src/resources/discovery/endpoint-slice/definition.ts'
import { priorityLevelConfigurationResource } from '../../../src/resources/flowcontrol/priority-level-configuration/definition.ts'
import { ingressClassResource } from '../../../src/resources/networking/ingress-class/definition.ts'
import { ipAddressResource } from '../../../src/resources/networking/ip-address/definition.ts'
import { networkPolicyResource } from '../../../src/resources/networking/network-policy/definition.ts'
import { runtimeClassResource } from '../../../src/resources/node/runtime-class/definition.ts'
import { createClusterRoleResource } from '../../../src/resources/rbac/cluster-role/definition.ts'
import { createClusterRoleBindingResource } from '../../../src/resources/rbac/cluster-role-binding/definition.ts'
import { createRoleBindingResource } from '../../../src/resources/rbac/role-binding/definition.ts'
import { deviceClassResource } from '../../../src/resources/resource/device-class/definition.ts'
import { createResourceClaimResource } from '../../../src/resources/resource/resource-claim/definition.ts'
import { storageClassResource } from '../../../src/resources/storage/storage-class/definition.ts'
import { volumeAttachmentResource } from '../../../src/resources/storage/volume-attachment/definition.ts'
import { declaredRules } from '../../../src/schema/declared-rules.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { testAuth } from '../../support/auth.ts'
import { definitionIn, featuresIn, hookContext } from '../../support/hook-context.ts'
import { TestRegistry } from '../../support/test-registry.ts'

const OPAQUE = { driver: 'd.example.com', parameters: {} }
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', " +
  "regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const requests = (count: number): object[] => Array.from({ length: count }, (_, i) => ({ name: `r${i}`, exactly }))
const exactly = { deviceClassName: 'c', allocationMode: 'All' }
type Migrated = [release: Release, definition: ResourceDefinition, object: object, error: string | string[]]
const claimResource = createResourceClaimResource(testAuth.authorizer)
const clusterRoleResource = createClusterRoleResource()
const clusterRoleBindingResource = createClusterRoleBindingResource()
const roleBindingResource = createRoleBindingResource()
const RBAC = 'rbac.authorization.k8s.io'

describe('declared rules of built-in kinds', () => {
  const meta = { name: 'x' }
  const pair = [
    { type: 'Approved', status: 'True' },
    { type: 'Denied', status: 'True' },
  ]
  const migrated: Migrated[] = [
    ['1.35', roleBindingResource, { roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: '' } }, 'roleRef.name: Required value'],
    [
      '1.35',
      roleBindingResource,
      { roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'r' }, subjects: [{ kind: 'User', apiGroup: RBAC, name: '' }] },
      'subjects[0].name: Required value',
    ],
    [
      '1.36',
      clusterRoleResource,
      { rules: [{ verbs: [], nonResourceURLs: ['/'] }] },
      'rules[0].verbs: Required value: verbs must contain at least one value',
    ],
    [
      '1.35',
      storageClassResource,
      { provisioner: '', reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
      'provisioner: Required value',
    ],
    ['1.36', runtimeClassResource, { handler: '' }, 'handler: Required value'],
    [
      '1.36',
      ingressClassResource,
      { spec: { controller: 'a.b/c', parameters: { kind: '', name: 'n', scope: 'Cluster' } } },
      'spec.parameters.kind: Required value: kind is required',
    ],
    [
      '1.36',
      ipAddressResource,
      { metadata: { name: '10.0.0.1' }, spec: { parentRef: { resource: '', name: 'n' } } },
      'spec.parentRef.resource: Required value',
    ],
    [
      '1.36',
      volumeAttachmentResource,
      { spec: { attacher: '', nodeName: 'n', source: { persistentVolumeName: 'v' } } },
      'spec.attacher: Required value',
    ],
    [
      '1.36',
      volumeAttachmentResource,
      { spec: { attacher: `${'a'.repeat(64)}_`, nodeName: 'n', source: { persistentVolumeName: 'v' } } },
      ['spec.attacher: Too long: may not be more than 63 bytes', `spec.attacher: Invalid value: "${'a'.repeat(64)}_": ${SUBDOMAIN}`],
    ],
    [
      '1.36',
      networkPolicyResource,
      { spec: { podSelector: {}, policyTypes: ['Ingress'], ingress: [{ from: [{ ipBlock: { cidr: '' } }] }] } },
      'spec.ingress[0].from[0].ipBlock.cidr: Required value',
    ],
    [
      '1.36',
      endpointSliceResource,
      { addressType: 'IPv4', endpoints: [{ addresses: [] }], ports: [] },
      'endpoints[0].addresses: Required value: must contain at least 1 address',
    ],
    [
      '1.36',
      horizontalPodAutoscalerResource,
      { spec: { maxReplicas: -1, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } } },
      [
        'spec.maxReplicas: Invalid value: -1: must be greater than or equal to 1',
        'spec.maxReplicas: Invalid value: -1: must be greater than or equal to `minReplicas`',
      ],
    ],
    [
      '1.35',
      deviceClassResource,
      { spec: { selectors: Array(33).fill({ cel: { expression: 'true' } }) } },
      'spec.selectors: Too many: 33: must have at most 32 items',
    ],
    [
      '1.35',
      deviceClassResource,
      { spec: { config: Array(33).fill({ opaque: OPAQUE }) } },
      'spec.config: Too many: 33: must have at most 32 items',
    ],
    [
      '1.35',
      claimResource,
      { spec: { devices: { requests: requests(33) } } },
      'spec.devices.requests: Too many: 33: must have at most 32 items',
    ],
    [
      '1.35',
      claimResource,
      { spec: { devices: { requests: [{ name: 'r', firstAvailable: [{ name: 's', deviceClassName: '', allocationMode: 'All' }] }] } } },
      'spec.devices.requests[0].firstAvailable[0].deviceClassName: Required value',
    ],
    [
      '1.35',
      claimResource,
      { spec: { devices: { requests: requests(1), constraints: [{ requests: Array(33).fill('r0'), matchAttribute: 'a.b/c' }] } } },
      'spec.devices.constraints[0].requests: Too many: 33: must have at most 32 items',
    ],
    [
      '1.35',
      claimResource,
      { spec: { devices: { requests: requests(1), constraints: [{ requests: ['r0', 'r0'], matchAttribute: 'a.b/c' }] } } },
      'spec.devices.constraints[0].requests[1]: Duplicate value: "r0"',
    ],
    [
      '1.35',
      claimResource,
      { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c', allocationMode: 'Some' } }] } } },
      'spec.devices.requests[0].exactly.allocationMode: Unsupported value: "Some": supported values: "All", "ExactCount"',
    ],
    [
      '1.35',
      claimResource,
      { spec: { devices: { requests: [{ name: 'r', firstAvailable: [{ name: 's', deviceClassName: 'A', allocationMode: 'All' }] }] } } },
      `spec.devices.requests[0].firstAvailable[0].deviceClassName: Invalid value: "A": ${SUBDOMAIN}`,
    ],
    ...(['1.35', '1.36'] as const).map(
      (release): Migrated => [
        release,
        claimResource,
        {
          spec: {
            devices: { requests: [{ name: 'r', exactly: { ...exactly, tolerations: [{ key: 'k', operator: 'Is', effect: 'NoWay' }] } }] },
          },
        },
        [
          'spec.devices.requests[0].exactly.tolerations[0].operator: Unsupported value: "Is": supported values: "Equal", "Exists"',
          'spec.devices.requests[0].exactly.tolerations[0].effect: Unsupported value: "NoWay": supported values: "NoExecute", "NoSchedule", "None"',
        ],
      ],
    ),
    [
      '1.36',
      claimResource,
      { spec: { devices: { requests: requests(1), config: [{ opaque: { driver: `${'a'.repeat(64)}_`, parameters: {} } }] } } },
      [
        'spec.devices.config[0].opaque.driver: Too long: may not be more than 63 bytes',
        `spec.devices.config[0].opaque.driver: Invalid value: "${'a'.repeat(64)}_": ${SUBDOMAIN}`,
      ],
    ],
    [
      '1.36',
      endpointSliceResource,
      { addressType: 'IPv5', endpoints: [], ports: [] },
      'addressType: Unsupported value: "IPv5": supported values: "FQDN", "IPv4", "IPv6"',
    ],
    [
      '1.36',
      horizontalPodAutoscalerResource,
      { spec: { minReplicas: 0, maxReplicas: 1, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } } },
      [
        'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
        'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
      ],
    ],
    [
      '1.36',
      priorityLevelConfigurationResource,
      { spec: { type: 'Limited', exempt: {} } },
      [
        'spec.exempt: Forbidden: must be nil if the type is Limited',
        'spec.limited: Required value: must not be empty when type is Limited',
      ],
    ],
    [
      '1.36',
      priorityLevelConfigurationResource,
      {
        spec: {
          type: 'Limited',
          limited: {
            nominalConcurrencyShares: 1,
            limitResponse: { type: 'Reject', queuing: { queues: 1, handSize: 1, queueLengthLimit: 1 } },
          },
        },
      },
      'spec.limited.limitResponse.queuing: Forbidden: must be nil if limited.limitResponse.type is not Limited',
    ],
    [
      '1.36',
      priorityLevelConfigurationResource,
      { spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: '' } } } },
      'spec.limited.limitResponse.type: Required value',
    ],
    ['1.36', priorityLevelConfigurationResource, { spec: { type: '' } }, 'spec.type: Required value'],
    ['1.36', runtimeClassResource, { handler: 'a.b' }, 'handler: Invalid value: "a.b": must not contain dots'],
  ]
  for (const [release, definition, body, error] of migrated)
    for (const takeover of release === '1.36' ? [false] : [false, true])
      it(`agree with hand-written validation for ${definition.hub.kind} in ${release}${takeover ? ' and have the same messages' : ''}: ${[error].flat()[0]?.slice(0, 40)}`, async () => {
        const { causes, faults } = await creatingIn(
          release,
          definition,
          { metadata: meta, ...body },
          { DeclarativeValidationTakeover: takeover },
        )
        expect({ causes, faults }).to.deep.equal({ causes: [error].flat(), faults: [] })
      })

  it('report the whole duplicate item, of which hand-written validation reports the key', async () => {
    const twice = { metadata: meta, spec: { devices: { requests: [...requests(1), ...requests(1)] } } }
    for (const [takeover, value] of [
      [false, '"r0"'],
      [true, JSON.stringify(requests(1)[0])],
    ] as const) {
      const { causes, faults } = await creatingIn('1.35', claimResource, twice, { DeclarativeValidationTakeover: takeover })
      expect(causes).to.deep.equal([`spec.devices.requests[1]: Duplicate value: ${value}`])
      expect(faults).to.deep.equal([])
    }
  })

  it('have other messages for driver names, which may have upper-case letters', async () => {
    const claim = (driver: string) => ({
      metadata: meta,
      spec: { devices: { requests: requests(1), config: [{ opaque: { driver, parameters: {} } }] } },
    })
    const creating = (driver: string) => creatingIn('1.35', claimResource, claim(driver), { DeclarativeValidationTakeover: true })
    expect(await creating('A.b')).to.deep.equal({ causes: [], faults: [] })
    const { causes, faults } = await creating('A_b')
    expect(causes[0]).to.include('Invalid value: "A_b": an RFC 1123 subdomain must consist of alphanumeric characters')
    expect(causes[0]).to.include("(e.g. 'Example.com', regex used for validation is '[a-z0-9]")
    expect([causes.length, faults]).to.deep.equal([1, []])
  })

  it('depend on gates: an autoscaler may scale to nothing while HPAScaleToZero is on', async () => {
    const spec = { maxReplicas: 1, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } }
    const metrics = [{ type: 'External', external: { metric: { name: 'm' }, target: { type: 'Value', value: '1' } } }]
    const creating = (minReplicas: number) =>
      creatingIn(
        '1.36',
        horizontalPodAutoscalerResource,
        { metadata: meta, spec: { ...spec, metrics, minReplicas } },
        { HPAScaleToZero: true },
      )
    expect(await creating(0)).to.deep.equal({ causes: [], faults: [] })
    expect(await creating(-1)).to.deep.equal({
      causes: ['spec.minReplicas: Invalid value: -1: must be greater than or equal to 0'],
      faults: [],
    })
  })

  it('agree with hand-written validation of a subresource: a request for a certificate is not approved and denied', () => {
    const { hub } = certificateSigningRequestResource
    const before = {
      apiVersion: 'v1',
      kind: 'x',
      metadata: meta,
      spec: { signerName: 'a.b/c', request: '' },
      status: { conditions: pair.slice(0, 1) },
    } as AnyObject
    const next = { ...before, status: { conditions: pair } } as AnyObject
    for (const [release, field] of [
      ['1.33', 'status.conditions[1].type'],
      ['1.34', 'status.conditions'],
      ['1.35', 'status.conditions'],
      ['1.36', 'status.conditions'],
    ] as const) {
      const context = hookContext({ features: featuresIn(release), subresource: 'approval' })
      const schema = definitionIn(certificateSigningRequestResource, context.features).hub.schema
      const found = hub.subresources?.approval?.strategy?.validate?.(next, before, context)
      const errors = (found ? resultAtOnce(found) : []).filter(({ body }) => body.includes('exclusive'))
      expect(errors.map(error => error.field)).to.deep.equal([field])
      if (release !== '1.33') {
        const list = release === '1.34' ? 'Conditions' : 'conditions'
        const names = ['Approved', 'Denied'].map(type => `${list}[{"type": "${type}"}]`)
        const told = declaredRules(schema)?.errorsOf(next, fieldPath(), { value: before }, () => false)
        expect(told?.map(({ body }) => body)).to.deep.equal([
          `Invalid value: ${JSON.stringify(`{${names.join(', ')}}`)}: must specify at most one of: ${names.map(name => `\`${name}\``).join(', ')}`,
        ])
      }
      const faults: string[] = []
      const declared = {
        mismatch: (_: string, identifier: string) => void faults.push(identifier),
        panic: (detail: string) => void faults.push(detail),
      }
      withDeclaredRules({ schema, kind: 'certificatesigningrequest', next, old: before }, errors, { ...context, declared })
      expect(faults).to.deep.equal([])
      // Without the hand-written error they differ.
      withDeclaredRules({ schema, kind: 'certificatesigningrequest', next, old: before }, [], { ...context, declared })
      expect(faults).to.deep.equal(release === '1.33' ? [] : ['certificatesigningrequest_approval_update'])
    }
  })

  for (const [definition, before, next, field] of [
    [
      ipAddressResource,
      { metadata: { name: '10.0.0.1' }, spec: { parentRef: { resource: 'services', name: 'n' } } },
      { spec: { parentRef: { resource: 'services', name: 'other' } } },
      'spec.parentRef',
    ],
    [
      volumeAttachmentResource,
      { spec: { attacher: 'a.b', nodeName: 'n', source: { persistentVolumeName: 'v' } } },
      { spec: { attacher: 'a.b', nodeName: 'other', source: { persistentVolumeName: 'v' } } },
      'spec',
    ],
  ] as const)
    it(`agree that ${field} of ${definition.hub.kind} is immutable`, async () => {
      const told = await updatingIn('1.36', definition, { metadata: meta, ...before }, next)
      expect(told.causes.map(text => text.replace(/: Invalid value: .*: /, ': '))).to.deep.equal([`${field}: field is immutable`])
      expect(told.faults).to.deep.equal([])
    })

  it('do not validate fields that an update does not change', () => {
    const context = hookContext({ features: featuresIn('1.36') })
    const { schema } = definitionIn(storageClassResource, context.features).hub
    const before = { apiVersion: 'v1', kind: 'x', metadata: meta, provisioner: '', parameters: { a: 'b' } } as AnyObject
    const found = (next: AnyObject): string[] =>
      declaredRules(schema)
        ?.errorsOf(next, fieldPath(), { value: before }, () => false)
        .map(({ field }) => field) ?? []
    expect(found({ ...before })).to.deep.equal([])
    expect(found({ ...before, parameters: { a: 'c' }, provisioner: 'p' })).to.deep.equal(['provisioner', 'parameters'])
  })

  it('determine the order of errors with the takeover gate, except for a ClusterRoleBinding, whose rules are not run', async () => {
    const binding = { metadata: meta, roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: '' }, subjects: [{ kind: 'Robot', name: 'r' }] }
    const role = 'roleRef.name: Required value'
    const kind = 'subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"'
    for (const [definition, causes] of [
      [roleBindingResource, [kind, role]],
      [clusterRoleBindingResource, [role, kind]],
    ] as const)
      expect(await creatingIn('1.35', definition, binding, { DeclarativeValidationTakeover: true })).to.deep.equal({ causes, faults: [] })
  })

  it('do not affect responses from 1.36 on, where the takeover gate is deprecated', async () => {
    const rule = { metadata: meta, rules: [{ verbs: [], nonResourceURLs: ['/'] }] }
    const { causes } = await creatingIn('1.36', clusterRoleResource, rule, { DeclarativeValidationTakeover: true })
    expect(causes).to.deep.equal(['rules[0].verbs: Required value: verbs must contain at least one value'])
  })

  const enforced: [definition: ResourceDefinition, body: object, causes: string[]][] = [
    [clusterRoleResource, { rules: [{ verbs: [], nonResourceURLs: ['/'] }] }, ['rules[0].verbs: Required value']],
    [
      horizontalPodAutoscalerResource,
      { spec: { maxReplicas: 0, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } } },
      ['spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`', 'spec.maxReplicas: Required value'],
    ],
    // Its rules are not run by earlier releases. Hand-written errors without a declared counterpart stay.
    [
      clusterRoleBindingResource,
      { roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: '' }, subjects: [{ kind: 'Robot', name: 'r' }] },
      ['subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"', 'roleRef.name: Required value'],
    ],
  ]
  for (const [definition, body, causes] of enforced)
    it(`replace the hand-written errors of ${definition.hub.kind} that they match since 1.37`, async () => {
      expect(await creatingIn('1.37', definition, { metadata: meta, ...body }, {})).to.deep.equal({ causes, faults: [] })
      const off = await creatingIn('1.37', definition, { metadata: meta, ...body }, { DeclarativeValidationBeta: false })
      expect(off.causes).to.deep.equal((await creatingIn('1.36', definition, { metadata: meta, ...body }, {})).causes)
    })
})

/**
 * Creates an object of a built-in kind in a release. Returns the causes of the error, and the reports of the observer.
 */
async function creatingIn(release: Release, definition: ResourceDefinition, body: object, gates: Record<string, boolean>) {
  const { t, create } = registryIn(release, definition, gates)
  return { causes: await create(body).then(() => [], causesOf), faults: t.declaredFaults }
}

/** `creatingIn` for an update of an object. */
async function updatingIn(release: Release, definition: ResourceDefinition, before: object, next: object) {
  const { t, create, gr, namespace } = registryIn(release, definition, {})
  const { metadata } = await create(before)
  const causes = await t
    .access()
    .update(gr, namespace, metadata.name ?? '', live => ({ ...live, ...next }))
    .then(() => [], causesOf)
  return { causes, faults: t.declaredFaults }
}

function registryIn(release: Release, definition: ResourceDefinition, gates: Record<string, boolean>) {
  const features = featuresIn(release, gates)
  const t = new TestRegistry([definitionIn(definition, features)], undefined, features)
  const { group, name, kind, names } = definition.hub
  const gr = { group, resource: names.plural }
  const namespace = definition.scope === 'Namespaced' ? 'ns' : ''
  const create = (body: object) => t.access().create(gr, namespace, { apiVersion: `${group}/${name}`, kind, ...body } as AnyObject)
  return { t, create, gr, namespace }
}

function causesOf(error: unknown): string[] {
  if (!(error instanceof StatusError)) throw error
  return (error.status.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`)
}
