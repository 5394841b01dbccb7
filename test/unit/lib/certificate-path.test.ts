import { X509Certificate } from 'node:crypto'
import { expect } from 'chai'
import { goodPeriod, type ValidPeriod } from '../../../src/lib/certificate-path.ts'
import { ANY_PURPOSE, type Issued, issueCertificate, SERVER_AUTH } from '../../support/certificates.ts'

const certificateOf = ({ cert }: Issued): X509Certificate => new X509Certificate(cert)

describe('the path of a client certificate', () => {
  let root: Issued
  let now = Date.now()
  const periodOf = (authorities: readonly Issued[], ...chain: readonly Issued[]): ValidPeriod | undefined =>
    goodPeriod(
      chain.map(each => certificateOf(each).raw),
      authorities.map(certificateOf),
      'clients',
      now,
    )
  const isGood = (authorities: readonly Issued[], ...chain: readonly Issued[]): boolean => periodOf(authorities, ...chain) !== undefined
  const issue = (issuer: Issued, more: Partial<Parameters<typeof issueCertificate>[0]> = {}): Promise<Issued> =>
    issueCertificate({ subject: [{ CN: ['alice'] }], issuer, usages: [ANY_PURPOSE], ...more })
  before(async () => {
    root = await issueCertificate({ subject: [{ CN: ['root'] }], isAuthority: true })
  })

  it('leads to a CA, which the client may have omitted', async () => {
    const leaf = await issue(root)
    expect(isGood([root], leaf)).to.equal(true)
    expect(isGood([root], leaf, root)).to.equal(true)
    expect(isGood([], leaf, root)).to.equal(false)
    expect(isGood([await issueCertificate({ subject: [{ CN: ['root'] }], isAuthority: true })], leaf, root)).to.equal(false)
  })

  it('may end at a CA that is not self-signed, or at the certificate itself', async () => {
    const between = await issue(root, { isAuthority: true })
    const leaf = await issue(between)
    expect(isGood([between], leaf)).to.equal(true)
    expect(isGood([leaf], leaf)).to.equal(true)
  })

  it('contains no SHA-1 signatures', async () => {
    expect(isGood([root], await issue(root, { digest: 'SHA-1' }))).to.equal(false)
  })

  it('leads to a CA that is currently valid, in the chain or not', async () => {
    const leaf = await issue(root)
    now += 24 * 3_600_000
    expect([isGood([root], leaf), isGood([root], leaf, root)]).to.deep.equal([false, false])
    now = Date.now()
    const expired = await issueCertificate({ subject: [{ CN: ['root'] }], isAuthority: true, notAfter: now - 1000 })
    expect(isGood([expired], await issue(expired))).to.equal(false)
  })

  it('is valid no longer than its CA, also if the client omitted that', async () => {
    now = Date.now()
    const notAfter = Math.floor(now / 1000) * 1000 + 60_000
    const brief = await issueCertificate({ subject: [{ CN: ['root'] }], isAuthority: true, notAfter })
    const leaf = await issue(brief)
    expect([periodOf([brief], leaf)?.notAfter, periodOf([brief], leaf, brief)?.notAfter]).to.deep.equal([notAfter, notAfter])
  })

  it('leads to a renewed CA beside one that has expired', async () => {
    now = Date.now()
    const subject = [{ CN: ['root'] }]
    const expired = await issueCertificate({ subject, isAuthority: true, notAfter: now - 1000 })
    const renewed = await issueCertificate({ subject, isAuthority: true, keys: expired.keys })
    const leaf = await issue(renewed)
    expect([isGood([expired, renewed], leaf), isGood([renewed, expired], leaf, renewed)]).to.deep.equal([true, true])
    expect([isGood([expired], leaf), isGood([expired, renewed], leaf, expired)]).to.deep.equal([false, true])
  })

  it('ends at a CA that may issue client certificates', async () => {
    const servers = await issueCertificate({ subject: [{ CN: ['servers'] }], isAuthority: true, usages: [SERVER_AUTH] })
    expect(isGood([servers], await issue(servers))).to.equal(false)
  })
})
