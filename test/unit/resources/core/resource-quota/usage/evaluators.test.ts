import { expect } from 'chai'
import type { ScopedResourceSelectorRequirement } from '../../../../../../src/api/core/v1.types.ts'
import type { KubeObject } from '../../../../../../src/api/meta/object.ts'
import { runAtOnce, runIfSteps } from '../../../../../../src/lib/steps.ts'
import type { Features } from '../../../../../../src/lifecycle/gates.ts'
import { parseGroupResource } from '../../../../../../src/meta/gvk.ts'
import { persistentVolumeClaimResource } from '../../../../../../src/resources/core/persistent-volume-claim/definition.ts'
import { podResource } from '../../../../../../src/resources/core/pod/definition.ts'
import { resourceListOf } from '../../../../../../src/resources/core/resource-quota/usage/amounts.ts'
import { Evaluators } from '../../../../../../src/resources/core/resource-quota/usage/evaluators.ts'
import { admissionRequest } from '../../../../../support/admission-request.ts'
import { featuresIn, featuresOf } from '../../../../../support/hook-context.ts'

const NOW = Date.parse('2026-01-02T03:04:05Z')

function evaluatorOf(resource: string, features: Features = featuresOf()) {
  const evaluator = new Evaluators(features).of(parseGroupResource(resource))
  if (!evaluator) throw new Error(`${resource} is not counted`)
  return evaluator
}

const usage = (resource: string, object: object, features?: Features): Record<string, string> =>
  resourceListOf(runAtOnce(runIfSteps(evaluatorOf(resource, features).usage(object as KubeObject, NOW))))

const container = (requests?: object, limits?: object, more: object = {}): object => ({
  name: 'c',
  resources: { ...(requests && { requests }), ...(limits && { limits }) },
  ...more,
})
const pod = (spec: object, status: object = {}, metadata: object = {}): object => ({ metadata, spec, status })
const ALIVE = { pods: '1', 'count/pods': '1' }
const COUNTED = { 'count/pods': '1' }

