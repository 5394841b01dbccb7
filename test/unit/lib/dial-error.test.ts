import { expect } from 'chai'
import { dialError } from '../../../src/lib/dial-error.ts'

describe('dialError', () => {
  const cases: [code: string, text: string][] = [
    ['ECONNREFUSED', 'dial tcp h:1: connect: connection refused'],
    ['EHOSTUNREACH', 'dial tcp h:1: connect: no route to host'],
    ['ENETUNREACH', 'dial tcp h:1: connect: network is unreachable'],
    ['ETIMEDOUT', 'dial tcp h:1: i/o timeout'],
    ['ENOTFOUND', 'dial tcp: lookup h: no such host'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls: failed to verify certificate: x509: certificate signed by unknown authority'],
    ['CERT_HAS_EXPIRED', 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls: failed to verify certificate: x509: why'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls: first record does not look like a TLS handshake'],
    ['ECONNRESET', 'EOF'],
    ['SOMETHING', 'why'],
  ]
  for (const [code, text] of cases)
    it(`${code}: ${text}`, () => expect(dialError(Object.assign(new Error('why'), { code }), 'h:1').message).to.equal(text))
  it('formats a thrown value that is not an Error', () => expect(dialError('why', 'h:1').message).to.equal('why'))
})
