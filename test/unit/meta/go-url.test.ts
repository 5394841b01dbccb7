import { expect } from 'chai'
import { parseGoUrl } from '../../../src/meta/go-url.ts'

describe('parseGoUrl', () => {
  const good: [text: string, parts: Partial<ReturnType<typeof parseGoUrl>>][] = [
    ['https://a.example.com/x', { scheme: 'https', host: 'a.example.com', path: '/x', query: '', fragment: '', user: undefined }],
    ['HTTPS://u:p@a:443?q=1#f', { scheme: 'https', host: 'a:443', path: '', query: 'q=1', fragment: 'f', user: 'u:p' }],
    ['https://[::1]:8443/', { host: '[::1]:8443' }],
    ['a.example.com:443/x', { scheme: 'a.example.com', host: '', path: '' }],
    ['/only/a/path', { scheme: '', host: '', path: '/only/a/path' }],
    ['https:///x', { host: '', path: '///x' }],
    ['', { scheme: '', host: '' }],
  ]
  for (const [text, parts] of good) it(`splits ${text || 'nothing'}`, () => expect(parseGoUrl(text)).to.deep.include(parts))

  const bad: [text: string, reason: string][] = [
    ['https://a\n', 'net/url: invalid control character in URL'],
    [':x', 'missing protocol scheme'],
    ['1a:b', 'first path segment in URL cannot contain colon'],
    ['https://a:b', 'invalid port ":b" after host'],
    ['https://[::1', "missing ']' in host"],
    ['https://a b/', 'invalid character " " in host name'],
    ['https://a/%zz', 'invalid URL escape "%zz"'],
  ]
  for (const [text, reason] of bad)
    it(`rejects ${JSON.stringify(text)}`, () => expect(() => parseGoUrl(text)).to.throw(`parse ${JSON.stringify(text)}: ${reason}`))
})
