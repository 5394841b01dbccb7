import { expect } from 'chai'
import { compile } from '../../../../src/cel/compile.ts'
import { baseEnvironment, extend } from '../../../../src/cel/environment.ts'
import { type AuthorizationQuestion, AuthorizerValue, requestResource } from '../../../../src/cel/functions/authorization.ts'
import { ValuePending } from '../../../../src/cel/program/pending.ts'
import { makeProgram, type Program, type ProgramOutcome } from '../../../../src/cel/program/program.ts'
import { schemaValue } from '../../../../src/cel/schema/schema-value.ts'
import { DYN, parseType, type Type } from '../../../../src/cel/type.ts'
import { jsonValue } from '../../../../src/cel/values/json.ts'
import { ValueList } from '../../../../src/cel/values/list.ts'
import type { Comparing, Equality, Value } from '../../../../src/cel/values/value.ts'
import { isStepDone, runAtOnce } from '../../../../src/lib/steps.ts'
import { type CelResult, evaluator, printResult, readResults, resultsEnvironment } from '../../../support/cel-results.ts'

const AUTHORIZER = {
  authorizer: parseType('kubernetes.authorization.Authorizer'),
  'authorizer.requestResource': parseType('kubernetes.authorization.ResourceCheck'),
}
const environment = extend(baseEnvironment(33), AUTHORIZER)
const NOTHING = new Map<string, Value>()

function programOf(expression: string, variables: Readonly<Record<string, Type>> = {}): Program {
  const known = extend(environment, variables)
  const { checked, issues } = compile(expression, known)
  if (!checked) throw new Error(String(issues))
  const program = makeProgram(checked, known)
  if ('fault' in program) throw new Error(program.fault)
  return program
}

/** Returns the members that are compared. */
const compared = ({ value, error, cost, fault }: Partial<CelResult>): object => ({ value, error, cost, fault })

