import { expect } from 'chai'
import { authorizerOf } from '../../../../src/admission/expressions/authorizer-variable.ts'
import { type CompiledExpression, compileExpression } from '../../../../src/admission/expressions/compiled-expression.ts'
import { ConditionMetrics } from '../../../../src/admission/expressions/condition-metrics.ts'
import { evaluateExpressions } from '../../../../src/admission/expressions/evaluation.ts'
import { compileConditions, meetsConditions } from '../../../../src/admission/expressions/match-conditions.ts'
import { BOOL, DYN, NULL, STRING } from '../../../../src/cel/type.ts'
import { jsonValue } from '../../../../src/cel/values/json.ts'
import type { Value } from '../../../../src/cel/values/value.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import type { Authorizer } from '../../../../src/meta/authorizer.ts'
import { NEVER } from '../../../support/test-registry.ts'

const TEN = '[1,2,3,4,5,6,7,8,9,10]'
/** Nested loops with a cost of about three times ten to the power of the depth. */
const heavy = (depth: number): string => (depth === 0 ? 'true' : `${TEN}.all(v${depth}, ${heavy(depth - 1)})`)
const values = (object: object = {}) => new Map<string, Value>([['object', jsonValue(object as never)]])

function compiled(variables: Record<string, string>, ...expressions: string[]) {
  const types = new Map<string, typeof BOOL>()
  const parts = { params: true, authorizer: true, variables: types }
  const known = new Map<string, CompiledExpression>()
  for (const [name, expression] of Object.entries(variables)) {
    known.set(name, runAtOnce(compileExpression(expression, parts)))
    types.set(name, DYN)
  }
  return { variables: known, expressions: expressions.map(expression => runAtOnce(compileExpression(expression, parts))) }
}

async function run(variables: Record<string, string>, texts: string[], budget = 10_000_000, of: ReadonlyMap<string, Value> = values()) {
  const { variables: known, expressions } = compiled(variables, ...texts)
  const evaluated = await evaluateExpressions(expressions, { values: of, variables: known, budget })
  if (evaluated.exhausted !== undefined) return evaluated.exhausted
  return { results: evaluated.results.map(result => result?.error ?? result?.value), spent: budget - evaluated.remaining }
}

describe('expressions', () => {
  const FAULTS: [expression: string, results: (typeof BOOL)[] | undefined, fault: string | undefined][] = [
    ['1 == 1', [BOOL], undefined],
    ['1', undefined, undefined],
    ['1', [BOOL], 'must evaluate to bool but got int'],
    ['1', [STRING, NULL], 'must evaluate to one of [string null_type] but got int'],
    ['nope', [BOOL], "compilation failed: ERROR: <input>:1:1: undeclared reference to 'nope' (in container '')\n | nope\n | ^"],
    ["int('x') == 1", [BOOL], "program instantiation failed: type conversion error from 'string' to 'int'"],
  ]
  for (const [expression, results, fault] of FAULTS)
    it(`${expression} ${fault === undefined ? 'compiles' : 'does not compile'}`, () => {
      const made = runAtOnce(compileExpression(expression, {}, results))
      expect('fault' in made ? made.fault : undefined).to.equal(fault)
    })

  it("return values, or errors with upstream's text", async () => {
    expect(await run({}, ['1 + 1', 'object.a', '1 / 0', 'nope'])).to.have.deep.property('results', [
      2,
      "expression 'object.a' resulted in error: no such key: a",
      "expression '1 / 0' resulted in error: division by zero",
      "compilation error: compilation failed: ERROR: <input>:1:1: undeclared reference to 'nope' (in container '')\n | nope\n | ^",
    ])
  })
  it('distinguish null from absent members', async () => {
    const of = new Map<string, Value>([['params', null]])
    expect(await run({}, ['params == null', 'object == null'], 100, of)).to.have.deep.property('results', [
      true,
      "expression 'object == null' resulted in error: no such attribute(s): object",
    ])
  })
  it('cost at most a million each, and the budget together', async () => {
    const one = (await run({}, [heavy(5)])) as { spent: number }
    expect(one.spent).to.be.within(300_000, 1_000_000)
    expect(await run({}, [heavy(6)])).to.have.deep.property('results', [
      `expression '${heavy(6)}' resulted in error: operation cancelled: actual cost limit exceeded`,
    ])
    expect(await run({}, [heavy(5), heavy(5)], one.spent * 2)).to.have.property('spent', one.spent * 2)
    expect(await run({}, [heavy(5), heavy(5)], one.spent * 2 - 1)).to.equal(
      'validation failed due to running out of cost budget, no further validation rules will be run',
    )
  })

  describe('composed variables', () => {
    it('are evaluated on first use, and once', async () => {
      const once = (await run({ v: heavy(5) }, ['variables.v'])) as { spent: number }
      const twice = (await run({ v: heavy(5), unused: heavy(5) }, ['variables.v', 'variables.v'])) as { spent: number }
      expect(twice.spent - once.spent).to.be.within(1, 10)
    })
    it('can use the variables before them', async () =>
      expect(await run({ a: '1', b: 'variables.a + 1', c: 'variables.a + variables.b' }, ['variables.c'])).to.have.deep.property(
        'results',
        [3],
      ))
    it('count towards the budget', async () =>
      expect(await run({ v: heavy(5) }, ['variables.v'], 1000)).to.match(/^validation failed due to running out of cost budget/))
    it('report evaluation errors at each use', async () =>
      expect(await run({ v: 'object.a', w: 'variables.v' }, ['variables.v', 'variables.w', 'variables.v || true'])).to.have.deep.property(
        'results',
        [
          `expression 'variables.v' resulted in error: composited variable "v" fails to evaluate: no such key: a`,
          `expression 'variables.w' resulted in error: composited variable "w" fails to evaluate: composited variable "v" fails to evaluate: no such key: a`,
          true,
        ],
      ))
    it('report compilation errors at each use', async () =>
      expect(await run({ v: '1 +' }, ['variables.v'])).to.satisfy(({ results: [text] }: { results: string[] }) =>
        text?.startsWith(
          `expression 'variables.v' resulted in error: composited variable "v" fails to compile: compilation failed: ERROR: <input>:1:4:`,
        ),
      ))
  })
})

