import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Json } from '../../../../src/api/meta/object.ts'
import { compile } from '../../../../src/cel/compile.ts'
import { estimateCost } from '../../../../src/cel/cost/estimate.ts'
import { baseEnvironment, extend } from '../../../../src/cel/environment.ts'
import { makeProgram } from '../../../../src/cel/program/program.ts'
import { DYN } from '../../../../src/cel/type.ts'
import { jsonValue } from '../../../../src/cel/values/json.ts'
import { listOfValues } from '../../../../src/cel/values/list.ts'
import type { Value } from '../../../../src/cel/values/value.ts'
import { type CelResult, printResult } from '../../../support/cel-results.ts'

const cases = JSON.parse(readFileSync(new URL('../../../fixtures/cel/lists.json', import.meta.url), 'utf8')) as CelResult[]
const environment = extend(baseEnvironment(34), { list: DYN })

function ask(expression: string): CelResult {
  const { checked, issues } = compile(expression, environment)
  if (!checked) return { expression, fault: `compilation failed: ${issues}` }
  const { min, max } = estimateCost(checked, () => undefined)
  const program = makeProgram(checked, environment)
  if ('fault' in program) return { expression, fault: program.fault }
  const { value, error, cost } = program.evaluate(new Map())
  return {
    expression,
    ...(value === undefined ? { error: error ?? '' } : { value: printResult(value) }),
    cost,
    min: String(min),
    max: String(max),
  }
}

/** Evaluates an expression about `list` with a cost limit. */
function limited(expression: string, list: Value, limit: number) {
  const { checked } = compile(expression, environment)
  const program = checked && makeProgram(checked, environment)
  if (!program || 'fault' in program) throw new Error(`no program: ${expression}`)
  return program.evaluate(new Map([['list', list]]), { limit })
}

describe('functions of lists since 1.34', () => {
  for (const result of cases) it(result.expression, () => expect(ask(result.expression)).to.deep.equal(result))

  it('are rejected in expressions that must be valid in 1.33', () =>
    expect(String(compile('[2, 1].sort()', baseEnvironment(33)).issues)).to.contain("undeclared reference to 'sort'"))

  it('sort stably', () =>
    expect(ask('lists.range(40).sortBy(e, e % 2 == 0)').value).to.equal(
      `[${[...Array.from({ length: 20 }, (_, i) => 2 * i + 1), ...Array.from({ length: 20 }, (_, i) => 2 * i)].join(' ')}]`,
    ))

  it('flatten lists at the maximum nesting depth of documents', () => {
    let nested: Json = [1]
    for (let depth = 1; depth < 10_000; depth++) nested = [nested]
    expect(limited('list.flatten(100000)[0]', jsonValue(nested), 1_000_000)).to.deep.include({ value: 1 })
  })

  it('reject a negative number of levels', () => expect(ask('[[1]].flatten(-1)').error).to.equal('level must be non-negative'))

  it('stop at the cost limit before they create a longer list', () => {
    expect(limited('lists.range(9000000000000).size()', null, 1_000_000).error).to.contain('cost limit exceeded')
    expect(limited('lists.range(100000).sort()', null, 10_000_000).error).to.contain('cost limit exceeded')
  })

  it('charge for each copy when a list that occurs many times is flattened', () => {
    const long = listOfValues(Array.from({ length: 1000 }, (_, i) => i))
    const outcome = limited('list.flatten(1).size()', listOfValues(Array.from({ length: 900 }, () => long)), 1_000_000)
    expect(outcome).to.deep.include({ value: 900_000 })
    expect(outcome.cost).to.be.greaterThan(90_000)
    const wider = listOfValues(Array.from({ length: 2000 }, () => long))
    expect(limited('list.flatten(1).size()', wider, 1_000_000).error).to.equal('flatten() takes at most 1000000 elements')
  })
})

describe('includes', () => {
  const later = extend(baseEnvironment(37), { list: DYN })
  const value = (expression: string): unknown => {
    const { checked } = compile(expression, later)
    const program = checked && makeProgram(checked, later)
    return program && !('fault' in program) ? program.evaluate(new Map([['list', jsonValue(['a', 1])]])).value : undefined
  }

  it('finds elements of lists, and values that equal another', () => {
    const found = [
      '[1, 2].includes(2)',
      '["a"].includes("a")',
      '"a".includes("a")',
      '1.includes(1)',
      'list.includes("a")',
      '[1, 2].includes(dyn(2.0))',
    ]
    const missing = ['[1, 2].includes(3)', '"ab".includes("a")', 'list.includes("b")', '[1].includes("a")', '[[1]].includes(1)']
    expect(found.filter(expression => value(expression) !== true)).to.deep.equal([])
    expect(missing.filter(expression => value(expression) !== false)).to.deep.equal([])
  })

  it('is estimated and charged by the size of the list', () => {
    const { checked } = compile('[1, 2, 3].includes(2)', later)
    if (!checked) throw new Error('does not compile')
    const sorted = compile('[1, 2, 3].indexOf(2)', later).checked
    expect(estimateCost(checked, () => undefined)).to.deep.equal(sorted && estimateCost(sorted, () => undefined))
  })

  it('is rejected in expressions that must be valid in 1.36', () =>
    expect(String(compile('[1].includes(1)', baseEnvironment(36)).issues)).to.contain("undeclared reference to 'includes'"))
})
