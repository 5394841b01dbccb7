import { expect } from 'chai'
import { ORDINARY, startTestServer } from '../../../support/server.ts'

describe('withHsts', () => {
  for (const [directives, value] of [
    [[], undefined],
    [['max-age=31536000'], 'max-age=31536000'],
    [['max-age=31536000', 'includeSubDomains', 'preload'], 'max-age=31536000; includeSubDomains; preload'],
  ] as const)
    it(`sets ${value ?? 'no header'}`, async () => {
      const server = await startTestServer(exchange => exchange.sendBytes(200, 'text/plain', Buffer.from('')), {
        http: { conduct: { ...ORDINARY, hsts: directives } },
      })
      try {
        for (const { status, headers } of [await server.http2('/api/v1/things'), await server.secure('/api/v1/things')]) {
          expect(status).to.be.oneOf([200, 403])
          expect(headers['strict-transport-security']).to.equal(value)
        }
      } finally {
        await server.close()
      }
    })
})