describe('the authorizer variable', () => {
  const asked: string[] = []
  const authorize: Authorizer['authorize'] = async ({ name }, { verb, resource, path, namespace }) => {
    asked.push([name, verb, resource || path, namespace].join(' '))
    if (resource === 'broken') throw new Error('no answer')
    return { decision: name === 'eve' || name.startsWith('system:') ? 'no opinion' : 'allow', reason: `for ${name}` }
  }
  const of = (user: string) =>
    new Map<string, Value>([['authorizer', authorizerOf(authorize, { name: user, groups: [] }, NEVER)], ...values()])
  const PODS = "authorizer.group('').resource('pods').namespace('ns').check('get')"

  const CASES: [expression: string, user: string, value: Value][] = [
    [`${PODS}.allowed()`, 'bob', true],
    [`${PODS}.allowed()`, 'eve', false],
    [`${PODS}.reason()`, 'bob', 'for bob'],
    ["authorizer.path('/x').check('get').allowed()", 'bob', true],
    ["authorizer.serviceAccount('ns', 'sa').group('').resource('pods').check('get').reason()", 'bob', 'for system:serviceaccount:ns:sa'],
    ["authorizer.group('').resource('broken').check('get').error()", 'bob', 'no answer'],
    ["authorizer.group('').resource('broken').check('get').allowed()", 'bob', false],
    [`[1, 2].map(i, ${PODS}.allowed()).all(x, x)`, 'bob', true],
  ]
  for (const [expression, user, value] of CASES)
    it(`${expression} of ${user}`, async () =>
      expect(await run({}, [expression], 10_000_000, of(user))).to.have.deep.property('results', [value]))

  it('authorizes each distinct check once, also from variables', async () => {
    const same = of('bob')
    asked.length = 0
    await run(
      { v: `${PODS}.allowed()`, w: 'variables.v && variables.v' },
      ['variables.w', `${PODS}.allowed()`, `${PODS}.reason()`],
      10_000_000,
      same,
    )
    expect(asked).to.deep.equal(['bob get pods ns'])
  })
})

describe('match conditions', () => {
  const CASES: [expressions: string[], outcome: object][] = [
    [['true', '1 == 1'], { matches: true }],
    [['true', 'false', 'object.a == 1'], { matches: false, failed: 'c1' }],
    [['object.a == 1', 'false'], { matches: false, failed: 'c1' }],
    [['true', 'object.a == 1'], { error: "expression 'object.a == 1' resulted in error: no such key: a" }],
    [
      ['object.a == 1', 'object.a == 1', '1 / 0 == 1'],
      {
        error:
          "[expression 'object.a == 1' resulted in error: no such key: a, expression '1 / 0 == 1' resulted in error: division by zero]",
      },
    ],
    [
      [...'12345678'].map(() => heavy(5)),
      { error: 'validation failed due to running out of cost budget, no further validation rules will be run' },
    ],
  ]
  const subject = { name: 'p', kind: 'policy', type: 'validate', operation: 'CREATE' } as const
  for (const [expressions, outcome] of CASES)
    it(expressions.map(text => text.slice(0, 20)).join(', '), async () => {
      const conditions = runAtOnce(
        compileConditions(
          expressions.map((expression, i) => ({ name: `c${i}`, expression })),
          { authorizer: true },
        ),
      )
      expect(await meetsConditions(conditions, { values: values(), metrics: new ConditionMetrics(), subject })).to.deep.equal(outcome)
    })
})
