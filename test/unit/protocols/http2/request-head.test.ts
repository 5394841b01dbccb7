import { expect } from 'chai'
import { readHead } from '../../../../src/protocols/http2/request-head.ts'

const GET = [':method', 'GET', ':scheme', 'https', ':path', '/api?x=1', ':authority', 'localhost:6443']

describe('the head of a request', () => {
  it('is parsed', () => {
    const head = readHead([
      ...GET,
      'accept',
      'a',
      'accept',
      'b',
      'cookie',
      'x=1',
      'cookie',
      'y=2',
      'authorization',
      'first',
      'authorization',
      'second',
      'content-length',
      '12',
    ])
    expect(head).to.deep.include({ method: 'GET', url: '/api?x=1', length: 12 })
    expect(head?.headers).to.eql({
      ':authority': 'localhost:6443',
      accept: 'a, b',
      cookie: 'x=1; y=2',
      authorization: 'first',
      'content-length': '12',
    })
    expect(head?.rawHeaders.slice(8, 10)).to.eql(['accept', 'a'])
  })

  it('keeps headers with names of Object.prototype as data', () => {
    const head = readHead([...GET, '__proto__', 'x', 'constructor', 'y'])
    expect(head?.headers.constructor).to.equal('y')
    expect(Object.getPrototypeOf(head?.headers)).to.equal(Object.prototype)
    expect(head?.rawHeaders).to.include('__proto__')
  })

  it('accepts tabs within values, and every byte above 127', () => {
    expect(readHead([...GET, 'a', 'b\tc', 'd', '\x80\xff'])?.headers).to.include({ a: 'b\tc', d: '\x80\xff' })
    expect(readHead([...GET, 'a', '', 'b', 'c'])?.headers).to.include({ a: '', b: 'c' })
  })

  it('accepts every valid method, and both schemes', () => {
    for (const method of ['GET', 'M-SEARCH', 'get', "!#$%&'*+.^_`|~0"])
      expect(readHead([':method', method, ...GET.slice(2)])?.method).to.equal(method)
    expect(readHead([':method', 'GET', ':scheme', 'http', ':path', '/'])?.url).to.equal('/')
  })

  it('joins a header whose name is a method of objects', () => {
    expect(readHead([...GET, 'tostring', 'a'])?.headers.tostring).to.equal('a')
  })

  for (const [fault, fields] of [
    ['no method', GET.slice(2)],
    ['no scheme', [...GET.slice(0, 2), ...GET.slice(4)]],
    ['no path', [...GET.slice(0, 4), ...GET.slice(6)]],
    ['an empty path', [':method', 'GET', ':scheme', 'https', ':path', '']],
    ['a path that does not begin with a slash', [':method', 'GET', ':scheme', 'https', ':path', 'api']],
    ['an escape in a path', [':method', 'GET', ':scheme', 'https', ':path', '/api\x1b[31m']],
    ['a space in a method', [':method', 'G ET', ':scheme', 'https', ':path', '/']],
    ['an empty method', [':method', '', ':scheme', 'https', ':path', '/']],
    ['an invalid method', [':method', 'GET(', ':scheme', 'https', ':path', '/']],
    ['a scheme of no server', [':method', 'GET', ':scheme', 'javascript', ':path', '/']],
    ['a scheme in capitals', [':method', 'GET', ':scheme', 'HTTPS', ':path', '/']],
    ['an empty scheme', [':method', 'GET', ':scheme', '', ':path', '/']],
    ['an escape in a method', [':method', 'GET\x1b', ':scheme', 'https', ':path', '/']],
    ['two paths', [...GET, ':path', '/']],
    ['a pseudo-header behind a header', [':method', 'GET', ':scheme', 'https', 'a', 'b', ':path', '/']],
    ['a pseudo-header of responses', [...GET, ':status', '200']],
    ['capitals', [...GET, 'Accept', 'a']],
    ['a space in a name', [...GET, 'a b', 'c']],
    ['an escape', [...GET, 'a', 'b\x1b[31m']],
    ['a deletion', [...GET, 'a', 'b\x7f']],
    ['a line break at the end', [...GET, 'a', 'b\n']],
    ['a blank behind a value', [...GET, 'a', 'b\t']],
    ['a blank alone', [...GET, 'a', ' ']],
    ['a blank before a value', [...GET, 'a', ' b']],
    ['a line break', [...GET, 'a', 'b\r\nc: d']],
    ['a header of the connection', [...GET, 'connection', 'close']],
    ['an encoding of the transfer', [...GET, 'transfer-encoding', 'chunked']],
    ['te that is not trailers', [...GET, 'te', 'gzip']],
    ['two lengths', [...GET, 'content-length', '5', 'content-length', '50']],
    ['a repeated length', [...GET, 'content-length', '5', 'content-length', '5']],
    ['a length that is not a number', [...GET, 'content-length', '1e3']],
  ] as const)
    it(`is rejected with ${fault}`, () => expect(readHead([...fields])).to.equal(undefined))
})
