import { expect } from 'chai'
import { decodePem } from '../../../src/lib/decode-pem.ts'

const block = (type: string, body = 'aGk=', head = ''): string => `-----BEGIN ${type}-----\n${head}${body}\n-----END ${type}-----\n`
const read = (text: string): unknown[] => decodePem(text).map(({ type, hasHeaders, bytes }) => [type, hasHeaders, bytes.toString()])

describe('PEM', () => {
  const cases: [string, string, unknown[]][] = [
    ['nothing', '', []],
    ['a block', block('A'), [['A', false, 'hi']]],
    [
      'two',
      block('A') + block('B B', 'eW91'),
      [
        ['A', false, 'hi'],
        ['B B', false, 'you'],
      ],
    ],
    [
      'text around',
      `before\n${block('A')}between\n${block('B')}after`,
      [
        ['A', false, 'hi'],
        ['B', false, 'hi'],
      ],
    ],
    ['no line break before it', `x${block('A')}`, []],
    ['headers', block('A', 'aGk=', 'Proc-Type: 4\nDek: x\n\n'), [['A', true, 'hi']]],
    ['lines of any length', block('A', 'a\nG\r\nk\n ='), [['A', false, 'hi']]],
    ['another end', `-----BEGIN A-----\naGk=\n-----END B-----\n${block('C')}`, [['C', false, 'hi']]],
    ['no end', '-----BEGIN A-----\naGk=\n', []],
    ['text other than base64', block('A', 'a?k=') + block('B', 'aGk'), []],
  ]
  for (const [what, text, expected] of cases) it(what, () => expect(read(text)).to.deep.equal(expected))

  it('parses a text of many BEGIN lines', () => {
    const text = Array.from({ length: 100_000 }, (_, i) => `-----BEGIN ${i}-----\n`).join('')
    expect(read(text)).to.deep.equal([])
    expect(read(`${text}-----END x-----\n`)).to.deep.equal([])
  })
})
