import { expect } from 'chai'
import { ipAddressObject } from '../../../../../../src/resources/core/service/allocation/cluster-ips.ts'
import { NodePorts } from '../../../../../../src/resources/core/service/allocation/node-ports.ts'
import { createRepairState, repairAllocations } from '../../../../../../src/resources/core/service/allocation/repair.ts'
import type { AnyObject } from '../../../../../support/any-object.ts'
import { addresses, IPS, PORTS, RANGES, SERVICES, serverWith, service } from '../services.ts'

const GRACE = 60_000
const nothing = { freedIPs: [], restoredIPs: [], conflictingIPs: [], freedPorts: [], restoredPorts: [] }

describe('repair of allocations', () => {
  const setUp = () => {
    const server = serverWith()
    const state = createRepairState()
    return {
      server,
      run: (graceMilliseconds = GRACE) => repairAllocations(server, state, { nodePortRange: PORTS, now: server.now, graceMilliseconds }),
      ports: new NodePorts(PORTS, () => 0),
    }
  }

  it('finds nothing if all allocations match', async () => {
    const { server, run } = setUp()
    await server.create(SERVICES, 'default', service('web', { type: 'LoadBalancer', externalTrafficPolicy: 'Local' }))
    await server.create(SERVICES, 'default', service('none', { clusterIP: 'None' }))
    server.now += 10 * GRACE
    expect(await run()).to.deep.equal(nothing)
    expect(await run(0)).to.deep.equal(nothing)
  })

  it('frees leftovers of a crash after a grace period', async () => {
    const { server, run, ports } = setUp()
    await server.create(SERVICES, 'default', service('web', { type: 'NodePort' }))
    await server.create(IPS, '', ipAddressObject('10.0.0.99', 'IPv4', { namespace: 'default', name: 'lost' }))
    await ports.reserve(server, false, source => source.take(30999))
    expect(await run()).to.deep.equal(nothing)
    server.now += GRACE
    expect(await run()).to.deep.equal({ ...nothing, freedIPs: ['10.0.0.99'], freedPorts: [30999] })
    expect(await addresses(server)).to.deep.equal(['10.0.0.17'])
    expect([...(await ports.current(server)).ports.ports()]).to.deep.equal([30086])
  })

  it('measures the grace period from the first observation, not from the creationTimestamp', async () => {
    const { server, run } = setUp()
    server.now -= 1000 * GRACE // by the clock of its creator
    await server.create(IPS, '', ipAddressObject('10.0.0.99', 'IPv4', { namespace: 'default', name: 'on-its-way' }))
    server.now += 1000 * GRACE
    expect(await run()).to.deep.equal(nothing)
    server.now += GRACE - 1
    expect(await run()).to.deep.equal(nothing)
    server.now += 1
    expect((await run()).freedIPs).to.deep.equal(['10.0.0.99'])
  })

  it('frees leftovers immediately if no other server writes', async () => {
    const { server, run, ports } = setUp()
    await server.create(IPS, '', ipAddressObject('10.0.0.99', 'IPv4', { namespace: 'default', name: 'lost' }))
    await ports.reserve(server, false, source => source.take(30999))
    expect(await run(0)).to.deep.equal({ ...nothing, freedIPs: ['10.0.0.99'], freedPorts: [30999] })
  })

  it('ignores addresses of other managers', async () => {
    const { server, run } = setUp()
    const own = {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IPAddress',
      metadata: { name: '10.0.0.99' },
      spec: { parentRef: { resource: 'gateways', name: 'x' } },
    }
    await server.create(IPS, '', own as AnyObject)
    expect(await run(0)).to.deep.equal(nothing)
  })

  it('restores missing allocations of services', async () => {
    const { server, run } = setUp()
    await server.create(SERVICES, 'default', service('web', { type: 'NodePort' }))
    await server.delete(IPS, '', '10.0.0.17')
    await server.update(RANGES, '', 'servicenodeports', o => ({ ...o, data: '' }))
    expect(await run()).to.deep.equal({ ...nothing, restoredIPs: ['10.0.0.17'], restoredPorts: [30086] })
    expect(await run()).to.deep.equal(nothing)
  })

  it('reports an address that belongs to another service', async () => {
    const { server, run } = setUp()
    await server.create(SERVICES, 'default', service('web'))
    await server.delete(IPS, '', '10.0.0.17')
    await server.create(IPS, '', ipAddressObject('10.0.0.17', 'IPv4', { namespace: 'default', name: 'other' }))
    expect(await run(0)).to.deep.equal({ ...nothing, conflictingIPs: ['10.0.0.17'] })
  })

  it('does not free a port that was reallocated during the scan', async () => {
    const { server, run, ports } = setUp()
    await ports.reserve(server, false, source => source.take(30999))
    await run()
    server.now += GRACE
    const list = server.list.bind(server)
    server.list = async (gr, ...rest) => {
      const found = await list(gr, ...rest)
      if (gr.resource === 'services')
        await ports.change(server, taken => {
          taken.remove(30999)
          taken.take(30999)
          taken.take(31000)
          return true
        })
      return found
    }
    expect((await run()).freedPorts).to.deep.equal([])
  })

  it('recreates a missing port object', async () => {
    const { server, ports } = setUp()
    await server.create(SERVICES, 'default', service('a', { type: 'NodePort' }))
    server.objects.delete('ranges/servicenodeports')
    const { spec } = await server.create(SERVICES, 'default', service('b', { type: 'NodePort' }))
    expect(spec.ports[0].nodePort).to.equal(30087)
    expect([...(await ports.current(server)).ports.ports()]).to.deep.equal([30086, 30087])
  })

  it('decodes the ports of another range', () => {
    const { ports } = setUp()
    const other = new NodePorts({ base: 29999, size: 5 }, () => 0)
    const bits = Buffer.from([0b10110]).toString('base64')
    const object = { kind: 'RangeAllocation', apiVersion: 'v1', metadata: {}, range: '29999-30003', data: bits }
    expect([...other.read(object).ports()]).to.deep.equal([30000, 30001, 30003])
    expect([...ports.read(object).ports()]).to.deep.equal([30000, 30001, 30003])
  })
})
