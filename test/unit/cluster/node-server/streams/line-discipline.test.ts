import { expect } from 'chai'
import { LineDiscipline } from '../../../../../src/cluster/node-server/streams/line-discipline.ts'

/** Types texts one after the other. Returns the echo, the input and the signals, and whether the input ended. */
function typed(...texts: readonly string[]): [echo: string, input: string, signals: string, isEnd: boolean] {
  const discipline = new LineDiscipline()
  const all: [string, string, string, boolean] = ['', '', '', false]
  for (const text of texts) {
    const { echo, input, signals, isEnd } = discipline.type(Buffer.from(text))
    all[0] += echo
    all[1] += input
    all[2] += signals.join(',')
    all[3] ||= isEnd
  }
  return all
}

describe('the line discipline of a terminal', () => {
  const cases: readonly [title: string, texts: readonly string[], expected: ReturnType<typeof typed>][] = [
    ['gives whole lines to the program', ['l', 's'], ['ls', '', '', false]],
    ['ends a line with the return key', ['ls\r', 'x\n'], ['ls\r\nx\r\n', 'ls\nx\n', '', false]],
    ['erases characters', ['ab\x7f\x08c\r'], ['ab\b \b\b \bc\r\n', 'c\n', '', false]],
    ['erases nothing before the line', ['\x7f\x7fa\r'], ['a\r\n', 'a\n', '', false]],
    ['erases all bytes of a character', ['é\x7f\r'], ['é\b \b\r\n', '\n', '', false]],
    ['shows control characters, and erases both columns', ['\x01\x7f\r'], ['^A\b \b\b \b\r\n', '\n', '', false]],
    ['erases a word with the blanks behind it', ['a bc  \x17\r'], [`a bc  ${'\b \b'.repeat(4)}\r\n`, 'a \n', '', false]],
    ['erases the line', ['abc\x15d\r'], [`abc${'\b \b'.repeat(3)}d\r\n`, 'd\n', '', false]],
    ['sends signals, and drops the line', ['ab\x03c\r', '\x1c'], ['ab^Cc\r\n^\\', 'c\n', 'SIGINTSIGQUIT', false]],
    ['gives an unfinished line to the program', ['ab\x04'], ['ab', 'ab', '', false]],
    ['ends the input behind a whole line', ['ab\r\x04'], ['ab\r\n', 'ab\n', '', true]],
    ['does not suspend', ['\x1a\r'], ['^Z\r\n', '\n', '', false]],
  ]
  for (const [title, texts, expected] of cases) it(title, () => expect(typed(...texts)).to.deep.equal(expected))

  it('bounds a line', () => {
    const [echo, input] = typed('x'.repeat(5000), '\r')
    expect([echo.replaceAll('x', '').length, input.length]).to.deep.equal([5000 - 4095 + 2, 4096])
  })
})
