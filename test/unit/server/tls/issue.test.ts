import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'
import { expect } from 'chai'
import { distinguishedName, signCertificate } from '../../../../src/lib/certificate-writer.ts'
import { readDer, sequenceOf } from '../../../../src/lib/der.ts'
import { issueCa, issueClient, issueServing } from '../../../../src/server/tls/issue.ts'
import { issueCertificate } from '../../../support/certificates.ts'

const DAY_MS = 86_400_000

/** The certificate as another implementation parses it. */
function read(pem: string) {
  const certificate = new x509.X509Certificate(pem)
  const { serialNumber, subject, issuer, notBefore, notAfter } = certificate
  return {
    subject,
    issuer,
    isLongSerial: /^[4-7][0-9a-f]{31}$/.test(serialNumber),
    days: (notAfter.getTime() - notBefore.getTime()) / DAY_MS,
    basic: certificate.getExtension(x509.BasicConstraintsExtension),
    usages: certificate.getExtension(x509.KeyUsagesExtension),
    extended: certificate.getExtension(x509.ExtendedKeyUsageExtension)?.usages,
    subjectKey: certificate.getExtension(x509.SubjectKeyIdentifierExtension)?.keyId,
    authorityKey: certificate.getExtension(x509.AuthorityKeyIdentifierExtension)?.keyId,
    names: certificate.getExtension(x509.SubjectAlternativeNameExtension)?.names.items.map(({ type, value }) => `${type}:${value}`),
  }
}

const { digitalSignature, keyEncipherment, keyCertSign, cRLSign } = x509.KeyUsageFlags

/** Bytes of subject and issuer, which clients in Go compare. */
const namesOf = (pem: string) => {
  const [, , , issuer, , subject] = sequenceOf(sequenceOf(readDer(new X509Certificate(pem).raw)[0])[0])
  return { issuer: issuer?.whole.toString('hex'), subject: subject?.whole.toString('hex') }
}

describe('issue', () => {
  it('issues a certificate authority', async () => {
    const { basic, usages, ...rest } = read((await issueCa('an-authority')).cert)
    expect(rest).to.include({
      subject: 'CN=an-authority',
      issuer: 'CN=an-authority',
      isLongSerial: true,
      extended: undefined,
      names: undefined,
    })
    expect(rest.days).to.be.within(3650, 3651)
    expect(rest.subjectKey).to.match(/^[0-9a-f]{40}$/)
    expect(basic).to.include({ ca: true, critical: true, pathLength: undefined })
    expect(usages).to.include({ usages: keyCertSign | cRLSign | digitalSignature, critical: true })
  })

  it('issues a server certificate', async () => {
    const ca = await issueCa('an-authority')
    const { cert, key } = await issueServing(ca, 'kube-apiserver', {
      dns: ['localhost', 'a.example'],
      ips: ['127.0.0.1', 'fd00::1', 'none'],
    })
    const { basic, usages, ...rest } = read(cert)
    expect(rest).to.deep.include({
      subject: 'CN=kube-apiserver',
      issuer: 'CN=an-authority',
      isLongSerial: true,
      extended: ['1.3.6.1.5.5.7.3.1'],
      authorityKey: read(ca.cert).subjectKey,
      names: ['dns:localhost', 'dns:a.example', 'ip:127.0.0.1', 'ip:fd00::1'],
    })
    expect(rest.days).to.be.within(365, 366)
    expect(basic).to.include({ ca: false, critical: true })
    expect(usages).to.include({ usages: digitalSignature | keyEncipherment, critical: true })
    expect(key).to.match(/^-----BEGIN PRIVATE KEY-----\n/)
    expect(new X509Certificate(cert).checkIssued(new X509Certificate(ca.cert))).to.equal(true)
  })

  it('issues a client certificate, with groups as organizations', async () => {
    const ca = await issueCa('an-authority')
    const { cert } = await issueClient(ca, 'Zoë', ['one', 'two'])
    const { subject } = new X509Certificate(cert)
    expect(subject).to.equal('O=one\nO=two\nCN=Zoë')
    expect(read(cert).extended).to.deep.equal(['1.3.6.1.5.5.7.3.2'])
  })

  it('copies the subject of the authority byte by byte', async () => {
    const other = await issueCertificate({ subject: [{ C: ['DE'] }, { CN: ['of another program'] }], isAuthority: true })
    const { cert } = await issueServing(other, 'x', { dns: ['x'], ips: [] })
    expect(namesOf(cert).issuer).to.equal(namesOf(other.cert).subject)
    expect(new X509Certificate(cert).verify(new X509Certificate(other.cert).publicKey)).to.equal(true)
  })

  it('signs with RSA, and refuses other key types', async () => {
    const authority = async (keys: ReturnType<typeof generateKeyPairSync>) => {
      const subject = distinguishedName(['CN', 'an-authority'])
      const times = { notBefore: new Date(), notAfter: new Date(Date.UTC(2051, 0, 1)) }
      const cert = await signCertificate({ issuer: { subject, ...keys }, subject, publicKey: keys.publicKey, ...times, extensions: [] })
      return { cert, key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
    }
    const rsa = await authority(generateKeyPairSync('rsa', { modulusLength: 2048 }))
    const { cert } = await issueServing(rsa, 'x', { dns: ['x'], ips: [] })
    expect(new X509Certificate(cert).verify(new X509Certificate(rsa.cert).publicKey)).to.equal(true)
    expect(new X509Certificate(rsa.cert).validTo).to.equal('Jan  1 00:00:00 2051 GMT')
    const failure = await authority(generateKeyPairSync('ed25519')).catch(String)
    expect(failure).to.equal('Error: the key of the certificate authority is of type ed25519: use an EC or RSA key')
  })
})
