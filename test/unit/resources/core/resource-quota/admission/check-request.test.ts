import { expect } from 'chai'
import type { ResourceQuota } from '../../../../../../src/api/core/v1.types.ts'
import { runAtOnce, type Steps } from '../../../../../../src/lib/steps.ts'
import type { AdmissionRequest } from '../../../../../../src/registry/types.ts'
import { persistentVolumeClaimResource } from '../../../../../../src/resources/core/persistent-volume-claim/definition.ts'
import { podResource } from '../../../../../../src/resources/core/pod/definition.ts'
import {
  checkRequest,
  type LimitedResource,
  runningQuota,
  runningQuotas,
} from '../../../../../../src/resources/core/resource-quota/admission/check-request.ts'
import { resourceListOf } from '../../../../../../src/resources/core/resource-quota/usage/amounts.ts'
import { Evaluators } from '../../../../../../src/resources/core/resource-quota/usage/evaluators.ts'
import { createServiceResource } from '../../../../../../src/resources/core/service/definition.ts'
import { admissionRequest } from '../../../../../support/admission-request.ts'
import { countedSteps } from '../../../../../support/counted-steps.ts'
import { featuresOf } from '../../../../../support/hook-context.ts'

const quota = (name: string, hard: object, used: object | undefined, spec: object = {}): ResourceQuota =>
  ({ metadata: { name, namespace: 'ns' }, spec: { hard, ...spec }, status: { hard, ...(used && { used }) } }) as unknown as ResourceQuota

/** The usage reserved in each quota, or the message of the error. */
function check(request: AdmissionRequest, quotas: readonly ResourceQuota[], limited: readonly LimitedResource[] = []): object | string {
  const { version } = request.served
  const evaluator = new Evaluators(featuresOf()).of({ group: version.group, resource: version.names.plural })
  if (!request.object || !evaluator) throw new Error('nothing to count')
  try {
    const reserved = runAtOnce(checkRequest(quotas.map(runningQuota), { request, object: request.object, evaluator, now: 0 }, limited))
    return Object.fromEntries(reserved.map(({ running, amounts }) => [running.quota.metadata.name, resourceListOf(amounts)]))
  } catch (error) {
    return (error as Error).message
  }
}

const pod = (requests: object, spec: object = {}) => ({
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'c', resources: { requests } }], ...spec },
  status: {},
})
const ofPod = (object: object, parts: object = {}) => admissionRequest(podResource, object, { namespace: 'ns', name: 'p', ...parts })
const update = (resource: typeof podResource, object: object, old: object, parts: object = {}) =>
  admissionRequest(resource, object, { namespace: 'ns', operation: 'UPDATE', old, ...parts })
const service = (type: string, ports = 1) => ({ metadata: { name: 's' }, spec: { type, ports: Array.from({ length: ports }, () => ({})) } })
const claim = (storage: string, more: object = {}) => ({
  metadata: { name: 'c' },
  spec: { resources: { requests: { storage } }, ...more },
  status: {},
})
const serviceResource = createServiceResource()
const FORBIDDEN = 'pods "p" is forbidden: '

