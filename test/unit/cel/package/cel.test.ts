import { expect } from 'chai'
import { CompileError, check, compile, EvaluationError } from '../../../../src/cel/package/cel.ts'

const thrownBy = (run: () => unknown): unknown => {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}

describe('binnacle/cel', () => {
  const schema = {
    type: 'object',
    properties: { replicas: { type: 'integer' }, names: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 20 } } },
  }

  it('compiles and evaluates, and returns the cost', () => {
    const program = compile('object.spec.replicas <= limit', { variables: { object: 'dyn', limit: 'int' } })
    expect(program.resultType).to.equal('bool')
    expect(program.evaluate({ object: { spec: { replicas: 3 } }, limit: 5 })).to.deep.equal({ value: true, cost: 5 })
    expect(program.evaluate({ object: { spec: { replicas: 8 } }, limit: 5 }).value).to.equal(false)
  })

  it('reports issues with their positions, as cel-go does', () => {
    expect(check('self.x', { variables: { self: 'dyn' } })).to.deep.equal([])
    expect(check('1 +\nfoo')).to.deep.equal([{ line: 2, column: 1, message: "undeclared reference to 'foo' (in container '')" }])
    const error = thrownBy(() => compile("'a' + 1"))
    expect(error).to.be.instanceOf(CompileError)
    expect((error as CompileError).message).to.contain(
      "ERROR: <input>:1:5: found no matching overload for '_+_' applied to '(string, int)'",
    )
    expect(check("int('x')"), 'what is computed beforehand').to.have.length(1)
  })

  it('offers the functions of a release', () => {
    expect(check("ip('127.0.0.1').family() == 4", { release: '1.30' })).to.deep.equal([])
    expect(check("ip('127.0.0.1').family() == 4", { release: '1.29' })).not.to.deep.equal([])
    expect(() => compile('1', { release: '2.0' })).to.throw(TypeError, '2.0 is not a release from 1.24 on')
  })

  it('derives types and sizes from a schema', () => {
    const options = { variables: { self: schema } }
    expect(check('self.replica > 1', options)[0]?.message).to.equal("undefined field 'replica'")
    const program = compile('self.names.exists(name, name.startsWith("a"))', options)
    const { min, max } = program.estimateCost()
    expect(Number(min)).to.be.greaterThan(0)
    expect(Number(max)).to.be.greaterThan(Number(min)).and.lessThan(1000)
    expect(compile('names.exists(name, name.startsWith("a"))', { variables: { names: 'list(string)' } }).estimateCost().max > max).to.equal(
      true,
    )
    expect(program.evaluate({ self: { names: ['b', 'a'] } }).value).to.equal(true)
    const { cost } = program.evaluate({ self: { names: ['b', 'a'] } })
    expect(cost).to.be.within(Number(min), Number(max))
  })

  const values: readonly [type: string, given: unknown, expression: string, value: unknown][] = [
    ['int', 1, 'x + 1', 2],
    ['int', 2n ** 62n, 'x', 2n ** 62n],
    ['uint', 7, 'x + 1u', 8],
    ['double', 1, 'x / 2.0', 0.5],
    ['dyn', 1.5, 'x', 1.5],
    ['bytes', new Uint8Array([1]), 'size(x)', 1],
    ['timestamp', new Date('2026-01-02T03:04:05.678Z'), "x + duration('1s')", new Date('2026-01-02T03:04:06.678Z')],
    ['timestamp', new Date(1500), "x - timestamp('1970-01-01T00:00:00Z')", '1.5s'],
    ['list(double)', [1, 2], 'x', [1, 2]],
    ['map(string, int)', { a: 1, b: undefined }, 'x', { a: 1 }],
    ['map(int, string)', new Map([[1, 'one']]), 'x', new Map([[1, 'one']])],
    ['dyn', JSON.parse('{"__proto__":{"a":1}}'), "x['__proto__'].a", 1],
    ['dyn', { a: [null, true] }, 'x.a', [null, true]],
    ['dyn', { a: 1 }, 'x[?"b"]', undefined],
    ['dyn', 1, 'type(x)', 'int'],
    ['string', '1Gi', 'quantity(x)', '1Gi'],
    ['string', '::1', 'ip(x)', '::1'],
  ]
  for (const [type, given, expression, value] of values)
    it(`evaluates ${expression} for ${type}`, () =>
      expect(compile(expression, { variables: { x: type } }).evaluate({ x: given }).value).to.deep.equal(value))

  const wrong: readonly [type: string, given: unknown, message: string][] = [
    ['int', 1.5, 'x: number is not of type int'],
    ['int', 2n ** 63n, 'x: bigint is not of type int'],
    ['uint', -1, 'x: number is not of type uint'],
    ['string', null, 'x: null is not of type string'],
    ['list(int)', [1, 'a'], 'x[1]: string is not of type int'],
    ['map(string, int)', { a: { b: 1 } }, 'x.a: Object is not of type int'],
    ['timestamp', new Date(Number.NaN), 'x: Date is not of type google.protobuf.Timestamp'],
    ['dyn', { a: () => 1 }, 'x.a: function is not of type dyn'],
    ['dyn', Symbol('s'), 'x: symbol is not of type dyn'],
  ]
  for (const [type, given, message] of wrong)
    it(`rejects a value that is not ${type}: ${message}`, () =>
      expect(() => compile('x', { variables: { x: type } }).evaluate({ x: given })).to.throw(TypeError, message))

  for (const type of ['', 'list', 'list(', 'map(string)', 'Foo', 'A', 'kubernetes.Quantity', 'list(foo)'])
    it(`rejects a variable of type ${JSON.stringify(type)}`, () =>
      expect(() => compile('1', { variables: { x: type } })).to.throw(TypeError, 'is not a valid type of a variable'))

  it('stops at the cost limit, and reports errors with their cost', () => {
    const program = compile('x.all(a, x.all(b, a == b))', { variables: { x: 'list(int)' } })
    const limited = thrownBy(() => program.evaluate({ x: Array(1000).fill(1) }, { costLimit: 1000 }))
    expect(limited).to.be.instanceOf(EvaluationError)
    expect(limited).to.include({ isCostLimit: true, message: 'operation cancelled: actual cost limit exceeded' })
    const failed = thrownBy(() => compile('x / 0', { variables: { x: 'int' } }).evaluate({ x: 1 }))
    expect(failed).to.include({ isCostLimit: false, message: 'division by zero' })
    expect(thrownBy(() => compile('x', { variables: { x: 'int' } }).evaluate({}))).to.include({ message: 'no such attribute(s): x' })
  })
})
