import { expect } from 'chai'
import { fieldErrorText } from '../../../../src/meta/field-error.ts'
import { fieldPath } from '../../../../src/meta/field-path.ts'
import { legacyAddresses } from '../../../../src/resources/shared/legacy-addresses.ts'
import { featuresOf } from '../../../support/hook-context.ts'
import { inRelease } from '../../../support/in-release.ts'
import { MemoryBackend } from '../../../support/memory-backend.ts'

const STRICT = 'StrictIPCIDRValidation=true'

describe('addresses in fields that predate strict validation', () => {
  const path = fieldPath('ip')
  const ip = (text: string, gates: string[], stored: string[] = []) =>
    legacyAddresses(featuresOf(...gates), stored)
      .ip(text, path)
      .map(fieldErrorText)
  const cidr = (text: string, gates: string[], stored: string[] = []) =>
    legacyAddresses(featuresOf(...gates), stored)
      .cidr(text, path)
      .map(fieldErrorText)

  it('may have leading zeros, mapped addresses and bits beyond the prefix', () => {
    for (const text of ['010.0.0.1', '::ffff:1.2.3.4', '2001:DB8::1']) expect(ip(text, [])).to.deep.equal([])
    for (const text of ['010.0.0.0/8', '10.0.0.0/08', '10.0.0.1/8', '::ffff:1.2.3.4/128']) expect(cidr(text, [])).to.deep.equal([])
  })

  it('may not have them with StrictIPCIDRValidation', () => {
    expect(ip('010.0.0.1', [STRICT])).to.deep.equal(['ip: Invalid value: "010.0.0.1": must not have leading 0s'])
    expect(ip('::ffff:1.2.3.4', [STRICT])).to.deep.equal(['ip: Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 address'])
    expect(ip('2001:DB8::1', [STRICT])).to.deep.equal([])
    expect(cidr('10.0.0.0/08', [STRICT])).to.deep.equal([
      'ip: Invalid value: "10.0.0.0/08": must not have leading 0s in IP or prefix length',
    ])
    expect(cidr('::ffff:1.2.3.4/128', [STRICT])).to.deep.equal([
      'ip: Invalid value: "::ffff:1.2.3.4/128": must not have an IPv4-mapped IPv6 address',
    ])
    expect(cidr('10.0.0.1/8', [STRICT])).to.deep.equal(['ip: Invalid value: "10.0.0.1/8": must not have bits set beyond the prefix length'])
  })

  it('remain valid if the old object contains them', () => {
    expect(ip('010.0.0.1', [STRICT], ['010.0.0.1'])).to.deep.equal([])
    expect(cidr('10.0.0.1/8', [STRICT], ['10.0.0.1/8'])).to.deep.equal([])
  })

  const container = { name: 'c', image: 'i' }
  const balancer = { type: 'LoadBalancer', ports: [{ port: 80 }] }
  const kinds: Record<string, [body: object, causes: string[], update?: number]> = {
    '/api/v1/namespaces/default/services': [
      { apiVersion: 'v1', kind: 'Service', spec: { ...balancer, externalIPs: ['010.1.2.3'], loadBalancerSourceRanges: [' 10.1.2.3/8'] } },
      ['spec.externalIPs[0]', 'spec.LoadBalancerSourceRanges[0]'],
    ],
    '/api/v1/namespaces/default/endpoints': [
      { apiVersion: 'v1', kind: 'Endpoints', subsets: [{ addresses: [{ ip: '010.1.2.3' }], ports: [{ port: 80 }] }] },
      ['subsets[0].addresses[0].ip'],
    ],
    '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices': [
      { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', addressType: 'IPv4', endpoints: [{ addresses: ['010.1.2.3'] }] },
      ['endpoints[0].addresses[0]'],
    ],
    '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies': [
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: '10.1.2.3/8', except: ['10.1.2.3/16'] } }] }] },
      },
      ['spec.ingress[0].from[0].ipBlock.cidr', 'spec.ingress[0].from[0].ipBlock.except[0]'],
    ],
    '/api/v1/namespaces/default/pods': [
      {
        apiVersion: 'v1',
        kind: 'Pod',
        spec: { containers: [container], hostAliases: [{ ip: '010.1.2.3', hostnames: ['a'] }], dnsConfig: { nameservers: ['010.1.2.3'] } },
      },
      ['spec.dnsConfig.nameservers[0]', 'spec.hostAliases[0].ip'],
      // Upstream judges those of stored pods, too.
      422,
    ],
  }
  for (const [path, [body, causes, update = 200]] of Object.entries(kinds))
    it(`in ${path.split('/').at(-1)} are rejected with the gate; an update of stored ones is ${update}`, async () => {
      const backend = new MemoryBackend()
      const named = (name: string) => JSON.stringify({ ...body, metadata: { name } })
      await inRelease(backend, '1.33', async call => {
        await call('/api/v1/namespaces', { method: 'POST', body: '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"default"}}' })
        expect(await call(path, { method: 'POST', body: named('stored') })).to.have.property('status', 201)
      })
      const strict = { StrictIPCIDRValidation: true }
      const [kept, refused] = await inRelease(
        backend,
        '1.33',
        async call => [
          await call(`${path}/stored`, {
            method: 'PATCH',
            headers: { 'content-type': 'application/merge-patch+json' },
            body: '{"metadata":{"labels":{"a":"b"}}}',
          }),
          await call(path, { method: 'POST', body: named('fresh') }),
        ],
        strict,
      )
      expect(kept?.status).to.equal(update)
      const { details } = (refused?.json ?? {}) as { details?: { causes: { field: string }[] } }
      expect(details?.causes.map(({ field }) => field)).to.deep.equal(causes)
    })
})
