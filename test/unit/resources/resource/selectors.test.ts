import { expect } from 'chai'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import { fieldPath } from '../../../../src/meta/field-path.ts'
import { compileSelectors, validateSelectors } from '../../../../src/resources/resource/selectors.ts'
import { oldestReader } from '../../../../src/resources/shared/oldest-reader.ts'
import { selectorAnswers } from '../../../support/cel-answers.ts'
import { hookContext } from '../../../support/hook-context.ts'

const MAX_COST = 1_000_000
const selector = (expression: string) => ({ cel: { expression } })

describe('device selectors', () => {
  const messagesOf = (expression: string, stored: boolean): string[] => {
    const list = [selector(expression)]
    return validateSelectors(
      list,
      runAtOnce(compileSelectors([list], oldestReader(hookContext().features, stored))),
      '1.33',
      fieldPath('selectors'),
    ).map(({ body }) => body)
  }
  const expected = (expression: string, answer: string | number): string[] => {
    if (typeof answer === 'string') return [`Invalid value: ${JSON.stringify(expression)}: ${answer}`]
    return answer > MAX_COST ? ['Forbidden: too complex, exceeds cost limit'] : []
  }

  it('have the same errors and cost limits as upstream, both new and stored', () => {
    const answers = selectorAnswers()
    for (const { expression, admitted, stored } of answers)
      expect([messagesOf(expression, false), messagesOf(expression, true)]).to.deep.equal([
        expected(expression, admitted),
        expected(expression, stored),
      ])
    expect(answers.length).to.be.above(60)
  })

  it('take a step each and are compiled once if they occur repeatedly', () => {
    const stepsOf = (expressions: string[]): number => [...compileSelectors([expressions.map(selector)], 32)].length
    const one = stepsOf(['true'])
    expect(stepsOf(Array.from({ length: 50 }, (_, i) => `device.driver == "${i}"`))).to.be.at.least(50)
    // A step may end anywhere within: there is one more now and then.
    expect(stepsOf(Array(50).fill('true'))).to.be.below(one + 10)
  })
})
