import { expect } from 'chai'
import { isSteps } from '../../../../../src/lib/steps.ts'
import { configMapResource } from '../../../../../src/resources/core/config-map/definition.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'
import { KindCases, validates } from '../../../../support/kind-cases.ts'

const frozen = { immutable: true, data: { a: '1' }, binaryData: { b: 'MQ==' } }

describe('config maps', () => {
  validates(
    configMapResource,
    {
      good: [{ data: { a: '1', '.b': '' }, binaryData: { c: 'AA==' } }, []],
      'bad keys': [{ data: { 'a*b': '' }, binaryData: { '..': '' } }, ['Invalid data[a*b]', 'Invalid binaryData[..]']],
      'a key in both': [{ data: { a: '' }, binaryData: { a: '' } }, ['Invalid data[a]']],
      'exactly as much as may be': [{ data: { a: 'x'.repeat(1024 * 1024) } }, []],
      'too much': [{ data: { a: 'x'.repeat(1024 * 1024) }, binaryData: { b: 'AA==' } }, ['TooLong []']],
      'a key called __proto__': [{ data: JSON.parse('{"__proto__":"1"}') as object }, []],
    },
    {
      'becomes immutable': [{ data: { a: '1' } }, { immutable: true, data: { a: '1' } }, []],
      'stays immutable': [frozen, { ...frozen, immutable: false }, ['Forbidden immutable']],
      'its data, too': [frozen, { ...frozen, data: { a: '2' }, binaryData: {} }, ['Forbidden data', 'Forbidden binaryData']],
      'its labels may change': [frozen, frozen, [], { labels: { a: 'b' } }],
    },
  )

  it('print the number of keys', async () => {
    const cases = new KindCases(configMapResource)
    await cases.create({ data: { a: '1' }, binaryData: { b: 'AA==' } })
    expect(cases.cells()).to.deep.equal(['x', 2, '0s'])
  })

  it('are validated in steps if they have many keys', () => {
    const data = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, 'v']))
    const judged = configMapResource.strategy?.validate?.({ metadata: {}, data } as never, undefined, undefined as never)
    if (judged === undefined || !isSteps(judged)) throw new Error('it was judged at once')
    const { result, yields } = countedSteps(judged)
    expect(result).to.deep.equal([])
    expect(yields).to.be.at.least(19)
  })
})
