import { expect } from 'chai'
import { compile } from '../../../../src/cel/compile.ts'
import { baseEnvironment, extend } from '../../../../src/cel/environment.ts'
import { makeProgram, type ProgramOutcome } from '../../../../src/cel/program/program.ts'
import { DYN } from '../../../../src/cel/type.ts'
import { jsonValue } from '../../../../src/cel/values/json.ts'
import { SHARED_TURNS } from '../../../../src/lib/turn.ts'

const environment = extend(baseEnvironment(36), { l: DYN, s: DYN })

const outcomeOf = async (expression: string, size = 1000): Promise<ProgramOutcome> => {
  const { checked, issues } = compile(expression, environment)
  if (!checked) throw new Error(String(issues))
  const program = makeProgram(checked, environment)
  if ('fault' in program) throw new Error(program.fault)
  const values = new Map([
    ['l', jsonValue(Array.from({ length: size }, (_, i) => i))],
    ['s', jsonValue('a'.repeat(size * 10))],
  ])
  return program.evaluateInTurns(values, SHARED_TURNS)
}

/** Doubles the length repeatedly. The result uses no memory until it is iterated. */
const doubled = (times: number, of = 'l'): string => `[${of}]${'.map(a,a+a)'.repeat(times)}[0]`
/** Twice as many with each, of a few lists. */
const nested = (times: number): string => `[l]${'.map(a,[a,a])'.repeat(times)}`

describe('the work and memory of functions', () => {
  it('is limited for calls that cost one', async () => {
    for (const expression of [
      ...['sum()', 'max()', 'isSorted()', 'indexOf(-1)', 'lastIndexOf(-1)', 'sort()', 'reverse()', 'slice(0, 900000000)', 'map(x, x)'].map(
        call => `${doubled(30)}.${call}`,
      ),
      `-1 in ${doubled(30)}`,
      `${doubled(30)} == ${doubled(30)}`,
      `'%s'.format([${doubled(30)}])`,
      `'%s'.format([${nested(40)}])`,
      `${nested(40)} == ${nested(40)}`,
      `${nested(40)} in [${nested(40)}]`,
      `${doubled(20, 's')}.size()`,
      `${doubled(20, 'dyn(bytes(string(s)))')}.size()`,
      "s.replace('a', s + s + s + s).replace('a', s)",
    ]) {
      const { error } = await outcomeOf(expression)
      expect(error, expression).to.equal('operation cancelled: actual cost limit exceeded')
    }
  })

  it('is charged by length if long, which limits memory', async () => {
    for (const expression of [
      "l.map(x, '%s'.format([l])).size()",
      "l.map(x, l.map(y, s.replace('a', 'abcdefghij'))).size()",
      'l.map(x, l.map(y, l.sort())).size()',
      'l.map(x, l.map(y, dyn(bytes(string(s))) + bytes(string(s)))).size()',
    ]) {
      const { error } = await outcomeOf(expression, 4000)
      expect(error, expression).to.equal('operation cancelled: actual cost limit exceeded')
    }
  })

  it('is charged as upstream if short', async () => {
    expect(await outcomeOf('dyn([2, 1]).sort()[0]', 1)).to.deep.include({ value: 1 })
    expect(await outcomeOf(`${doubled(5)}.sum()`)).to.deep.include({ value: 32 * 499_500 })
    expect(await outcomeOf("'aXb'.replace('X', s).size()", 10)).to.deep.include({ value: 102 })
    expect(await outcomeOf(`${nested(5)} == ${nested(5)}`)).to.deep.include({ value: true })
  })
})
