import { expect } from 'chai'
import { compile } from '../../../../src/cel/compile.ts'
import { baseEnvironment, extend } from '../../../../src/cel/environment.ts'
import { AuthorizerValue } from '../../../../src/cel/functions/authorization.ts'
import { makeProgram, type ProgramOutcome } from '../../../../src/cel/program/program.ts'
import { DYN, parseType, STRING } from '../../../../src/cel/type.ts'
import { listOfValues, RangeList } from '../../../../src/cel/values/list.ts'
import type { Value } from '../../../../src/cel/values/value.ts'

/** Lists of two whose elements are one list, in levels: as many leaves as two to the power of the levels. */
function sharedList(levels: number): Value {
  let list: Value = 'a'
  for (let level = 0; level < levels; level++) list = listOfValues([list, list])
  return list
}

const MILLION = 1_000_000

/** A range of which one element differs: a comparison is charged for all, and visits a few hundred. */
class OtherRange extends RangeList {
  override at(index: number): Value {
    return index === 400 ? 'other' : index
  }
}

const LIMIT = 'operation cancelled: actual cost limit exceeded'
const environment = extend(baseEnvironment(37), {
  authorizer: parseType('kubernetes.authorization.Authorizer'),
  text: STRING,
  pattern: STRING,
  list: DYN,
  long: DYN,
  nine: DYN,
  one: DYN,
  other: DYN,
})

/** Evaluates with turns that are always spent, or in one. `asked`: how often the authorizer is asked. */
async function evaluate(
  expression: string,
  text: string,
  pattern = '',
  isSpent = true,
  levels = 1,
): Promise<{ outcome: ProgramOutcome; asked: number; turns: number }> {
  let [asked, turns] = [0, 0]
  const authorizer = new AuthorizerValue(() => {
    asked++
    return { allowed: true, reason: '' }
  })
  const { checked, issues } = compile(expression, environment)
  if (!checked) throw new Error(String(issues))
  const program = makeProgram(checked, environment)
  if ('fault' in program) throw new Error(program.fault)
  const values = new Map<string, Value>([
    ['authorizer', authorizer],
    ['text', text],
    ['pattern', pattern],
    ['list', listOfValues([text, text])],
    ['long', new RangeList(MILLION)],
    ['nine', listOfValues(Array(9).fill(new OtherRange(MILLION)))],
    ['one', sharedList(levels)],
    ['other', sharedList(levels)],
  ])
  const next = async (): Promise<void> => void turns++
  const outcome = await program.evaluateInTurns(values, { spent: () => isSpent, next })
  return { outcome, asked, turns }
}

const ALLOWED = 'authorizer.path("/a").check("get").allowed()'
const SEARCH = 'text.find("(?s)(.a|.b)*x") == ""'

