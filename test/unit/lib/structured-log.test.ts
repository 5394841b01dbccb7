import { expect } from 'chai'
import { createLogger } from '../../../src/lib/structured-log.ts'

function lines(format: 'text' | 'json', verbosity = 0) {
  const written: string[] = []
  return { written, log: createLogger({ format, verbosity, write: line => written.push(line), now: () => 0 }) }
}

describe('createLogger', () => {
  it('quotes values in text if necessary', () => {
    const { written, log } = lines('text')
    log.warn('careful', { a: 1, b: 'two words', c: undefined, d: { e: 'f' } })
    expect(written).to.deep.equal(['1970-01-01T00:00:00.000Z warn  careful a=1 b="two words" d={"e":"f"}\n'])
  })

  it('escapes control characters in values', () => {
    const { written, log } = lines('text')
    log.info('request', { path: '/a\nerror', agent: '\u001b[2J', other: 'a\u009b2J' })
    expect(written).to.deep.equal(['1970-01-01T00:00:00.000Z info  request path="/a\\nerror" agent="\\u001b[2J" other="a\\u009b2J"\n'])
  })

  it('writes one JSON object a line', () => {
    const { written, log } = lines('json')
    log.info('hello\nthere', { n: 2n })
    expect(JSON.parse(written[0] ?? '')).to.deep.equal({ ts: '1970-01-01T00:00:00.000Z', level: 'info', msg: 'hello\nthere', n: '2' })
    expect(written[0]?.split('\n').length).to.equal(2)
  })

  it('adds the fields of every line', () => {
    const written: string[] = []
    const log = createLogger({ format: 'text', verbosity: 0, write: line => written.push(line), now: () => 0, fields: { worker: 2 } })
    log.info('hello', { a: 1 })
    log.warn('there')
    expect(written).to.deep.equal([
      '1970-01-01T00:00:00.000Z info  hello worker=2 a=1\n',
      '1970-01-01T00:00:00.000Z warn  there worker=2\n',
    ])
  })

  it('writes debug lines up to its verbosity', () => {
    const { written, log } = lines('text', 2)
    log.debug(2, 'yes')
    log.debug(3, 'no')
    expect(written.length).to.equal(1)
  })
})
