import { expect } from 'chai'
import type { UnaryConnections } from '../../../../src/protocols/grpc/unary-connections.ts'
import { isProgressTrusted, MemberVersions } from '../../../../src/storage/etcd/member-versions.ts'
import { codeOf } from '../../../support/backend.ts'

/** A StatusResponse with a version and the size of the database. */
const status = (version: string) => Buffer.concat([Buffer.from([0x12, version.length]), Buffer.from(version), Buffer.from([0x18, 1])])

/** Members by address: a version, a status of gRPC, or nothing if the member cannot be reached. */
function membersOf(members: Record<string, string | number | undefined>): MemberVersions {
  const to = (address: string) => {
    const answer = members[address]
    if (answer === undefined) return undefined
    return {
      call: () => (typeof answer === 'string' ? Promise.resolve(status(answer)) : Promise.reject(Object.assign(new Error('refused'), { code: answer }))),
    }
  }
  return new MemberVersions(Object.keys(members), { to } as unknown as Pick<UnaryConnections, 'to'>)
}

const soon = () => ({ signal: new AbortController().signal, deadline: Date.now() + 100 })

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
    expect(await membersOf({ 'a:1': '3.6.14', 'b:1': '3.5.21' }).areTrusted(soon())).to.equal(true)
    expect(await membersOf({ 'a:1': '3.6.14', 'b:1': '3.5.12' }).areTrusted(soon())).to.equal(false)
  })

  it('goes by the members that answer', async () => {
    expect(await membersOf({ 'a:1': '3.6.14', 'b:1': undefined }).areTrusted(soon())).to.equal(true)
    expect(await membersOf({ 'a:1': undefined, 'b:1': '3.4.23' }).areTrusted(soon())).to.equal(false)
    expect(await codeOf(membersOf({ 'a:1': undefined, 'b:1': 14 }).areTrusted(soon()))).to.equal('unavailable')
  })

  it('does not trust a member that answers without its version', async () => {
    const unimplemented = 12
    expect(await membersOf({ 'a:1': '3.6.14', 'b:1': unimplemented }).areTrusted(soon())).to.equal(false)
  })
})
