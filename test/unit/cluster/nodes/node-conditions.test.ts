import { expect } from 'chai'
import type { NodeCondition } from '../../../../src/api/core/v1.types.ts'
import { conditionEvents, nextConditions } from '../../../../src/cluster/nodes/node-conditions.ts'

const NOW = Date.UTC(2030, 0, 1)
const conditions = (text = ''): NodeCondition[] => nextConditions({ annotations: { 'kubelet.binnacle.dev/conditions': text } }, [], NOW)

describe('conditions of a simulated node', () => {
  it('are events when they change, in the words of kubelets', () => {
    expect(conditionEvents(conditions(), conditions())).to.deep.equal([])
    expect(conditionEvents([], conditions())).to.deep.equal(['NodeReady'])
    const bad = conditions('MemoryPressure=True,DiskPressure=True,PIDPressure=True,Ready=False')
    expect(conditionEvents(conditions(), bad)).to.deep.equal([
      'NodeHasInsufficientMemory',
      'NodeHasDiskPressure',
      'NodeHasInsufficientPID',
      'NodeNotReady',
    ])
    const unknown = conditions().map((one): NodeCondition => ({ ...one, status: 'Unknown' }))
    expect(conditionEvents(unknown, conditions())).to.deep.equal([
      'NodeHasSufficientMemory',
      'NodeHasNoDiskPressure',
      'NodeHasSufficientPID',
      'NodeReady',
    ])
  })

  it('keep the time of their last transition', () => {
    const later = nextConditions({}, conditions('Ready=False'), NOW + 60_000)
    expect(later.map(({ type, lastTransitionTime }) => [type, lastTransitionTime])).to.deep.equal([
      ['MemoryPressure', '2030-01-01T00:00:00Z'],
      ['DiskPressure', '2030-01-01T00:00:00Z'],
      ['PIDPressure', '2030-01-01T00:00:00Z'],
      ['Ready', '2030-01-01T00:01:00Z'],
    ])
  })
})
