import { expect } from 'chai'
import { boundJsonInSteps, boundJsonValues, boundMembers, boundYamlInSteps, MOST_VALUES } from '../../../src/codec/value-bound.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { MOST_MEMBERS } from '../../../src/lib/wide-objects.ts'
import type { StatusError } from '../../../src/meta/status.ts'
import { countedSteps } from '../../support/counted-steps.ts'

function refusal(bound: (bytes: Buffer) => void, text: string): string {
  try {
    bound(Buffer.from(text))
    return ''
  } catch (error) {
    return (error as StatusError).message
  }
}
const items = (text: string, count: number): string => `[${Array(count).fill(text).join(',')}]`
const JSON_LIMIT = `Request entity too large: limit is ${MOST_VALUES} values`
const YAML_LIMIT = `Request entity too large: limit is ${MOST_VALUES / 2} values`

const MEMBERS_LIMIT = `Request entity too large: limit is ${MOST_MEMBERS} members of an object`
const members = (count: number, value = '1'): string => Array.from({ length: count }, (_, i) => `"a${i}":${value}`).join(',')

describe('limits on the number of values in a body', () => {
  const json: [what: string, text: string, refused: boolean][] = [
    ['elements', items('1', MOST_VALUES), false],
    ['too many elements', items('1', MOST_VALUES + 1), true],
    ['too many objects', items('{}', MOST_VALUES / 2 + 1), true],
    ['too many lists in lists', '['.repeat(MOST_VALUES + 1), true],
    [
      'too many values, of several objects',
      `[${Array(4)
        .fill(`{${members(MOST_VALUES / 4)}}`)
        .join(',')}]`,
      true,
    ],
    ['a text of commas and braces', `{"a":"${',{['.repeat(MOST_VALUES)}"}`, false],
    ['a text with quotes in it', `{"a":"${'\\",'.repeat(MOST_VALUES)}"}`, false],
    ['a text that ends with a backslash, and elements behind', `["\\\\",${items('1', MOST_VALUES)}]`, true],
  ]
  for (const [what, text, refused] of json)
    it(`JSON: ${what}`, () => expect(refusal(boundJsonValues, text)).to.equal(refused ? JSON_LIMIT : ''))

  const OBJECT = `{${members(MOST_MEMBERS)}}`
  const ESCAPED = String.raw`"\",{\\\"[{\\"`
  const wide: [what: string, text: string, refused: boolean][] = [
    ['as many members as allowed', OBJECT, false],
    ['one member more', `{${members(MOST_MEMBERS + 1)}}`, true],
    ['a repeated member more', `{${members(MOST_MEMBERS)},"a0":1}`, true],
    ['as many members as allowed, and others outside', `{"a":[${OBJECT},1],"b":{"c":2,"d":3},"e":4}`, false],
    ['one member more in a list at the end', `{"a":1,"b":[1,{${members(MOST_MEMBERS + 1)}}]}`, true],
    ['one member more after an object and a list', `{${members(MOST_MEMBERS)},"b":{"c":[1,2]}}`, true],
    [
      'as many members as allowed, with objects, lists and texts in them',
      `{${members(22_768)},${members(10_000, '{"a":"{,","b":[]}')}}`,
      false,
    ],
    ['as many objects as allowed, with escaped quotes', `{${members(MOST_MEMBERS, ESCAPED)}}`, false],
    ['one member more, with escaped quotes', `{${members(MOST_MEMBERS + 1, ESCAPED)}}`, true],
    ['as many elements in a list in an object', `{"a":${items('1', MOST_VALUES - 1)}}`, false],
    ['more closing brackets than opening ones', `]}}${OBJECT}}]`, false],
  ]
  for (const [what, text, refused] of wide)
    it(`an object of JSON: ${what}`, () => expect(refusal(boundJsonValues, text)).to.equal(refused ? MEMBERS_LIMIT : ''))

  it('an object that had more members may keep them', () => {
    const outcome = (count: number, before?: number): string => refusal(() => boundMembers(count, before), '')
    expect([outcome(MOST_MEMBERS), outcome(MOST_MEMBERS + 1)]).to.deep.equal(['', MEMBERS_LIMIT])
    expect([outcome(40_000, 40_000), outcome(39_999, 40_000), outcome(40_001, 40_000)]).to.deep.equal(['', '', MEMBERS_LIMIT])
  })

  const yaml: [what: string, text: string, limit: string][] = [
    ['JSON', items('1', MOST_VALUES), ''],
    ['JSON with too many elements', ` ${items('1', MOST_VALUES + 1)}`, JSON_LIMIT],
    ['too many elements, one a line', `a:\n${'- b\n'.repeat(MOST_VALUES / 2)}`, YAML_LIMIT],
    ['too many members', `${Array.from({ length: MOST_VALUES / 2 + 1 }, (_, i) => `a${i}: b`).join('\n')}`, YAML_LIMIT],
    ['too many elements in one line', `a: ${items('b', MOST_VALUES / 2 + 2)}`, YAML_LIMIT],
    ['a million empty lines', `a: |${'\n'.repeat(1 << 20)}`, 'Request entity too large: limit is 1048576 lines'],
    ['a million empty lines of JSON', `{"a":${'\n'.repeat(1 << 20)}1}`, 'Request entity too large: limit is 1048576 lines'],
    ['many lines of text', `a: |\n${'  some words, and more\n'.repeat(MOST_VALUES)}`, ''],
  ]
  for (const [what, text, limit] of yaml)
    it(`YAML: ${what}`, () => expect(refusal(bytes => runAtOnce(boundYamlInSteps(bytes)), text)).to.equal(limit))

  it('are counted in steps', () => {
    const long = 'x'.repeat(1 << 20)
    for (const text of [`{"a":"${long}"}`, `{"a":"${'\\\\'.repeat(1 << 19)}"}`])
      expect(countedSteps(boundJsonInSteps(Buffer.from(text))).yields, text.slice(0, 10)).to.be.above(10)
    for (const text of [`a: |\n${' b\n'.repeat(400_000)}`, '\n'.repeat((1 << 20) - 10)])
      expect(countedSteps(boundYamlInSteps(Buffer.from(text))).yields, text.slice(0, 10)).to.be.above(10)
  })
})