describe('evaluators of quotas', () => {
  const pods: [string, object, object, Features?][] = [
    [
      'requests and limits',
      pod({
        containers: [
          container({ cpu: '1m', memory: '1Mi', 'ephemeral-storage': '32Mi' }, { cpu: '2m', memory: '2Mi', 'ephemeral-storage': '64Mi' }),
        ],
      }),
      {
        ...ALIVE,
        cpu: '1m',
        'requests.cpu': '1m',
        'limits.cpu': '2m',
        memory: '1Mi',
        'requests.memory': '1Mi',
        'limits.memory': '2Mi',
        'ephemeral-storage': '32Mi',
        'requests.ephemeral-storage': '32Mi',
        'limits.ephemeral-storage': '64Mi',
      },
    ],
    [
      'huge pages and extended resources by their requests',
      pod({
        containers: [
          container(
            { 'hugepages-2Mi': '100Mi', 'example.com/gpu': '3', 'kubernetes.io/x': '1' },
            { 'hugepages-2Mi': '100Mi', 'example.com/gpu': '3' },
          ),
        ],
      }),
      { ...ALIVE, 'hugepages-2Mi': '100Mi', 'requests.hugepages-2Mi': '100Mi', 'requests.example.com/gpu': '3' },
    ],
    [
      'an init container that needs more than the containers together',
      pod({
        initContainers: [container({ cpu: '4' }), container({ cpu: '1' })],
        containers: [container({ cpu: '1' }), container({ cpu: '2' })],
      }),
      { ...ALIVE, cpu: '4', 'requests.cpu': '4' },
    ],
    [
      'sidecars beside the containers',
      pod({ initContainers: [container({ cpu: '1' }, undefined, { restartPolicy: 'Always' })], containers: [container({ cpu: '2' })] }),
      { ...ALIVE, cpu: '3', 'requests.cpu': '3' },
    ],
    [
      'overhead, in limits only beside other limits',
      pod({ overhead: { cpu: '1', memory: '1Gi' }, containers: [container({ cpu: '1' }, { cpu: '2' })] }),
      { ...ALIVE, cpu: '2', 'requests.cpu': '2', 'limits.cpu': '3', memory: '1Gi', 'requests.memory': '1Gi' },
    ],
    ['nothing but its place of one that has ended', pod({ containers: [container({ cpu: '1' })] }, { phase: 'Succeeded' }), COUNTED],
    ['nothing but its place of one that has failed', pod({ containers: [container({ cpu: '1' })] }, { phase: 'Failed' }), COUNTED],
    [
      'nothing but its place when the grace period is over',
      pod({ containers: [container()] }, {}, { deletionTimestamp: '2026-01-02T03:03:05Z', deletionGracePeriodSeconds: 30 }),
      COUNTED,
    ],
    [
      'all while it stops',
      pod({ containers: [container()] }, {}, { deletionTimestamp: '2026-01-02T03:04:05Z', deletionGracePeriodSeconds: 30 }),
      ALIVE,
    ],
    [
      'the pod as a whole with the gate',
      pod({ resources: { requests: { cpu: '5' } }, containers: [container({ cpu: '1' })] }),
      { ...ALIVE, cpu: '5', 'requests.cpu': '5' },
      featuresOf('PodLevelResources=true'),
    ],
    [
      'containers alone without the gate',
      pod({ resources: { requests: { cpu: '5' } }, containers: [container({ cpu: '1' })] }),
      { ...ALIVE, cpu: '1', 'requests.cpu': '1' },
    ],
    [
      'resources that a resize has not released yet',
      pod(
        { containers: [container({ cpu: '1' }, { cpu: '1' })] },
        {
          containerStatuses: [{ name: 'c', allocatedResources: { cpu: '3' }, resources: { requests: { cpu: '2' }, limits: { cpu: '4' } } }],
        },
      ),
      { ...ALIVE, cpu: '3', 'requests.cpu': '3', 'limits.cpu': '4' },
    ],
    [
      'infeasible resizes excluded',
      pod(
        { containers: [container({ cpu: '9' })] },
        {
          conditions: [{ type: 'PodResizePending', reason: 'Infeasible' }],
          containerStatuses: [{ name: 'c', resources: { requests: { cpu: '2' } } }],
        },
      ),
      { ...ALIVE, cpu: '2', 'requests.cpu': '2' },
    ],
  ]
  for (const [what, object, expected, features] of pods)
    it(`measure a pod: ${what}`, () => void expect(usage('pods', object, features)).to.deep.equal(expected))

  const ports = (...nodePorts: number[]) => nodePorts.map(nodePort => (nodePort === 0 ? {} : { nodePort }))
  const services: [string, object, object][] = [
    ['ClusterIP', { type: 'ClusterIP', ports: ports(0) }, { 'services.nodeports': '0', 'services.loadbalancers': '0' }],
    ['NodePort', { type: 'NodePort', ports: ports(0, 0) }, { 'services.nodeports': '2', 'services.loadbalancers': '0' }],
    ['LoadBalancer', { type: 'LoadBalancer', ports: ports(0) }, { 'services.nodeports': '1', 'services.loadbalancers': '1' }],
    [
      'LoadBalancer without node ports',
      { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, ports: ports(0, 30000) },
      { 'services.nodeports': '1', 'services.loadbalancers': '1' },
    ],
  ]
  for (const [what, spec, expected] of services)
    it(`measure a service: ${what}`, () =>
      void expect(usage('services', { metadata: {}, spec })).to.deep.equal({ services: '1', 'count/services': '1', ...expected }))

  const claim = (storage: string, more: object = {}, status: object = {}) => ({
    metadata: {},
    spec: { resources: { requests: { storage } }, ...more },
    status,
  })
  const claims: [string, object, object][] = [
    ['whole bytes', claim('1500m'), { 'requests.storage': '2' }],
    [
      'a class',
      claim('1Gi', { storageClassName: 'gold' }),
      {
        'requests.storage': '1Gi',
        'gold.storageclass.storage.k8s.io/requests.storage': '1Gi',
        'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '1',
      },
    ],
    ['an allocation above the request', claim('1Gi', {}, { allocatedResources: { storage: '2Gi' } }), { 'requests.storage': '2Gi' }],
  ]
  for (const [what, object, expected] of claims)
    it(`measure a claim: ${what}`, () =>
      void expect(usage('persistentvolumeclaims', object)).to.deep.equal({
        persistentvolumeclaims: '1',
        'count/persistentvolumeclaims': '1',
        ...expected,
      }))

  it('count devices of a ResourceClaim by class, with the maximum of alternatives', () => {
    const requests = [
      { name: 'a', exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 2 } },
      { name: 'b', exactly: { deviceClassName: 'gpu', allocationMode: 'All' } },
      {
        name: 'c',
        firstAvailable: [
          { deviceClassName: 'nic', allocationMode: 'ExactCount', count: 1 },
          { deviceClassName: 'nic', allocationMode: 'ExactCount', count: 3 },
        ],
      },
      { name: 'd', exactly: { deviceClassName: 'gpu', allocationMode: 'Later', count: 7 } },
    ]
    const features = featuresOf('DynamicResourceAllocation=true')
    expect(usage('resourceclaims.resource.k8s.io', { metadata: {}, spec: { devices: { requests } } }, features)).to.deep.equal({
      'count/resourceclaims.resource.k8s.io': '1',
      'gpu.deviceclass.resource.k8s.io/devices': '34',
      'nic.deviceclass.resource.k8s.io/devices': '3',
    })
  })

  it('count objects of any other resource', () => {
    expect(usage('configmaps', {})).to.deep.equal({ configmaps: '1', 'count/configmaps': '1' })
    expect(usage('widgets.example.com', {})).to.deep.equal({ 'count/widgets.example.com': '1' })
  })

  it('ignore events and reviews', () => {
    const evaluators = new Evaluators(featuresOf())
    for (const resource of ['events', 'events.events.k8s.io', 'bindings', 'localsubjectaccessreviews.authorization.k8s.io'])
      expect(evaluators.of(parseGroupResource(resource)), resource).to.equal(undefined)
  })

  const missing: [string, object, string[], string | undefined][] = [
    [
      'of all containers',
      { initContainers: [container({ cpu: '1' })], containers: [container({}, {}, { name: 'b' })] },
      ['memory'],
      'must specify memory for: b,c',
    ],
    ['in the order of resources', { containers: [container()] }, ['memory', 'cpu'], 'must specify cpu for: c; memory for: c'],
    ['nothing of storage', { containers: [container()] }, ['ephemeral-storage', 'requests.example.com/gpu'], undefined],
    ['nothing if all are set', { containers: [container({ cpu: '1' }, { cpu: '1' })] }, ['limits.cpu', 'requests.cpu'], undefined],
  ]
  for (const [what, spec, limited, expected] of missing)
    it(`report missing resources of a pod: ${what}`, () =>
      void expect(runAtOnce(evaluatorOf('pods').missing!(new Set(limited), pod(spec) as KubeObject))).to.equal(expected))

  const affinity = (terms: object) => ({ affinity: { podAntiAffinity: terms }, containers: [] })
  const scopes: [string, object, ScopedResourceSelectorRequirement, boolean][] = [
    ['terminating', { activeDeadlineSeconds: 5 }, { scopeName: 'Terminating', operator: 'Exists' }, true],
    ['not terminating', { activeDeadlineSeconds: 5 }, { scopeName: 'NotTerminating', operator: 'Exists' }, false],
    ['best effort', { containers: [container()] }, { scopeName: 'BestEffort', operator: 'Exists' }, true],
    ['not best effort', { containers: [container({ cpu: '1' })] }, { scopeName: 'NotBestEffort', operator: 'Exists' }, true],
    ['a class', { priorityClassName: 'a' }, { scopeName: 'PriorityClass', operator: 'In', values: ['a', 'b'] }, true],
    ['another class', { priorityClassName: 'a' }, { scopeName: 'PriorityClass', operator: 'NotIn', values: ['a'] }, false],
    ['no class', {}, { scopeName: 'PriorityClass', operator: 'NotIn', values: ['a'] }, true],
    ['no class at all', {}, { scopeName: 'PriorityClass', operator: 'DoesNotExist' }, true],
    ['any class', { priorityClassName: 'a' }, { scopeName: 'PriorityClass', operator: 'Exists' }, true],
    ['no operator', { priorityClassName: 'a' }, { scopeName: 'PriorityClass', operator: '' }, false],
    [
      'affinity beyond the namespace',
      affinity({ requiredDuringSchedulingIgnoredDuringExecution: [{ namespaceSelector: {} }] }),
      { scopeName: 'CrossNamespacePodAffinity', operator: 'Exists' },
      true,
    ],
    [
      'affinity within the namespace',
      affinity({ preferredDuringSchedulingIgnoredDuringExecution: [{ podAffinityTerm: { namespaces: [] } }] }),
      { scopeName: 'CrossNamespacePodAffinity', operator: 'Exists' },
      false,
    ],
    ['a scope of claims', {}, { scopeName: 'VolumeAttributesClass', operator: 'Exists' }, false],
  ]
  for (const [what, spec, selector, expected] of scopes)
    it(`match scopes with a pod: ${what}`, () =>
      void expect(evaluatorOf('pods').inScope!(selector, pod(spec) as KubeObject)).to.equal(expected))

  it('match VolumeAttributesClass scopes with the current and the target class of a claim', () => {
    const given = claim(
      '1',
      { volumeAttributesClassName: 'a' },
      { modifyVolumeStatus: { targetVolumeAttributesClassName: 'b' } },
    ) as unknown as KubeObject
    const inScope = (features: Features) =>
      evaluatorOf('persistentvolumeclaims', features).inScope!({ scopeName: 'VolumeAttributesClass', operator: 'In', values: ['b'] }, given)
    expect(inScope(featuresOf('VolumeAttributesClass=true'))).to.equal(true)
    expect(inScope(featuresOf())).to.equal(false)
  })

  const handled: [string, object, boolean, Features?][] = [
    ['a new pod', {}, true],
    ['a subresource', { subresource: 'binding' }, false],
    ['a resize', { operation: 'UPDATE', subresource: 'resize' }, true],
    ['an update', { operation: 'UPDATE', old: pod({}) }, false],
    ['a new deadline', { operation: 'UPDATE', old: pod({ activeDeadlineSeconds: 1 }) }, true],
    ['a new deadline in 1.32', { operation: 'UPDATE', old: pod({ activeDeadlineSeconds: 1 }) }, false, featuresIn('1.32')],
    ['an update that may resize', { operation: 'UPDATE', old: pod({}) }, true, featuresIn('1.30', { InPlacePodVerticalScaling: true })],
  ]
  for (const [what, parts, expected, features] of handled)
    it(`handle requests for pods: ${what}`, () =>
      void expect(evaluatorOf('pods', features).handles(admissionRequest(podResource, pod({}), parts))).to.equal(expected))

  it('handle the status of claims since 1.33', () => {
    const request = admissionRequest(persistentVolumeClaimResource, claim('1'), {
      operation: 'UPDATE',
      subresource: 'status',
      old: claim('1'),
    })
    expect(evaluatorOf('persistentvolumeclaims').handles(request)).to.equal(true)
    expect(evaluatorOf('persistentvolumeclaims', featuresIn('1.32')).handles(request)).to.equal(false)
  })
})