describe('a long function call', () => {
  const once: readonly [expression: string, asked: number][] = [
    [`${ALLOWED} && ${SEARCH}`, 1],
    [`list.all(t, ${ALLOWED} && t.find("(?s)(.a|.b)*x" + t.substring(0, 1)) == "")`, 2],
  ]
  for (const [expression, count] of once)
    it(`is not repeated in each turn of the work after it: ${expression}`, async () => {
      const alone = await evaluate(SEARCH, 'ab'.repeat(10_000))
      const { outcome, asked, turns } = await evaluate(expression, 'ab'.repeat(10_000))
      expect(turns).to.be.at.least(alone.turns).and.above(5)
      expect(asked).to.equal(count)
      expect(outcome.value).to.equal(true)
      expect(outcome.cost).to.equal((await evaluate(expression, 'ab'.repeat(10_000), '', false)).outcome.cost)
    })

  for (const expression of [
    'text.matches(pattern)',
    'matches(text, pattern)',
    'text.find(pattern) == ""',
    'text.findAll(pattern) == []',
    'text.findAll(pattern, 1) == []',
  ])
    it(`is rejected before it searches beyond the cost limit: ${expression}`, async () => {
      const { outcome, turns } = await evaluate(expression, 'a'.repeat(20_000), 'a'.repeat(3000))
      expect(outcome.error).to.equal(LIMIT)
      expect(turns).to.equal(0)
    })

  const comparisons = [
    'one == other',
    '!(one != other)',
    'one in [other]',
    '[1].all(i, one == other && one == other)',
    'list.all(t, t == "" || one in [other])',
    'sets.contains([one], [other])',
    'sets.intersects([one], [other])',
    'sets.equivalent([one], [other])',
    '[dyn(1), one].indexOf(other) == 1',
    '[one, dyn(1)].lastIndexOf(other) == 0',
    'dyn(one).includes(other[0])',
    '[one, other].distinct().size() == 1',
    '{"a": one} == {"a": other}',
    'optional.of(one) == optional.of(other)',
  ]
  const readers = [
    'one.indexOf(1) == -1',
    '!dyn(one).includes(1)',
    'one.flatten(100).size() == 8192',
    'long.slice(0, 8192).size() == 8192',
    'long.slice(0, 8192).reverse()[0] == 8191',
  ]
  for (const expression of [...comparisons, ...readers]) {
    it(`reads shared lists in steps of a bounded number of visits: ${expression}`, async () => {
      const { outcome, turns } = await evaluate(expression, 'text', '', true, 13)
      expect(outcome.value).to.equal(true)
      // Two to the power of 13 visits, of which a step has a few hundred.
      expect(turns).to.be.above(7)
      expect(outcome).to.deep.equal((await evaluate(expression, 'text', '', false, 13)).outcome)
    })
  }

  const endless = [
    'one == other',
    'one.indexOf(1) == 1',
    'dyn(one).includes(1)',
    '[one, other].distinct() == []',
    '"%s".format([one]) == ""',
    '"%s".format([{"a": one}]) == ""',
    '[?one] == []',
    'google.protobuf.ListValue{values: one} == one',
    'google.protobuf.Struct{fields: {"a": one}} == one',
  ]
  for (const expression of endless) {
    it(`ends at the limit of visits with lists that share their elements in sixty levels: ${expression}`, async () => {
      for (const isSpent of [true, false]) expect((await evaluate(expression, 'text', '', isSpent, 60)).outcome.error).to.equal(LIMIT)
    })
  }

  it('ends a comparison at the limit of visits, over all turns together', async () => {
    for (const isSpent of [true, false]) {
      expect((await evaluate('long in nine', 'text', '', isSpent)).outcome.value).to.equal(false)
      expect((await evaluate('long in nine || long in nine', 'text', '', isSpent)).outcome.error).to.equal(LIMIT)
    }
  })

  it('is not begun again in a turn after a comparison of another call', async () => {
    const alone = await evaluate('one == other', 'text', '', true, 13)
    const { turns } = await evaluate(`${Array(8).fill('one == other').join(' && ')}`, 'text', '', true, 13)
    expect(turns).to.be.within(8 * (alone.turns - 1), 8 * (alone.turns + 1))
  })

  const changes: readonly [expression: string, least: number][] = [
    ['text.upperAscii().lowerAscii() == text', 10],
    ['strings.quote(text).size() == text.size() + 2', 6],
    ['text.replace("a", "c").replace("c", "a") == text', 6],
    ['text.replace("", "-").size() == 2 * text.size() + 1', 6],
    ['text.replace("a", "xy", 50000).size() == text.size() + 50000', 3],
    ['text.split("b").size() == 50001', 50],
    ['text.split("").size() == text.size()', 6],
    ['text.split("b", 3)[2].size() == text.size() - 4', 50],
    ['"%s".format([text.split("b").slice(0, 9000)]).size() == 5 * 9000', 15],
    ['"%s".format([{"b": text.split("").slice(0, 9000), "a": 1}]).startsWith("{\\"a\\":1, \\"b\\":[")', 15],
    ['text.replace("a", "%").replace("b", "%").format([]).size() == text.size() / 2', 90],
    ['isSemver("1.2.3-" + text.split("b").join(".") + "b")', 100],
  ]
  for (const [expression, least] of changes)
    it(`changes a long text in steps: ${expression}`, async () => {
      const { outcome, turns } = await evaluate(expression, 'ab'.repeat(50_000))
      expect(outcome.value).to.equal(true)
      expect(turns).to.be.at.least(least)
      expect(outcome).to.deep.equal((await evaluate(expression, 'ab'.repeat(50_000), '', false)).outcome)
    })

  it('is rejected before a validation beyond the cost limit', async () => {
    const { outcome, turns } = await evaluate('format.uri().validate(text) == optional.none()', 'a'.repeat(100_000))
    expect(outcome.error).to.equal(LIMIT)
    expect(turns).to.equal(0)
  })

  it('yields after a call that reads a long text', async () => {
    const text = 'a'.repeat(200_000)
    const expression = 'size(text + text + "a") + size(text + text + "a") == 800002'
    const { outcome, turns } = await evaluate(expression, text)
    expect(outcome.value).to.equal(true)
    expect(turns).to.be.at.least(2)
    expect(outcome).to.deep.equal((await evaluate(expression, text, '', false)).outcome)
  })

  it('stops at the cost limit if each match scans the rest of the text', async () => {
    const { outcome, turns } = await evaluate('text.findAll("(?s).*x|a") == []', 'a'.repeat(20_000))
    expect(outcome.error).to.equal(LIMIT)
    expect(turns).to.be.below(10_000)
  })

  it('to findAll on a long text is charged linearly', async () => {
    const { outcome } = await evaluate('text.findAll("a").size() == 1000', 'a'.repeat(1000))
    expect(outcome.value).to.equal(true)
  })
})
