import { expect } from 'chai'
import { isProgressTrusted, MemberVersions } from '../../../../src/storage/etcd/member-versions.ts'
import { codeOf } from '../../../support/backend.ts'

/** A StatusResponse with a version and the size of the database. */
const status = (version: string) => Buffer.concat([Buffer.from([0x12, version.length]), Buffer.from(version), Buffer.from([0x18, 1])])

/** Members by address: a version, a status of gRPC. */
const membersOf = (members: Record<string, string | number>): MemberVersions =>
  new MemberVersions(Object.keys(members), async address => {
    const answer = members[address] ?? UNAVAILABLE
    if (typeof answer === 'string') return status(answer)
    throw Object.assign(new Error('refused'), { code: answer })
  })
const UNAVAILABLE = 14
const UNIMPLEMENTED = 12

const within = (milliseconds: number) => ({ signal: new AbortController().signal, deadline: Date.now() + milliseconds })
const later = () => within(120_000)

describe('storage/etcd/member-versions', () => {
  // As kube-apiserver decides, but for releases before 3.5.0 itself.
  const versions: Record<string, boolean> = {
    '3.3.27': false,
    '3.4.23': false,
    '3.4.30': false,
    '3.4.31-rc.0': false,
    '3.4.31': true,
    '3.4.44': true,
    '3.5.0': false,
    '3.5.12': false,
    '3.5.13': true,
    'v3.5.13': true,
    '3.5.24+build': true,
    '3.6.0-rc.1': true,
    '3.6.14': true,
    '3.10.0': true,
    '4.0.0': true,
    '2.3.8': false,
    '3.6': false,
    unknown: false,
    '': false,
  }
  for (const [version, trusted] of Object.entries(versions))
    it(`${trusted ? 'trusts' : 'does not trust'} the progress of "${version}"`, () => {
      expect(isProgressTrusted(version)).to.equal(trusted)
    })

  it('trusts the progress of no cluster with a member that is too old', async () => {
    expect(await membersOf({ 'a:1': '3.6.14', 'b:1': '3.5.21' }).areTrusted(later())).to.equal(true)
    expect(await membersOf({ 'a:1': '3.6.14', 'b:1': '3.5.12' }).areTrusted(later())).to.equal(false)
  })

  it('considers only members that respond', async () => {
    expect(await membersOf({ 'a:1': '3.6.14', 'b:1': UNAVAILABLE }).areTrusted(later())).to.equal(true)
    expect(await membersOf({ 'a:1': UNAVAILABLE, 'b:1': '3.4.23' }).areTrusted(later())).to.equal(false)
    expect(await codeOf(membersOf({ 'a:1': UNAVAILABLE, 'b:1': UNAVAILABLE }).areTrusted(within(100)))).to.equal('unavailable')
  })

  it('does not trust a member that responds without its version', async () => {
    expect(await membersOf({ 'a:1': '3.6.14', 'b:1': UNIMPLEMENTED }).areTrusted(later())).to.equal(false)
  })
})
