import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import { issuerDocuments } from '../../../../../src/auth/authn/service-account/discovery.ts'
import { readSigningKey, readVerificationKeys } from '../../../../../src/auth/authn/service-account/keys.ts'

const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve })
const p256 = ec('P-256')
const pem = (key: typeof p256.publicKey, type: 'spki' | 'pkcs8') => key.export({ type, format: 'pem' }).toString()

describe('keys', () => {
  it('are identified by their public part', () => {
    const [checking] = readVerificationKeys(pem(p256.publicKey, 'spki'), 'f')
    const signing = readSigningKey(pem(p256.privateKey, 'pkcs8'), 'f')
    expect(checking?.id).to.match(/^[\w-]{43}$/)
    expect(signing.id).to.equal(checking?.id)
    expect(signing.algorithm).to.equal('ES256')
  })

  it('are read from a file with several keys, private ones by their public part', () => {
    const p384 = ec('P-384')
    const keys = readVerificationKeys(`# keys\n${pem(p256.privateKey, 'pkcs8')}${pem(p384.publicKey, 'spki')}`, 'f')
    expect(keys.map(({ algorithm }) => algorithm)).to.deep.equal(['ES256', 'ES384'])
    expect(keys.map(({ publicKey }) => publicKey.type)).to.deep.equal(['public', 'public'])
  })

  const bad: [string, () => unknown, RegExp][] = [
    [
      'a file without any',
      () => readVerificationKeys('x', 'f'),
      /^error reading public key file f: data does not contain any valid RSA or ECDSA public keys$/,
    ],
    [
      'a broken one',
      () => readVerificationKeys('-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----', 'f'),
      /^error reading public key file f: /,
    ],
    [
      'a public key to sign with',
      () => readSigningKey(pem(p256.publicKey, 'spki'), 'f'),
      /^failed to parse service-account-issuer-key-file f: /,
    ],
    [
      'another curve',
      () => readSigningKey(pem(generateKeyPairSync('ed25519').privateKey, 'pkcs8'), 'f'),
      /must be a key of RSA, or of the curves/,
    ],
  ]
  for (const [what, read, text] of bad) it(`refuse ${what}`, () => expect(read).to.throw(text))
})

describe('issuerDocuments', () => {
  const keys = readVerificationKeys(pem(p256.publicKey, 'spki'), 'f')
  it('contain the location of the keys, and the keys', () => {
    const documents = issuerDocuments('https://issuer/x', 'https://here/openid/v1/jwks', keys)
    expect(documents?.configuration.toString()).to.equal(
      '{"issuer":"https://issuer/x","jwks_uri":"https://here/openid/v1/jwks","response_types_supported":["id_token"],"subject_types_supported":["public"],"id_token_signing_alg_values_supported":["ES256"]}',
    )
    const { x, y } = p256.publicKey.export({ format: 'jwk' })
    expect(documents?.keySet.toString()).to.equal(
      `{"keys":[{"use":"sig","kty":"EC","kid":"${keys[0]?.id}","crv":"P-256","alg":"ES256","x":"${x}","y":"${y}"}]}`,
    )
  })
  for (const issuer of ['http://x', 'kubernetes', 'https://x?a', 'https://x#a'])
    it(`are undefined for ${issuer}`, () => expect(issuerDocuments(issuer, 'https://here', keys)).to.equal(undefined))
})
