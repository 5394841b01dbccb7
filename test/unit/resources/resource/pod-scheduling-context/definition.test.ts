import { expect } from 'chai'
import { podSchedulingContextResource } from '../../../../../src/resources/resource/pod-scheduling-context/definition.ts'
import { featuresIn } from '../../../../support/hook-context.ts'
import { causesOf, KindCases, validates } from '../../../../support/kind-cases.ts'

const features = featuresIn('1.31')
const of = (...potentialNodes: string[]): object => ({ spec: { selectedNode: 'n', potentialNodes } })
const many = Array.from({ length: 129 }, (_, i) => `n${i}`)

describe('PodSchedulingContext', () => {
  validates(
    podSchedulingContextResource,
    {
      nodes: [of('a', 'b'), []],
      'bad nodes': [of('A', 'a', 'a'), ['Invalid spec.potentialNodes[0]', 'Duplicate spec.potentialNodes[2]']],
      'too many nodes': [of(...many), ['TooMany spec.potentialNodes']],
    },
    { 'other nodes': [of('a'), of('b'), []] },
    features,
  )

  it('has a status for each claim', async () => {
    const cases = new KindCases(podSchedulingContextResource, features)
    await cases.create(of('a'))
    const tell = (...resourceClaims: object[]) => causesOf(cases.update({ ...of('a'), status: { resourceClaims } }, {}, 'status'))
    expect(await tell({ name: 'c', unsuitableNodes: ['a'] })).to.deep.equal([])
    expect(await tell({ name: 'c', unsuitableNodes: ['A'] }, { name: 'c' })).to.deep.equal([
      'Invalid status.claims[0].unsuitableNodes[0]',
      'Duplicate status.claims[1]',
    ])
    expect(cases.cells()).to.deep.equal(['x', 'n', '0s'])
  })
})
