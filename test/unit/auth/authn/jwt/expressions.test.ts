import { expect } from 'chai'
import { claimStrings, claimsValue, userValue } from '../../../../../src/auth/authn/jwt/claims-value.ts'
import { type ExpressionVariable, evaluate, expressionCompiler } from '../../../../../src/auth/authn/jwt/expressions.ts'
import { CelDouble, type Value } from '../../../../../src/cel/values/value.ts'
import type { Release } from '../../../../../src/lifecycle/release.ts'

const compiler = expressionCompiler()

describe('expressionCompiler', () => {
  const good: readonly [string, ExpressionVariable, 'any' | 'bool'][] = [
    ['claims.foo', 'claims', 'any'],
    ["claims.foo == 'bar'", 'claims', 'bool'],
    ["user.username == 'bar'", 'user', 'any'],
    ["user.extra['a/b'].exists(x, x == user.uid) && user.groups.size() > 0", 'user', 'bool'],
  ]
  for (const [expression, subject, result] of good)
    it(`compiles ${expression}`, () => expect(compiler.compile(expression, subject, result)).to.have.property('program'))

  const bad: readonly [string, ExpressionVariable, 'any' | 'bool', string][] = [
    ['claims.foo', 'claims', 'bool', 'must evaluate to bool'],
    [
      "user.username == 'foo'",
      'claims',
      'bool',
      "compilation failed: ERROR: <input>:1:1: undeclared reference to 'user' (in container '')",
    ],
    [
      'claims + 1',
      'claims',
      'any',
      "compilation failed: ERROR: <input>:1:8: found no matching overload for '_+_' applied to '(map(string, any), int)'",
    ],
    ['user.username', 'user', 'bool', 'must evaluate to bool'],
    ['claims.foo', 'user', 'any', "compilation failed: ERROR: <input>:1:1: undeclared reference to 'claims' (in container '')"],
    ["user.unknown == 'foo'", 'user', 'bool', "compilation failed: ERROR: <input>:1:5: undefined field 'unknown'"],
  ]
  for (const [expression, subject, result, fault] of bad)
    it(`rejects ${expression} about ${subject}`, () => {
      const compiled = compiler.compile(expression, subject, result)
      expect('fault' in compiled && compiled.fault)
        .to.be.a('string')
        .and.to.satisfy((text: string) => text.startsWith(fault))
    })
})

describe('claims in expressions', () => {
  const claims = { n: 1, 'a.b': { 'c/d': [{ 'e-f': 'deep' }] }, list: ['x', '', 'y'], none: null, mixed: ['x', 1] }
  const resultOf = async (expression: string, release: Release): Promise<Value> => {
    const compiled = compiler.compile(expression, 'claims', 'any')
    if ('fault' in compiled) throw new Error(compiled.fault)
    return evaluate(compiled, claimsValue(claims, release))
  }
  const faultOf = (expression: string, release: Release): Promise<string> =>
    resultOf(expression, release).then(
      () => 'none',
      (error: Error) => error.message,
    )

  it('have whole numbers as ints before 1.34, and as doubles since', async () => {
    expect(await resultOf('claims.n', '1.33')).to.equal(1)
    expect(await resultOf('claims.n', '1.34')).to.deep.equal(new CelDouble(1))
    expect([await resultOf('claims.n == 1', '1.33'), await resultOf('claims.n == 1', '1.34')]).to.deep.equal([true, true])
  })

  it('can have escaped names since 1.34', async () => {
    const deep = 'claims.a__dot__b.c__slash__d[0].e__dash__f'
    expect(await resultOf(deep, '1.34')).to.equal('deep')
    expect(await faultOf(deep, '1.33')).to.equal(`expression '${deep}' resulted in error: no such key: a__dot__b`)
    expect(await resultOf("claims['a.b']['c/d'][0]['e-f']", '1.33')).to.equal('deep')
  })

  it('are evaluated within the cost limit of a call', async () => {
    const many = '[0,1,2,3,4,5,6,7,8,9]'
    const loops = (depth: number): string => (depth === 0 ? 'true' : `${many}.all(x${depth}, ${loops(depth - 1)})`)
    expect(await faultOf(loops(7), '1.33')).to.include('cost limit exceeded')
  })

  it('are converted to strings, without empty ones', async () => {
    expect(claimStrings(await resultOf('claims.list', '1.33'))).to.deep.equal(['x', 'y'])
    expect([claimStrings(null), claimStrings(''), claimStrings('a')]).to.deep.equal([[], [], ['a']])
    for (const expression of ['claims.mixed', 'claims.n', "claims['a.b']"]) {
      const value = await resultOf(expression, '1.33')
      expect(() => claimStrings(value)).to.throw('expression must return a string or a list of strings')
    }
  })

  it('only have own members', async () => {
    for (const name of ['__proto__', 'constructor', 'toString'])
      for (const release of ['1.33', '1.34'] as const) expect(await faultOf(`claims['${name}']`, release)).to.include('no such key')
  })

  it('are used beside users with empty members', async () => {
    const compiled = compiler.compile("user.uid == '' && user.groups == [] && user.extra == {}", 'user', 'bool')
    if ('fault' in compiled) throw new Error(compiled.fault)
    for (const release of ['1.33', '1.34'] as const)
      expect(await evaluate(compiled, userValue({ name: 'x', groups: [] }, release))).to.equal(true)
  })
})
