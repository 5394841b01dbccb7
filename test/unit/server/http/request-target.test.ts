import { expect } from 'chai'
import { parseTarget, rawPathOf } from '../../../../src/server/http/request-target.ts'
import { MAX_PATH_LENGTH } from '../../../../src/server/limits.ts'

describe('parseTarget', () => {
  const long = `/${'a'.repeat(MAX_PATH_LENGTH)}`
  const cases: [string, { path: string; search: string; fault: string | undefined }][] = [
    ['/api', { path: '/api', search: '', fault: undefined }],
    ['/api?', { path: '/api', search: '', fault: undefined }],
    ['/api?a=b?c', { path: '/api', search: 'a=b?c', fault: undefined }],
    ['/n%C3%A4s?a=%20', { path: '/näs', search: 'a=%20', fault: undefined }],
    ['/%zz?a', { path: '/%zz', search: 'a', fault: 'invalid escape' }],
    ['/%ff', { path: '/%ff', search: '', fault: 'invalid escape' }],
    [`${long}?a`, { path: '/', search: 'a', fault: 'path too long' }],
  ]
  for (const [url, target] of cases) it(url.slice(0, 30), () => expect(parseTarget(url)).to.deep.equal(target))
})

describe('rawPathOf', () => {
  it('does not decode escapes', () => expect(rawPathOf('/%zz?a')).to.equal('/%zz'))
})
