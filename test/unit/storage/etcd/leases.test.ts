import { expect } from 'chai'
import { BackendError } from '../../../../src/storage/backend.ts'
import type { CallOptions, EtcdConnection } from '../../../../src/storage/etcd/connection.ts'
import { openLeases } from '../../../../src/storage/etcd/leases.ts'
import { WireReader } from '../../../../src/storage/etcd/wire.ts'
import { never } from '../../../support/backend.ts'

const options: CallOptions = { signal: never, deadline: Number.POSITIVE_INFINITY, repeatable: false }

/** Leases over a connection that grants 1, 2, … and records the requested times to live. */
function granting(fail = false) {
  const granted: number[] = []
  const connection = {
    call: async (_: string, request: Buffer) => {
      if (fail) throw new BackendError('unavailable', 'gone')
      const reader = new WireReader(request)
      reader.next()
      granted.push(reader.number())
      return Buffer.from([2 << 3, granted.length])
    },
  }
  return { granted, leases: openLeases(connection as unknown as EtcdConnection, 60) }
}

describe('leases', () => {
  for (const [ttl, asked] of [
    [3600, 3660],
    [600, 630],
    [15, 16],
    [1, 2],
  ] as const) {
    it(`with a TTL of ${ttl} s last ${asked} s, for keys that join them later`, async () => {
      const { granted, leases } = granting()
      await leases.get(ttl, options)
      expect(granted).to.deep.equal([asked])
    })
  }

  it('are shared by keys of one time to live, a thousand each', async () => {
    const { granted, leases } = granting()
    const ids = await Promise.all(Array.from({ length: 2500 }, () => leases.get(3600, options)))
    expect(granted).to.have.length(3)
    expect(ids.filter(id => id === 1n)).to.have.length(1000)
    expect(await leases.get(600, options)).to.equal(4n)
    expect(await leases.get(3600, options)).to.equal(3n)
  })

  it('are granted again if one was lost or its grant failed', async () => {
    const { leases } = granting()
    expect(await leases.get(60, options)).to.equal(1n)
    leases.forget(60)
    expect(await leases.get(60, options)).to.equal(2n)
    const failing = granting(true).leases
    for (let i = 0; i < 2; i++) expect(await failing.get(60, options).catch(e => e.code)).to.equal('unavailable')
  })
})
