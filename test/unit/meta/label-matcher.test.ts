import { expect } from 'chai'
import { LabelMatcher } from '../../../src/meta/label-matcher.ts'
import { type LabelRequirement, matchesLabels, parseLabelSelector } from '../../../src/meta/label-selector.ts'

const matcherOf = (requirements: readonly LabelRequirement[]): LabelMatcher => {
  const matcher = new LabelMatcher()
  for (const requirement of requirements) matcher.add(requirement)
  return matcher
}

const SELECTORS = [
  '',
  'a=1',
  'a==1,a=2',
  'a in (1,2),a in (2,3)',
  'a in (1,2),a!=2',
  'a notin (1,2)',
  'a!=1,a!=2,b',
  '!a',
  '!a,a',
  'a,b',
  'a>1,a>2',
  'a>1,a<3',
  'a<9,a!=2',
  'toString',
  '!constructor',
]
const OBJECTS: Record<string, string>[] = [
  {},
  { a: '1' },
  { a: '2' },
  { a: '3', b: '' },
  { b: '1' },
  { a: 'x', toString: 'y' },
  { a: '2', c: '4' },
]

describe('a label matcher', () => {
  for (const text of SELECTORS)
    it(`matches like the single requirements of ${text || 'an empty selector'}`, () => {
      const requirements = parseLabelSelector(text)
      for (const labels of OBJECTS)
        expect(matcherOf(requirements).matches(labels), JSON.stringify(labels)).to.equal(
          requirements.every(one => matchesLabels([one], labels)),
          JSON.stringify(labels),
        )
    })

  it('visits only the labels of the object, however many requirements there are', () => {
    const text = Array.from({ length: 5000 }, (_, i) => `a!=v${i},!z${i}`).join(',')
    const asked: string[] = []
    const labels = new Proxy<Record<string, string>>(
      { a: 'other', b: '' },
      { get: (target, name) => asked.push(String(name)) && target[String(name)] },
    )
    expect(matchesLabels(parseLabelSelector(text), labels)).to.equal(true)
    expect(asked).to.deep.equal(['a'])
  })

  it('finds a value among very many allowed ones', () => {
    const requirements = parseLabelSelector(`a in (${Array.from({ length: 5000 }, (_, i) => `v${i}`).join(',')})`)
    expect(matchesLabels(requirements, { a: 'v4999' })).to.equal(true)
    expect(matchesLabels(requirements, { a: 'v5000' })).to.equal(false)
  })
})
