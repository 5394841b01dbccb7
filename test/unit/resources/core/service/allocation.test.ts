import { expect } from 'chai'
import { failure } from '../../../../../src/meta/status.ts'
import type { AnyObject } from '../../../../support/any-object.ts'
import { causesOf } from '../../../../support/workloads.ts'
import { addresses, CIDRS, ENDPOINTS, PORTS, RANGES, SERVICES, serverWith, service } from './services.ts'

const down = (): never => {
  throw failure(503, 'ServiceUnavailable', 'the store is away')
}

describe('allocation of services', () => {
  /** Ports set in the stored bitmap. */
  const taken = async (server: ReturnType<typeof serverWith>): Promise<number[]> => {
    const { data, range } = await server.get(RANGES, '', 'servicenodeports')
    expect(range).to.equal('30000-32767')
    const bytes = Buffer.from(data ?? '', 'base64').reverse()
    return Array.from({ length: PORTS.size }, (_, n) => n).flatMap(n => ((bytes[n >> 3] ?? 0) & (1 << (n & 7)) ? [PORTS.base + n] : []))
  }

  it('creates an IPAddress that names its service, and deletes it', async () => {
    const server = serverWith()
    await server.create(SERVICES, 'default', service('web'))
    const [address] = (await server.list({ group: 'networking.k8s.io', resource: 'ipaddresses' }, '')).items
    expect(address?.metadata.labels).to.deep.equal({
      'ipaddress.kubernetes.io/ip-family': 'IPv4',
      'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
    })
    expect(address?.spec).to.deep.equal({ parentRef: { resource: 'services', namespace: 'default', name: 'web' } })
    await server.delete(SERVICES, 'default', 'web')
    expect(await addresses(server)).to.deep.equal([])
  })

  it('deletes the endpoints with the service', async () => {
    const server = serverWith()
    await server.create(SERVICES, 'default', service('web'))
    await server.create(ENDPOINTS, 'default', { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'web' } } as AnyObject)
    await server.delete(SERVICES, 'default', 'web')
    expect((await server.list(ENDPOINTS, 'default')).items).to.deep.equal([])
  })

  it('prefers the upper part of a range, and then uses all of it', async () => {
    const server = serverWith({ serviceCIDRs: ['10.0.0.0/27'] })
    const got: string[] = []
    for (let i = 0; i < 30; i++) got.push((await server.create(SERVICES, 'default', service(`s${i}`))).spec.clusterIP)
    expect(got.slice(0, 3)).to.deep.equal(['10.0.0.17', '10.0.0.18', '10.0.0.19'])
    expect(new Set(got).size).to.equal(30)
    expect(got).not.to.include('10.0.0.0').and.not.to.include('10.0.0.31')
    let message = ''
    await server.create(SERVICES, 'default', service('more')).catch((error: Error) => {
      message = error.message
    })
    expect(message).to.equal('Internal error occurred: failed to allocate a serviceIP: range is full')
  })

  const wanted: [string, string][] = [
    ['10.0.0.5', 'provided IP is already allocated'],
    ['10.0.0.0', 'the provided IP (10.0.0.0) is not in the valid range. The range of valid IPs is 10.0.0.0/24'],
    ['10.0.0.255', 'the provided IP (10.0.0.255) is not in the valid range. The range of valid IPs is 10.0.0.0/24'],
    ['192.0.2.1', 'the provided network does not match the current range'],
  ]
  for (const [ip, detail] of wanted) {
    it(`refuses the address ${ip}`, async () => {
      const server = serverWith()
      await server.create(SERVICES, 'default', service('first', { clusterIP: '10.0.0.5' }))
      expect(await causesOf(server.create(SERVICES, 'default', service('web', { clusterIP: ip })))).to.deep.equal([
        `spec.clusterIPs: Invalid value: []string{"${ip}"}: failed to allocate IP ${ip}: ${detail}`,
      ])
    })
  }

  it('uses a ServiceCIDR that is added, unless it is not ready', async () => {
    const server = serverWith()
    const add = (name: string, cidr: string) =>
      server.create(CIDRS, '', {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'ServiceCIDR',
        metadata: { name },
        spec: { cidrs: [cidr] },
      } as AnyObject)
    await add('more', '192.0.2.0/24')
    await add('not-ready', '198.51.100.0/24')
    await server.update(
      CIDRS,
      '',
      'not-ready',
      o => ({ ...o, status: { conditions: [{ type: 'Ready', status: 'False', reason: '', message: '', lastTransitionTime: null }] } }),
      { subresource: 'status' },
    )
    expect(await causesOf(server.create(SERVICES, 'default', service('a', { clusterIP: '192.0.2.7' })))).to.deep.equal([])
    expect(await causesOf(server.create(SERVICES, 'default', service('b', { clusterIP: '198.51.100.7' })))).to.have.lengthOf(1)
  })

  it('assigns an address of each family to a dual-stack service', async () => {
    const server = serverWith({ serviceCIDRs: ['10.0.0.0/24', '2001:db8::/112'] })
    const { spec } = await server.create(SERVICES, 'default', service('web', { ipFamilyPolicy: 'PreferDualStack' }))
    expect(spec).to.deep.include({ clusterIPs: ['10.0.0.17', '2001:db8::101'], ipFamilies: ['IPv4', 'IPv6'] })
    const single = await server.update(SERVICES, 'default', 'web', o => ({ ...o, spec: { ...o.spec, ipFamilyPolicy: 'SingleStack' } }))
    expect(single.spec).to.deep.include({ clusterIPs: ['10.0.0.17'], ipFamilies: ['IPv4'] })
    expect(await addresses(server)).to.deep.equal(['10.0.0.17'])
    const both = await server.update(SERVICES, 'default', 'web', o => ({ ...o, spec: { ...o.spec, ipFamilyPolicy: 'RequireDualStack' } }))
    expect(both.spec.clusterIPs).to.deep.equal(['10.0.0.17', '2001:db8::101'])
  })

  it('stores node ports in one object, as kube-apiserver does', async () => {
    const server = serverWith()
    await server.create(
      SERVICES,
      'default',
      service('web', { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports: [{ port: 80, nodePort: 32767 }] }),
    )
    expect(await taken(server)).to.deep.equal([30086, 32767])
    await server.update(SERVICES, 'default', 'web', o => ({ ...o, spec: { ...o.spec, externalTrafficPolicy: 'Cluster' } }))
    expect(await taken(server)).to.deep.equal([32767])
    await server.update(SERVICES, 'default', 'web', o => ({ ...o, spec: { ...o.spec, ports: [{ port: 80, nodePort: 30001 }] } }))
    expect(await taken(server)).to.deep.equal([30001])
    await server.delete(SERVICES, 'default', 'web')
    expect(await taken(server)).to.deep.equal([])
  })

  it('rejects node ports that are allocated or out of range, and allocates none then', async () => {
    const server = serverWith()
    await server.create(SERVICES, 'default', service('a', { type: 'NodePort', ports: [{ port: 80, nodePort: 30500 }] }))
    const ports = (...nodePorts: number[]) => ({
      type: 'NodePort',
      ports: nodePorts.map((nodePort, i) => ({ name: `p${i}`, port: 80 + i, nodePort })),
    })
    expect(await causesOf(server.create(SERVICES, 'default', service('b', ports(30501, 30500))))).to.deep.equal([
      'spec.ports[1].nodePort: Invalid value: 30500: provided port is already allocated',
    ])
    expect(await causesOf(server.create(SERVICES, 'default', service('b', ports(80))))).to.deep.equal([
      'spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
    ])
    expect(await taken(server)).to.deep.equal([30500])
    expect(await addresses(server)).to.deep.equal(['10.0.0.17'])
  })

  it('reports an allocated port before an existing name', async () => {
    const server = serverWith()
    const web = service('web', { type: 'NodePort', ports: [{ port: 80, nodePort: 30500 }] })
    await server.create(SERVICES, 'default', web)
    for (const dryRun of [false, true])
      expect(await causesOf(server.create(SERVICES, 'default', web, dryRun))).to.deep.equal([
        'spec.ports[0].nodePort: Invalid value: 30500: provided port is already allocated',
      ])
    expect(await taken(server)).to.deep.equal([30500])
  })

  it('allocates nothing in a dry run', async () => {
    const server = serverWith()
    const { spec } = await server.create(SERVICES, 'default', service('web', { type: 'NodePort' }), true)
    expect([spec.clusterIP, spec.ports[0].nodePort]).to.deep.equal(['10.0.0.0', 32769])
    expect(server.objects.size).to.equal(0)
  })

  it('releases the allocations of a failed write', async () => {
    const server = serverWith()
    await server.create(SERVICES, 'default', service('first', { type: 'NodePort' }))
    server.beforeWrite = gr => (gr.resource === 'services' ? down() : undefined)
    await server.create(SERVICES, 'default', service('web', { type: 'NodePort' })).catch(() => {})
    await server
      .update(SERVICES, 'default', 'first', o => ({ ...o, spec: { ...o.spec, type: 'ExternalName', externalName: 'a.b' } }))
      .catch(() => {})
    expect(await addresses(server)).to.deep.equal(['10.0.0.17'])
    expect(await taken(server)).to.deep.equal([30086])
  })

  it('keeps the allocations of a write with an unknown outcome', async () => {
    const server = serverWith()
    server.beforeWrite = (gr, object) => {
      if (gr.resource !== 'services') return
      server.objects.set('services/specs/default/web', object) // the write succeeded, but its response was lost
      down()
    }
    await server.create(SERVICES, 'default', service('web')).catch(() => {})
    expect(await addresses(server)).to.deep.equal(['10.0.0.17'])
  })

  it('never assigns anything twice to concurrent writers', async () => {
    const server = serverWith({ serviceCIDRs: ['10.0.0.0/26'] })
    server.beforeWrite = () => new Promise(resolve => setImmediate(resolve))
    const made = await Promise.all(
      Array.from({ length: 40 }, (_, i) => server.create(SERVICES, 'default', service(`s${i}`, { type: 'NodePort' }))),
    )
    expect(new Set(made.map(({ spec }) => spec.clusterIP)).size).to.equal(40)
    expect(new Set(made.map(({ spec }) => spec.ports[0].nodePort)).size).to.equal(40)
    expect(await taken(server)).to.have.lengthOf(40)
  })
})
