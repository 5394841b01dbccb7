import { expect } from 'chai'
import { readArguments } from '../../../src/lib/arguments.ts'

const read = (...argv: string[]) =>
  readArguments(argv, { name: 'values', output: 'value', filename: 'values', last: 'switch' }, { o: 'output', f: 'filename' }, 'name')

describe('arguments of commands', () => {
  for (const argv of [['-o', 'json'], ['-o=json'], ['-ojson'], ['--output', 'json'], ['--output=json']])
    it(`are read from ${argv.join(' ')}`, () => expect(read(...argv).value('output')).to.equal('json'))
  it('have values with = and -', () => {
    expect(read('-fa=b', '-f', '-', '-f=c=d').values('filename')).to.deep.equal(['a=b', '-', 'c=d'])
  })
  it('may be switches or positional', () => {
    const given = read('a', '--last', '-')
    expect([given.isOn('last'), given.values('name')]).to.deep.equal([true, ['a', '-']])
  })
  for (const [argument, message] of [
    ['--other', 'unknown flag: --other'],
    ['-x5', 'unknown flag: -x5'],
    ['--output', 'flag needs an argument: --output'],
    ['--ouptut=json', 'unknown flag: --ouptut=json; did you mean --output?'],
    ['--last=maybe', '--last=maybe: must be true or false'],
  ] as const)
    it(`are refused: ${argument}`, () => expect(() => read(argument)).to.throw(message))
  it('must not be positional if the command has no name for them', () => {
    expect(() => readArguments(['a'], { output: 'value' }, {}, '')).to.throw('unexpected argument: a')
  })
})
