import { expect } from 'chai'
import { acceptedConditions } from '../../../../../src/cluster/kwok/stages/stage-condition.ts'

const NOW = '2026-01-01T00:00:00Z'
const LATER = '2026-01-02T00:00:00Z'

describe('the condition Accepted', () => {
  it('states that an object takes effect, or why it does not', () => {
    const [accepted] = acceptedConditions({}, undefined, NOW) ?? []
    expect(accepted).to.include({ type: 'Accepted', status: 'True', reason: 'Valid', lastTransitionTime: NOW })
    expect(acceptedConditions({}, 'spec.weight: too small', NOW)).to.deep.equal([
      { type: 'Accepted', status: 'False', reason: 'Invalid', message: 'spec.weight: too small', lastTransitionTime: NOW },
    ])
  })

  it('is not written again, and keeps its time until the status changes', () => {
    const other = { type: 'Other', status: 'True' }
    const invalid = { status: { conditions: [other, ...(acceptedConditions({}, 'first', NOW) ?? [])] } }
    expect(acceptedConditions(invalid, 'first', LATER)).to.equal(undefined)
    expect(acceptedConditions(invalid, 'second', LATER)?.map(({ type, lastTransitionTime }) => [type, lastTransitionTime])).to.deep.equal([
      ['Other', undefined],
      ['Accepted', NOW],
    ])
    expect(acceptedConditions(invalid, undefined, LATER)?.[1]).to.include({ status: 'True', lastTransitionTime: LATER })
  })
})
