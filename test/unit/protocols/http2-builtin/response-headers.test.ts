import { expect } from 'chai'
import { responseHeaders } from '../../../../src/protocols/http2-builtin/response-headers.ts'

describe('response headers over Node’s HTTP/2', () => {
  it('keeps repeated headers in order', () => {
    expect(responseHeaders(200, ['A', '1', 'Warning', 'x', 'Warning', 'y', 'Warning', 'z'])).to.eql({
      ':status': 200,
      A: '1',
      Warning: ['x', 'y', 'z'],
    })
  })

  for (const [name, value] of [
    ['a', 'b\0c\0d'],
    ['a', 'b\r\nc: d'],
    ['a', 'b\u0100'],
    ['a\0b', 'c'],
    ['', 'c'],
    [':path', 'c'],
  ] as const)
    it(`rejects ${JSON.stringify([name, value])}, which could inject a header`, () => {
      expect(() => responseHeaders(200, [name, value])).to.throw(TypeError)
    })
})
