import { expect } from 'chai'
import type { CSINode } from '../../../../../src/api/storage/v1.types.ts'
import { csiNodeResource } from '../../../../../src/resources/storage/csi-node/definition.ts'
import { validateCSINode } from '../../../../../src/resources/storage/csi-node/validation.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'
import { featuresIn, hookContext } from '../../../../support/hook-context.ts'
import { KindCases, validates } from '../../../../support/kind-cases.ts'
import { causesOf as messagesOf } from '../../../../support/workloads.ts'

const one = { name: 'driver.one', nodeID: 'n', topologyKeys: ['example.com/zone'] }
const of = (...drivers: object[]): object => ({ spec: { drivers } })

describe('CSINode', () => {
  validates(
    csiNodeResource,
    {
      'no drivers': [of(), []],
      'two drivers': [of(one, { name: 'Driver.Two', nodeID: 'n'.repeat(256), allocatable: { count: 10 } }), []],
      'a driver twice': [of(one, { ...one, nodeID: 'm' }), ['Duplicate spec.drivers[1].name']],
      'a bad name': [of({ ...one, name: 'a_b' }), ['Invalid spec.drivers[0].name']],
      'no node': [of({ ...one, nodeID: '' }), ['Required spec.drivers[0].nodeID']],
      'a long node': [of({ ...one, nodeID: 'n'.repeat(257) }), ['Invalid spec.drivers[0].nodeID']],
      'a count below zero': [of({ ...one, allocatable: { count: -1 } }), ['Invalid spec.drivers[0].allocatable.count']],
      'a key twice': [of({ ...one, topologyKeys: ['a', 'a'] }), ['Duplicate spec.drivers[0]']],
      'an empty key': [
        of({ ...one, topologyKeys: [''] }),
        ['Required spec.drivers[0]', 'Invalid spec.drivers[0]', 'Invalid spec.drivers[0]'],
      ],
    },
    {
      'one more driver': [of(one), of(one, { name: 'driver.two', nodeID: 'n' }), []],
      'no driver any more': [of(one), of(), []],
      'a driver that is there': [of(one), of({ ...one, nodeID: 'm' }), ['Invalid spec.drivers']],
    },
  )

  it('prints the changed driver in the error', async () => {
    const cases = new KindCases(csiNodeResource)
    await cases.create(of(one))
    expect(await messagesOf(cases.update(of({ ...one, nodeID: 'm' })))).to.deep.equal([
      'spec.drivers: Invalid value: storage.CSINodeDriver{Name:"driver.one", NodeID:"m", TopologyKeys:[]string{"example.com/zone"}, Allocatable:(*storage.VolumeNodeResources)(nil)}: field is immutable',
    ])
  })

  it('is compared by the names of its drivers in steps', () => {
    const nodeWith = (count: number, nodeID = 'n'): CSINode =>
      ({ spec: { drivers: Array.from({ length: count }, (_, i) => ({ name: `d${i}`, nodeID: i === 0 ? nodeID : 'n' })) } }) as CSINode
    const yieldsOf = (count: number): number => {
      const { result, yields } = countedSteps(validateCSINode(nodeWith(count, 'm'), nodeWith(count), hookContext()))
      expect(result.map(({ field }) => field)).to.deep.equal(['spec.drivers'])
      return yields
    }
    expect(yieldsOf(4000)).to.be.within(2 * (4000 / 32) - 2, 2 * (4000 / 32) + 2)
  })

  it('prints the number of drivers', async () => {
    const cases = new KindCases(csiNodeResource)
    await cases.create(of(one))
    expect(cases.cells()).to.deep.equal(['x', 1, '0s'])
  })

  it('has a status since 1.37, which only the subresource sets', async () => {
    const cases = new KindCases(csiNodeResource, featuresIn('1.37', { CSIVolumeHealth: true }))
    const status = { storageHealth: [{ name: 'driver.one', healthConditions: [{ status: 'StorageDegraded', reason: 'R' }] }] }
    expect((await cases.create({ ...of(one), status })).status).to.deep.equal({})
    const reported = await cases.update({ ...of(), status }, {}, 'status')
    expect([reported.spec.drivers.length, reported.status.storageHealth?.length]).to.deep.equal([1, 1])
    expect((await cases.update(of(one))).status.storageHealth).to.have.length(1)
  })
})