describe('programs of expressions', () => {
  it('have the values, errors and costs of cel-go', () => {
    const wrong: unknown[] = []
    let count = 0
    for (const group of readResults()) {
      const evaluate = evaluator(group)
      for (const result of group.results) {
        count++
        const ours = evaluate(result.expression)
        const value = 'value' in ours && ours.value !== undefined ? { value: printResult(ours.value) } : {}
        const found = compared({ ...ours, ...value } as Partial<CelResult>)
        if (JSON.stringify(found) !== JSON.stringify(compared(result)))
          wrong.push({ expression: result.expression, ours: found, theirs: compared(result) })
      }
    }
    expect(wrong).to.deep.equal([])
    expect(count).to.be.above(4000)
  })

  it('have the same result and cost in the shortest turns', async () => {
    const { spent, next } = { spent: () => true, next: () => Promise.resolve() }
    const wrong: string[] = []
    for (const { schema, self, results } of readResults()) {
      const values = new Map([['self', schemaValue(self, schema)]])
      const known = resultsEnvironment(schema)
      for (const { expression } of results) {
        const { checked } = compile(expression, known)
        const program = checked && makeProgram(checked, known)
        if (!program || 'fault' in program) continue
        const shown = ({ value, ...rest }: ProgramOutcome): string =>
          JSON.stringify({ ...rest, value: value === undefined ? '' : printResult(value) })
        const whole = shown(program.evaluate(values))
        if (shown(await program.evaluateInTurns(values, { spent, next })) !== whole) wrong.push(expression)
        if (shown(runAtOnce(program.evaluateInSteps(values, spent))) !== whole) wrong.push(expression)
      }
    }
    expect(wrong).to.deep.equal([])
  })

  it('have the same cost if they are suspended in a call before a suspended loop', () => {
    // The call is short: it is repeated when the evaluation comes back to the loop, and then its step ends.
    const program = programOf("dyn('%X'.format([dyn(duration('90s'))])) == dyn(['a', 'b'].map(p, 'a'.matches(p)))")
    const whole = program.evaluate(NOTHING)
    for (let pieces = 0; pieces < 512; pieces++) {
      while (!isStepDone());
      for (let i = 0; i < pieces; i++) isStepDone()
      expect(runAtOnce(program.evaluateInSteps(NOTHING, () => true)), `after ${pieces} pieces`).to.deep.equal(whole)
    }
  })

  it('find null members and elements', () => {
    for (const expression of ["{'a': null}.a == null", "{'a': null}['a'] == null", '[null][0] == null', "{'a': {'b': null}}.a.b == null"]) {
      expect(programOf(expression).evaluate(NOTHING).value, expression).to.equal(true)
    }
  })

  it('yield in nested loops', async () => {
    let turns = 0
    const next = (): Promise<void> => {
      turns++
      return Promise.resolve()
    }
    const row = `[${Array.from({ length: 40 }, (_, i) => i).join()}]`
    const inner = `${row}.filter(y, ${row}.all(z, z >= 0) && x + y > 3)`
    const program = programOf(`${row}.map(x, ${inner}.size() + ${inner}.size()).sum() == 3180 && ${row}.exists(x, x == 39)`)
    const whole = program.evaluate(NOTHING)
    expect(await program.evaluateInTurns(NOTHING, { spent: () => true, next })).to.deep.equal(whole)
    expect(turns).to.be.above(1000)
    const { cost } = whole
    expect(await program.evaluateInTurns(NOTHING, { spent: () => true, next }, { limit: cost - 1 })).to.deep.include({ isLimit: true })
  })

  it('yield while they search a long text, at the same cost', async () => {
    let turns = 0
    const turn = { spent: () => true, next: async () => void turns++ }
    const text = 'a'.repeat(4000)
    for (const rule of [
      `'${text}'.matches('(a?){100}$') && '${text}b'.matches('(a?){100}c') == false`,
      `'${text}'.find('(a?){100}$').size() == 100`,
      `[1, 2, 3].all(x, [1, 2].exists(y, y == 2) && '${text}'.matches('(a?){100}$') && [1, 2].all(z, ('${text}' + string(x)).matches('(a?){100}[0-9]$')))`,
      `'${text}'.findAll('(a?){100}a*$').size() == 1`,
    ]) {
      turns = 0
      const program = programOf(rule)
      const whole = program.evaluate(NOTHING)
      expect(whole, rule.slice(-80)).to.include({ value: true })
      expect(await program.evaluateInTurns(NOTHING, turn), rule.slice(-80)).to.deep.equal(whole)
      expect(turns).to.be.above(10)
      expect(await program.evaluateInTurns(NOTHING, turn, { limit: whole.cost }), rule.slice(-80)).to.deep.equal(whole)
      expect(await program.evaluateInTurns(NOTHING, turn, { limit: whole.cost - 1 })).to.deep.include({ isLimit: true })
    }
  })

  it('evaluate the range of a loop once, however often they are suspended', async () => {
    let asked = 0
    const object = { data: Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, 'v'])) }
    const program = programOf('object.data.all(k, k != "")', { object: DYN })
    const values = {
      get(name: string): Value | undefined {
        if (name === 'object') asked++
        return name === 'object' ? jsonValue(object) : undefined
      },
    }
    const outcome = await program.evaluateInTurns(values, { spent: () => true, next: () => Promise.resolve() })
    expect(outcome.value).to.equal(true)
    expect(asked).to.equal(1)
  })

  it('do not compare sets beyond the cost limit', () => {
    let compared = 0
    class Counted extends ValueList {
      override contains(value: Value): Comparing<Equality> {
        compared++
        return super.contains(value)
      }
    }
    const list = new Counted(Array.from({ length: 2000 }, (_, i) => i))
    for (const name of ['contains', 'equivalent', 'intersects']) {
      const program = programOf(`sets.${name}(a, a)`, { a: DYN })
      expect(program.evaluate(new Map([['a', list]])), name).to.deep.include({ isLimit: true })
    }
    expect(compared).to.equal(0)
  })

  it('stop at the cost limit', () => {
    const program = programOf('[1, 2, 3].all(x, [1, 2, 3].all(y, x + y > 0))')
    const { cost } = program.evaluate(NOTHING)
    expect(program.evaluate(NOTHING, { limit: cost })).to.include({ value: true })
    expect(program.evaluate(NOTHING, { limit: cost - 1 })).to.deep.include({
      error: 'operation cancelled: actual cost limit exceeded',
      isLimit: true,
    })
  })

  it('stop when interrupted, which loops check every hundred iterations', () => {
    let asked = 0
    const interrupted = (): boolean => ++asked === 2
    const row = `[${Array.from({ length: 250 }, (_, i) => i).join()}]`
    expect(programOf(`${row}.all(x, x >= 0)`).evaluate(NOTHING, { interrupted })).to.include({
      error: 'operation interrupted',
      isLimit: false,
    })
    expect(asked).to.equal(2)
  })

  it('pass all attributes of a check to the authorizer', () => {
    const questions: AuthorizationQuestion[] = []
    const authorizer = new AuthorizerValue(question => {
      questions.push(question)
      return { allowed: question.verb === 'get', reason: 'because' }
    })
    const activation = new Map<string, Value>([
      ['authorizer', authorizer],
      ['authorizer.requestResource', requestResource(authorizer, { group: 'apps', resource: 'deployments', name: 'web' })],
    ])
    const evaluate = (expression: string): unknown => programOf(expression).evaluate(activation)
    expect(
      evaluate('authorizer.group("").resource("pods").subresource("log").namespace("n").name("p").check("get").allowed()'),
    ).to.deep.equal({
      value: true,
      cost: 350_007,
    })
    expect(evaluate('authorizer.requestResource.fieldSelector("a=b").check("list").reason()')).to.include({ value: 'because' })
    expect(evaluate('authorizer.serviceAccount("ns", "sa").path("/healthz").check("get").errored()')).to.include({ value: false })
    expect(evaluate('authorizer.path(" ").check("get").allowed()')).to.include({ error: 'path must not be empty' })
    expect(evaluate('authorizer.serviceAccount("NS", "sa").path("/").check("get").allowed()')).to.include({
      error: 'Invalid service account namespace',
    })
    const nothing = { subresource: '', namespace: '', name: '', fieldSelector: '', labelSelector: '' }
    expect(questions).to.deep.equal([
      { ...nothing, verb: 'get', group: '', resource: 'pods', subresource: 'log', namespace: 'n', name: 'p' },
      { ...nothing, verb: 'list', group: 'apps', resource: 'deployments', name: 'web', fieldSelector: 'a=b' },
      { verb: 'get', path: '/healthz', serviceAccount: { namespace: 'ns', name: 'sa' } },
    ])
  })

  it('are suspended by an authorizer that has no decision yet', () => {
    const authorizer = new AuthorizerValue(() => {
      throw new ValuePending(Promise.resolve())
    })
    const program = programOf('authorizer.path("/healthz").check("get").allowed() || true')
    expect(() => program.evaluate(new Map([['authorizer', authorizer]]))).to.throw(ValuePending)
  })
})
