import { expect } from 'chai'
import type { KubeObject } from '../../../../../src/meta/object.ts'
import { clusterAddress } from '../../../../../src/resources/core/service/cluster-address.ts'

const service = (spec: object): KubeObject => ({ metadata: { name: 'hook' }, spec }) as unknown as KubeObject
const ports = [{ port: 80 }, { port: 443 }]

describe('clusterAddress', () => {
  for (const type of ['ClusterIP', 'NodePort', 'LoadBalancer'])
    it(`is the cluster IP of a ${type}`, () =>
      expect(clusterAddress(service({ type, clusterIP: '10.0.0.7', ports }), 443)).to.deep.equal({ host: '10.0.0.7', port: 443 }))

  it('is the name of what is outside', () =>
    expect(clusterAddress(service({ type: 'ExternalName', externalName: 'hook.test' }), 8443)).to.deep.equal({ host: 'hook.test', port: 8443 }))

  it('is none without an IP, or for a port that is not there', () => {
    expect(() => clusterAddress(service({ type: 'ClusterIP', clusterIP: 'None', ports }), 443)).to.throw('cannot route to service with ClusterIP "None"')
    expect(() => clusterAddress(service({ type: 'ClusterIP', clusterIP: '10.0.0.7', ports }), 8080)).to.throw('no service port 8080 found for service "hook"')
  })
})
