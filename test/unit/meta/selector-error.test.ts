import { expect } from 'chai'
import { runAtOnce, type Steps } from '../../../src/lib/steps.ts'
import { fieldSelectorSteps, parseFieldSelector } from '../../../src/meta/field-selector.ts'
import { labelSelectorOf, parseLabelSelector } from '../../../src/meta/label-selector.ts'
import { ifReadable, ifReadableInSteps, SelectorError } from '../../../src/meta/selector-error.ts'

describe('invalid selectors', () => {
  const unreadable: Record<string, () => unknown> = {
    'a field without an operator': () => parseFieldSelector('a'),
    'a field with a wrong escape': () => parseFieldSelector('a=\\b'),
    'a field, in steps': () => [...fieldSelectorSteps('a')],
    'a label without a value': () => parseLabelSelector('a in'),
    'a label with a wrong key': () => parseLabelSelector('a/b/c=d'),
    'an unknown operator': () => labelSelectorOf({ matchExpressions: [{ key: 'a', operator: 'Like', values: [] }] }),
    'an expression without values': () => labelSelectorOf({ matchExpressions: [{ key: 'a', operator: 'In', values: [] }] }),
  }
  for (const [what, read] of Object.entries(unreadable))
    it(`throw SelectorError: ${what}`, () => {
      expect(read).to.throw(SelectorError)
      expect(ifReadable(read)).to.equal(undefined)
    })

  it('are distinguished from bugs', () => {
    const faulty = () => {
      throw new TypeError('no')
    }
    expect(() => ifReadable(faulty)).to.throw(TypeError)
    expect(ifReadable(() => parseFieldSelector(''))).to.deep.equal([])
    function* faultySteps(): Steps<void> {
      yield
      faulty()
    }
    expect(() => runAtOnce(ifReadableInSteps(faultySteps()))).to.throw(TypeError)
    expect(runAtOnce(ifReadableInSteps(fieldSelectorSteps('a')))).to.equal(undefined)
    expect(runAtOnce(ifReadableInSteps(fieldSelectorSteps('')))).to.deep.equal([])
  })
})
