import { createPrivateKey, createPublicKey, sign, verify, X509Certificate } from 'node:crypto'
import { expect } from 'chai'
import { seededCa, seededKey } from '../../../src/testing/seeded-keys.ts'

describe('seededKey', () => {
  it('returns the same key for the same seed', () => {
    const key = seededKey('x')
    expect(seededKey('x')).to.equal(key)
    expect(seededKey('y')).to.not.equal(key)
    const privateKey = createPrivateKey(key)
    expect(privateKey.asymmetricKeyDetails).to.include({ modulusLength: 2048, publicExponent: 65_537n })
    const signature = sign('sha256', Buffer.from('text'), privateKey)
    expect(verify('sha256', Buffer.from('text'), createPublicKey(privateKey), signature)).to.equal(true)
  })

  it('issues the same CA, valid at any plausible time of a machine', async () => {
    const { cert } = await seededCa('ca', 'x')
    expect((await seededCa('ca', 'x')).cert).to.equal(cert)
    const read = new X509Certificate(cert)
    expect([read.subject, read.ca, read.verify(read.publicKey)]).to.deep.equal(['CN=ca', true, true])
    expect([read.validFrom, read.validTo]).to.deep.equal(['Jan  1 00:00:00 2000 GMT', 'Jan  1 00:00:00 2100 GMT'])
  })
})
