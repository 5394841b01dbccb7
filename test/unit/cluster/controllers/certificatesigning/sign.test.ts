import { X509Certificate } from 'node:crypto'
import { expect } from 'chai'
import { signRequest } from '../../../../../src/cluster/controllers/certificatesigning/sign.ts'
import { parseCertificateRequest } from '../../../../../src/lib/certificate-request.ts'
import { issueCa } from '../../../../../src/server/tls/issue.ts'
import { certificateFacts, certificateRequest } from '../../../../oracle/certificates.ts'

const NOW = Date.parse('2030-01-01T00:00:00Z')

describe('signing of certificate requests', () => {
  it('keeps subject, names and key, and adds usages', async () => {
    const authority = await issueCa('authority')
    const pem = Buffer.from(
      await certificateRequest({ cn: 'system:node:a', org: ['system:nodes'], dns: ['a.example'], ip: ['10.0.0.1'] }),
      'base64',
    )
    const request = parseCertificateRequest(pem.toString('latin1'))
    const options = { usages: ['digital signature', 'server auth'], seconds: 3600, now: NOW, identity: 'uid' }
    const signed = await signRequest(request, authority, options)
    expect(certificateFacts(Buffer.from(signed).toString('base64'))).to.deep.equal({
      cn: 'system:node:a',
      org: ['system:nodes'],
      dns: ['a.example'],
      ip: ['10.0.0.1'],
      extKeyUsage: ['serverAuth'],
      isCA: false,
      notAfterMinusNotBefore: 3900,
      notBefore: '2029-12-31T23:55:00.000Z',
      notAfter: '2030-01-01T01:00:00.000Z',
    })
    const [certificate, issuer] = [signed, authority.cert].map(text => new X509Certificate(text)) as [X509Certificate, X509Certificate]
    expect([certificate.checkIssued(issuer), certificate.verify(issuer.publicKey)]).to.deep.equal([true, true])
    expect(certificate.publicKey.equals(request.key)).to.equal(true)
    const [again, other] = [
      await signRequest(request, authority, options),
      await signRequest(request, authority, { ...options, identity: 'other' }),
    ]
    expect(new X509Certificate(again).serialNumber).to.equal(certificate.serialNumber)
    expect(new X509Certificate(other).serialNumber).not.to.equal(certificate.serialNumber)
  })

  it('refuses a request that is not signed with its key', async () => {
    const pem = Buffer.from(await certificateRequest({ cn: 'a' }), 'base64').toString('latin1')
    const request = { ...parseCertificateRequest(pem), isSigned: false }
    const failure = await signRequest(request, await issueCa('authority'), { usages: [], seconds: 600, now: NOW, identity: '' }).catch(
      String,
    )
    expect(failure).to.equal('Error: unable to verify certificate request signature')
  })
})