describe('requests and quotas', () => {
  const cases: [string, AdmissionRequest, readonly ResourceQuota[], object | string, (readonly LimitedResource[])?][] = [
    [
      'reserve in every quota that limits them',
      ofPod(pod({ cpu: '1' })),
      [quota('a', { pods: '2' }, { pods: '1' }), quota('b', { cpu: '1' }, { cpu: '0' })],
      { a: { pods: '1' }, b: { cpu: '1' } },
    ],
    ['may reach the limit', ofPod(pod({ cpu: '400m' })), [quota('q', { cpu: '1' }, { cpu: '600m' })], { q: { cpu: '400m' } }],
    [
      'are rejected with only the exceeded resources, sorted',
      ofPod(pod({ cpu: '1', memory: '2Gi' })),
      [quota('q', { pods: '5', memory: '1Gi', cpu: '1' }, { pods: '1', memory: '0', cpu: '500m' })],
      `${FORBIDDEN}exceeded quota: q, requested: cpu=1,memory=2Gi, used: cpu=500m,memory=0, limited: cpu=1,memory=1Gi`,
    ],
    [
      'are rejected without limited resources',
      ofPod(pod({})),
      [quota('q', { 'limits.cpu': '1' }, {})],
      `${FORBIDDEN}failed quota: q: must specify limits.cpu for: c`,
    ],
    [
      'are rejected before the usage is known',
      ofPod(pod({})),
      [quota('q', { pods: '1', services: '1' }, {})],
      `${FORBIDDEN}status unknown for quota: q, resources: pods`,
    ],
    ['are not limited by a quota for other objects', ofPod(pod({})), [quota('q', { services: '0' }, undefined)], {}],
    ['are not limited by a quota without a status', ofPod(pod({})), [quota('q', {}, undefined)], {}],
    [
      'are not limited by a quota of another scope',
      ofPod(pod({})),
      [quota('q', { pods: '0' }, { pods: '0' }, { scopes: ['NotBestEffort'] })],
      {},
    ],
    [
      'are limited by a quota of their priority class',
      ofPod(pod({}, { priorityClassName: 'high' })),
      [
        quota(
          'q',
          { pods: '0' },
          { pods: '0' },
          { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] } },
        ),
      ],
      `${FORBIDDEN}exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0`,
    ],
    [
      'are not limited in services by a quota with scopes',
      admissionRequest(serviceResource, service('NodePort'), { namespace: 'ns' }),
      [quota('q', { services: '0' }, { services: '0' }, { scopes: ['BestEffort'] })],
      {},
    ],
    [
      'reserve the increase of an update',
      update(serviceResource, service('NodePort', 3), service('NodePort', 1)),
      [quota('q', { services: '1', 'services.nodeports': '5' }, { services: '1', 'services.nodeports': '1' })],
      { q: { 'services.nodeports': '2' } },
    ],
    [
      'reserve nothing for less',
      update(serviceResource, service('ClusterIP'), service('NodePort')),
      [quota('q', { services: '0', 'services.nodeports': '0' }, { services: '1', 'services.nodeports': '1' })],
      {},
    ],
    [
      'reserve all of a pod that enters a scope',
      update(podResource, pod({}, { activeDeadlineSeconds: 1 }), pod({})),
      [quota('q', { pods: '1' }, { pods: '0' }, { scopes: ['Terminating'] })],
      { q: { pods: '1' } },
    ],
    [
      'are let through above the limit in a status',
      update(persistentVolumeClaimResource, { ...claim('1Gi'), status: { allocatedResources: { storage: '3Gi' } } }, claim('1Gi'), {
        subresource: 'status',
      }),
      [quota('q', { 'requests.storage': '1Gi' }, { 'requests.storage': '1Gi' })],
      { q: { 'requests.storage': '2Gi' } },
    ],
    [
      'are refused negative amounts',
      ofPod(pod({ 'example.com/gpu': '-1' })),
      [quota('q', { 'requests.example.com/gpu': '1' }, { 'requests.example.com/gpu': '0' })],
      `${FORBIDDEN}quota usage is negative for resource(s): requests.example.com/gpu`,
    ],
    [
      'need a quota for limited resources',
      admissionRequest(persistentVolumeClaimResource, claim('1Gi', { storageClassName: 'gold' }), { namespace: 'ns' }),
      [],
      'persistentvolumeclaims "c" is forbidden: insufficient quota to consume: gold.storageclass.storage.k8s.io/requests.storage',
      [{ resource: 'persistentvolumeclaims', matchContains: ['.storageclass.storage.k8s.io/requests.storage'] }],
    ],
    [
      'have the quota that limited resources need',
      ofPod(pod({ cpu: '1' })),
      [quota('q', { cpu: '1', 'requests.cpu': '1' }, { cpu: '0', 'requests.cpu': '0' })],
      { q: { cpu: '1', 'requests.cpu': '1' } },
      [
        { resource: 'pods', matchContains: ['cpu'] },
        { resource: 'services', matchContains: ['services'] },
      ],
    ],
    [
      'need a quota for limited scopes',
      ofPod(pod({}, { priorityClassName: 'high' })),
      [quota('q', { pods: '1' }, { pods: '0' })],
      'insufficient quota to match these scopes: [{PriorityClass In [high]}]',
      [{ resource: 'pods', matchScopes: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] }],
    ],
  ]
  for (const [what, request, quotas, expected, limited] of cases)
    it(what, () => void expect(check(request, quotas, limited)).to.deep.equal(expected))

  it('are checked in steps against a quota of very many names, which are parsed once', () => {
    const list = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`count/k${i}.x`, '1']))
    const wide = quota('q', { ...list, pods: '1' }, { ...list, pods: '1' })
    const steps = Math.floor(10_000 / 512)
    const { result: quotas, yields } = countedSteps(runningQuotas([wide]))
    expect(yields).to.be.at.least(2 * steps)
    expect(countedSteps(runningQuotas([wide])).yields).to.equal(0)
    const request = ofPod(pod({}))
    const evaluator = new Evaluators(featuresOf()).of({ group: '', resource: 'pods' })
    if (!request.object || !evaluator) throw new Error('nothing to count')
    const checking = checkRequest(quotas, { request, object: request.object, evaluator, now: 0 })
    expect(() => countedSteps(checking)).to.throw('exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1')
    expect(stepsUntilError(checkRequest(quotas, { request, object: request.object, evaluator, now: 0 }))).to.be.at.least(steps)
  })
})

function stepsUntilError(steps: Steps<unknown>): number {
  for (let yields = 0; ; yields++) {
    try {
      if (steps.next().done) return yields
    } catch {
      return yields
    }
  }
}
