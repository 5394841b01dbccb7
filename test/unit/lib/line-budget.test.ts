import { expect } from 'chai'
import { LineBudget } from '../../../src/lib/line-budget.ts'

describe('line budgets', () => {
  it('print the first lines, and count the others', () => {
    const printed: string[] = []
    const lines = new LineBudget(text => printed.push(text), 2, 'max-lines')
    for (const text of ['a\nb', 'c', 'd', 'e']) lines.say(text)
    lines.end()
    lines.end()
    expect(printed).to.deep.equal(['a\\nb\n', 'c\n', '2 more lines were left out, as 2 are printed (--max-lines raises the bound)\n'])
  })
})
