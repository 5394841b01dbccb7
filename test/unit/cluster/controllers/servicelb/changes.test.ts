import { expect } from 'chai'
import type { Node, Service } from '../../../../../src/api/core/v1.types.ts'
import {
  FINALIZER,
  isBalanced,
  needsCleanup,
  needsUpdate,
  wantsLoadBalancer,
} from '../../../../../src/cluster/controllers/servicelb/changes.ts'
import { serviceOf } from '../../../../support/slices.ts'

const balanced = (spec: Partial<Service['spec']> = {}, metadata: Service['metadata'] = {}): Service =>
  serviceOf({ type: 'LoadBalancer', ...spec }, metadata)

describe('load balancers of services', () => {
  it('are wanted by services of the type without a class', () => {
    expect([balanced(), balanced({ loadBalancerClass: 'example.com/x' }), serviceOf()].map(wantsLoadBalancer)).to.deep.equal([
      true,
      false,
      false,
    ])
  })

  it('must go with the service or its type', () => {
    const finalizers = [FINALIZER]
    const services = [
      balanced({}, { finalizers }),
      balanced({}, { finalizers, deletionTimestamp: '2030-01-01T00:00:00Z' }),
      serviceOf({}, { finalizers }),
      serviceOf(),
    ]
    expect(services.map(needsCleanup)).to.deep.equal([false, true, true, false])
  })

  it('depend on parts of the service', () => {
    const changes: [Service, Service, boolean][] = [
      [balanced(), balanced(), false],
      [balanced(), { ...balanced(), status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } } }, false],
      [balanced(), balanced({ selector: { other: 'x' } }), false],
      [balanced(), balanced({}, { labels: { a: 'b' } }), false],
      [balanced(), balanced({}, { annotations: { a: 'b' } }), true],
      [balanced(), balanced({ ports: [{ port: 81, targetPort: 8080, protocol: 'TCP' }] }), true],
      [balanced(), balanced({ loadBalancerIP: '1.2.3.4' }), true],
      [balanced(), balanced({ ipFamilies: ['IPv4', 'IPv6'] }), true],
      [balanced(), serviceOf(), true],
      [serviceOf(), serviceOf({ externalIPs: ['1.2.3.4'] }), false],
    ]
    expect(changes.map(([old, service]) => needsUpdate(old, service))).to.deep.equal(changes.map(([, , expected]) => expected))
  })

  it('send traffic to nodes that are not excluded', () => {
    const node = (parts: object): Node => ({ metadata: {}, spec: {}, ...parts }) as Node
    const nodes = [
      node({}),
      node({ metadata: { labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': '' } } }),
      node({ metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } }),
      node({ spec: { taints: [{ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' }] } }),
      node({ spec: { unschedulable: true } }),
    ]
    expect(nodes.map(isBalanced)).to.deep.equal([true, false, false, false, true])
  })
})
