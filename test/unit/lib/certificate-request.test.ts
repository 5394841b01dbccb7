import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import { Name, Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } from '@peculiar/x509'
import { expect } from 'chai'
import { certificateRequestFault, organizationsOf, parseCertificateRequest } from '../../../src/lib/certificate-request.ts'
import { derBits, derExplicit, derIdentifier, derInteger, derSequence, derSet, derText, derValue } from '../../../src/lib/der-writer.ts'

interface Algorithm {
  readonly name: string
  readonly [member: string]: unknown
}

const rsa = (name: string, hash: string): Algorithm => ({ name, hash, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) })
const ec = (namedCurve: string, hash: string): Algorithm => ({ name: 'ECDSA', namedCurve, hash })

/** A request made by another library. */
async function requestOf(algorithm: Algorithm): Promise<Buffer> {
  const keys = (await webcrypto.subtle.generateKey(algorithm as never, true, ['sign', 'verify'])) as never
  const signingAlgorithm = { saltLength: 32, ...algorithm } as never
  const made = await Pkcs10CertificateRequestGenerator.create({ name: 'CN=probe', keys, signingAlgorithm }, webcrypto as never)
  return Buffer.from(made.rawData)
}

const pem = (der: Buffer, type = 'CERTIFICATE REQUEST'): string =>
  `-----BEGIN ${type}-----\n${der.toString('base64')}\n-----END ${type}-----\n`

describe('certificate requests', () => {
  const algorithms: [Algorithm, string][] = [
    [ec('P-256', 'SHA-256'), 'x509: ECDSA verification failure'],
    [ec('P-384', 'SHA-384'), 'x509: ECDSA verification failure'],
    [rsa('RSASSA-PKCS1-v1_5', 'SHA-256'), 'crypto/rsa: verification error'],
    [rsa('RSASSA-PKCS1-v1_5', 'SHA-512'), 'crypto/rsa: verification error'],
    [rsa('RSA-PSS', 'SHA-256'), 'crypto/rsa: verification error'],
    [{ name: 'Ed25519' }, 'x509: Ed25519 verification failure'],
  ]
  for (const [algorithm, failure] of algorithms) {
    it(`signed with ${algorithm.name} and ${String(algorithm.hash)}`, async () => {
      const der = await requestOf(algorithm)
      expect(certificateRequestFault(pem(der))).to.equal(undefined)
      const name = der.indexOf('probe')
      der[name] = (der[name] as number) ^ 1
      expect(certificateRequestFault(pem(der))).to.equal(failure)
    })
  }

  it('require a PEM block of type CERTIFICATE REQUEST', async () => {
    const der = await requestOf(ec('P-256', 'SHA-256'))
    for (const text of ['', 'garbage', pem(der, 'CERTIFICATE')])
      expect(certificateRequestFault(text)).to.equal('PEM block type must be CERTIFICATE REQUEST')
  })

  it('return an error for truncated or corrupted bytes instead of throwing', async () => {
    const der = await requestOf(ec('P-256', 'SHA-256'))
    for (let at = 0; at < der.length; at++) {
      expect(certificateRequestFault(pem(der.subarray(0, at))), `cut at ${at}`).to.be.a('string')
      const changed = Buffer.from(der)
      changed[at] = (changed[at] as number) ^ 0x80
      expect(certificateRequestFault(pem(changed)), `changed at ${at}`).to.be.a('string')
    }
  })

  it('are rejected if a name is a UniversalString or consists of parts, which OpenSSL reads as another text', () => {
    const request = (value: Buffer): string => {
      const subject = derSequence(derSet(derSequence(derIdentifier('2.5.4.10'), value)))
      const info = derSequence(derInteger(Buffer.from([0])), subject, derSequence(), derExplicit(0, Buffer.alloc(0)))
      return pem(derSequence(info, derSequence(derIdentifier('1.2.840.10045.4.3.2')), derBits(Buffer.alloc(0))))
    }
    expect(organizationsOf(request(derText('system:masters')))).to.deep.equal(['system:masters'])
    for (const tag of [0x13, 0x14, 0x16]) expect(organizationsOf(request(derValue(tag, Buffer.from('a'))))).to.deep.equal(['a'])
    const wide = Buffer.from([0, 0, 0, 0x61])
    for (const [tag, content] of [
      [0x1c, wide],
      [0x2c, derText('a')],
      [0x33, derText('a')],
      [0x3e, derText('a')],
    ] as const)
      expect(() => organizationsOf(request(derValue(tag, content))), `${tag}`).to.throw(
        `asn1: structure error: unsupported string type 0x${tag.toString(16)}`,
      )
  })

  it('are read with their subject and alternative names', async () => {
    const signingAlgorithm = ec('P-256', 'SHA-256')
    const keys = (await webcrypto.subtle.generateKey(signingAlgorithm as never, true, ['sign', 'verify'])) as never
    const names = new SubjectAlternativeNameExtension([
      { type: 'dns', value: 'a.example' },
      { type: 'ip', value: '10.0.0.1' },
      { type: 'email', value: 'a@example.com' },
      { type: 'url', value: 'spiffe://a/b' },
    ])
    const made = await Pkcs10CertificateRequestGenerator.create(
      {
        name: 'O=system:nodes, O=other, CN=first, CN=system:node:a',
        keys,
        signingAlgorithm: signingAlgorithm as never,
        extensions: [names],
      },
      webcrypto as never,
    )
    const { subject, key, ...rest } = parseCertificateRequest(pem(Buffer.from(made.rawData)))
    expect(rest).to.deep.equal({
      organizations: ['system:nodes', 'other'],
      commonName: 'system:node:a',
      isSigned: true,
      dns: ['a.example'],
      ips: [Buffer.from([10, 0, 0, 1])],
      emails: ['a@example.com'],
      uris: ['spiffe://a/b'],
    })
    expect(new Name(subject).toString()).to.equal('O=system:nodes, O=other, CN=first, CN=system:node:a')
    expect(key.asymmetricKeyType).to.equal('ec')
  })

  it('need not have alternative names', async () => {
    const { dns, ips, commonName } = parseCertificateRequest(pem(await requestOf(ec('P-256', 'SHA-256'))))
    expect([dns, ips, commonName]).to.deep.equal([[], [], 'probe'])
  })
})
