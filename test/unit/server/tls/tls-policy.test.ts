import tls from 'node:tls'
import { expect } from 'chai'
import { SECURITY_LEVEL, setDefaultSecurityLevel } from '../../../../src/server/tls/tls-policy.ts'
import { issueCertificate } from '../../../support/certificates.ts'

describe('the security level of TLS', () => {
  const before = tls.DEFAULT_CIPHERS
  afterEach(() => {
    tls.DEFAULT_CIPHERS = before
  })

  it('accepts RSA keys of 1,024 bits in connections that do not name their ciphers, as Go does', async () => {
    setDefaultSecurityLevel()
    const algorithm = { name: 'RSASSA-PKCS1-v1_5', modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' }
    const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
    const { cert, key } = await issueCertificate({
      subject: [{ CN: ['small'] }],
      issuer: await issueCertificate({ subject: [{ CN: ['ca'] }], isAuthority: true }),
      keys,
    })
    expect(() => tls.createSecureContext({ cert, key })).not.to.throw()
  })

  it('is one that was set before', () => {
    tls.DEFAULT_CIPHERS = 'DEFAULT:@SECLEVEL=2'
    setDefaultSecurityLevel()
    expect(tls.DEFAULT_CIPHERS).to.equal('DEFAULT:@SECLEVEL=2')
  })

  it('is set once', () => {
    setDefaultSecurityLevel()
    setDefaultSecurityLevel()
    expect(tls.DEFAULT_CIPHERS.split(SECURITY_LEVEL)).to.have.length(2)
  })
})
