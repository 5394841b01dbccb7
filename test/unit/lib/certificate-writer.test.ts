import { generateKeyPairSync } from 'node:crypto'
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'
import { expect } from 'chai'
import {
  alternativeNames,
  distinguishedName,
  extendedKeyUsage,
  type KeyUsage,
  keyUsages,
  signCertificate,
} from '../../../src/lib/certificate-writer.ts'

/** Signs a certificate with extensions, and reads it with another implementation. */
async function certificateWith(...extensions: Buffer[]): Promise<x509.X509Certificate> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const subject = distinguishedName(['CN', 'x'])
  const [notBefore, notAfter] = [new Date('2030-01-01T00:00:00Z'), new Date('2031-01-01T00:00:00Z')]
  return new x509.X509Certificate(
    await signCertificate({ issuer: { subject, publicKey, privateKey }, subject, publicKey, notBefore, notAfter, extensions }),
  )
}

const flags = x509.KeyUsageFlags

describe('certificate writer', () => {
  const usages: [KeyUsage[], number][] = [
    [['digitalSignature'], flags.digitalSignature],
    [['keyAgreement', 'dataEncipherment'], flags.keyAgreement | flags.dataEncipherment],
    [['contentCommitment', 'encipherOnly'], flags.nonRepudiation | flags.encipherOnly],
    [['decipherOnly', 'keyCertSign'], flags.decipherOnly | flags.keyCertSign],
    [['digitalSignature', 'decipherOnly', 'cRLSign'], flags.digitalSignature | flags.decipherOnly | flags.cRLSign],
  ]
  for (const [names, expected] of usages)
    it(`writes the key usages ${names}`, async () => {
      const certificate = await certificateWith(keyUsages(...names))
      expect(certificate.getExtension(x509.KeyUsagesExtension)?.usages).to.equal(expected)
    })

  it('writes purposes in a fixed order, each once', async () => {
    const certificate = await certificateWith(extendedKeyUsage('netscapeSgc', 'client', 'any', 'client'))
    expect(certificate.getExtension(x509.ExtendedKeyUsageExtension)?.usages).to.deep.equal([
      '2.5.29.37.0',
      '1.3.6.1.5.5.7.3.2',
      '2.16.840.1.113730.4.1',
    ])
  })

  it('writes alternative names of all forms', async () => {
    const names = { dns: ['a.example'], ips: [Buffer.from([10, 0, 0, 1])], emails: ['a@example.com'], uris: ['spiffe://a/b'] }
    const certificate = await certificateWith(alternativeNames(names))
    const items = certificate.getExtension(x509.SubjectAlternativeNameExtension)?.names.items
    expect(items?.map(({ type, value }) => `${type}:${value}`)).to.deep.equal([
      'dns:a.example',
      'email:a@example.com',
      'ip:10.0.0.1',
      'url:spiffe://a/b',
    ])
  })
})
