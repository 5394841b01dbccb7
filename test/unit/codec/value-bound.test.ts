import { expect } from 'chai'
import { boundJsonValues, boundYamlValues, MOST_VALUES } from '../../../src/codec/value-bound.ts'
import type { StatusError } from '../../../src/meta/status.ts'

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

describe('limits on the number of values in a body', () => {
  const json: [what: string, text: string, refused: boolean][] = [
    ['elements', items('1', MOST_VALUES), false],
    ['too many elements', items('1', MOST_VALUES + 1), true],
    ['too many objects', items('{}', MOST_VALUES / 2 + 1), true],
    ['too many lists in lists', '['.repeat(MOST_VALUES + 1), true],
    ['too many members', `{${Array.from({ length: MOST_VALUES + 1 }, (_, i) => `"a${i}":1`).join(',')}}`, true],
    ['a text of commas and braces', `{"a":"${',{['.repeat(MOST_VALUES)}"}`, false],
    ['a text with quotes in it', `{"a":"${'\\",'.repeat(MOST_VALUES)}"}`, false],
    ['a text that ends with a backslash, and elements behind', `["\\\\",${items('1', MOST_VALUES)}]`, true],
  ]
  for (const [what, text, refused] of json)
    it(`JSON: ${what}`, () => expect(refusal(boundJsonValues, text)).to.equal(refused ? JSON_LIMIT : ''))

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
  for (const [what, text, limit] of yaml) it(`YAML: ${what}`, () => expect(refusal(boundYamlValues, text)).to.equal(limit))
})
