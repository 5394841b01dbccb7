import { expect } from 'chai'
import type { Service, ServiceSpec } from '../../../../../src/api/core/v1.types.ts'
import { parseGates } from '../../../../../src/lifecycle/gates.ts'
import type { Release } from '../../../../../src/lifecycle/release.ts'
import { serviceStatusWarnings, serviceWarnings } from '../../../../../src/resources/core/service/warnings.ts'

const service = (spec: Partial<ServiceSpec>): Service => ({
  kind: 'Service',
  apiVersion: 'v1',
  metadata: { name: 's' },
  spec: { type: 'ClusterIP', sessionAffinity: 'None', ...spec },
  status: { loadBalancer: { ingress: [{ ip: '010.0.0.1' }] } },
})
const told = (release: Release, spec: Partial<ServiceSpec>): string[] => serviceWarnings(service(spec), parseGates(release))

describe('warnings of a service', () => {
  const headless: Partial<ServiceSpec> = { clusterIP: 'None', clusterIPs: ['None'], sessionAffinity: 'ClientIP', externalIPs: ['10.0.0.1'] }
  it('list the fields that a headless service ignores, from 1.34 on', () => {
    expect(told('1.33', headless)).to.deep.equal([])
    expect(told('1.36', headless)).to.deep.equal([
      'spec.externalIPs is ignored for headless services',
      'spec.SessionAffinity is ignored for headless services',
    ])
  })
  it('list deprecated fields from the release of the deprecation on', () => {
    const spec: Partial<ServiceSpec> = { externalIPs: ['10.0.0.1'], trafficDistribution: 'PreferClose' }
    const traffic = 'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'
    expect([told('1.34', spec), told('1.35', spec)]).to.deep.equal([[], [traffic]])
    expect(told('1.36', spec)).to.deep.equal(['spec.externalIPs is deprecated and may no longer be implemented in some clusters', traffic])
  })
  it('list addresses in legacy forms with the message of the release', () => {
    const spec: Partial<ServiceSpec> = {
      externalIPs: ['010.0.0.1', '2001:DB8::1', '::ffff:1.2.3.4'],
      loadBalancerSourceRanges: ['010.0.0.0/8', '10.0.0.0/08', '2001:DB8::/32'],
    }
    const old = 'was accepted, but will be invalid in a future Kubernetes release'
    expect(told('1.32', spec)).to.deep.equal([
      `spec.externalIPs[0]: IP address ${old}: ParseAddr("010.0.0.1"): IPv4 field has octet with leading zero`,
      'spec.externalIPs[1]: IPv6 address "2001:DB8::1" is not in RFC 5952 canonical format ("2001:db8::1"), which may cause controller apply-loops',
      `spec.loadBalancerSourceRanges[0]: IP prefix ${old}: netip.ParsePrefix("010.0.0.0/8"): ParseAddr("010.0.0.0"): IPv4 field has octet with leading zero`,
      `spec.loadBalancerSourceRanges[1]: IP prefix ${old}: netip.ParsePrefix("10.0.0.0/08"): bad bits after slash: "08"`,
      'spec.loadBalancerSourceRanges[2]: IPv6 prefix "2001:DB8::/32" is not in RFC 5952 canonical format ("2001:db8::/32"), which may cause controller apply-loops',
    ])
    expect(told('1.33', spec)[0]).to.equal(
      'spec.externalIPs[0]: non-standard IP address "010.0.0.1" will be considered invalid in a future Kubernetes release: use "10.0.0.1"',
    )
  })
  it('include the status from 1.33 on', () => {
    expect(serviceStatusWarnings(service({}), parseGates('1.32'))).to.deep.equal([])
    expect(serviceStatusWarnings(service({}), parseGates('1.33'))).to.have.length(1)
  })
})
