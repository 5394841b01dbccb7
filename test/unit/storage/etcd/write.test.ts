import { expect } from 'chai'
import { silentLogger } from '../../../../src/lib/log.ts'
import { BackendError } from '../../../../src/storage/backend.ts'
import type { EtcdConnection, Method } from '../../../../src/storage/etcd/connection.ts'
import { etcdWriter } from '../../../../src/storage/etcd/write.ts'
import type { Key } from '../../../../src/storage/revision.ts'
import { never } from '../../../support/backend.ts'
import { etcdMessage } from '../../../support/etcd-messages.ts'

const key = 'key' as Key
const value = Buffer.from('value')
const CLUSTER = { cluster_id: '7' }

interface Stored {
  readonly create_revision: string
  readonly mod_revision: string
  readonly value: Buffer
}

/**
 * A writer whose writes succeed at revision 12 by the header, and what it has called. `stored`: the key as it is read
 * afterwards; an Error fails the read.
 */
function writing(header: object, stored?: Stored | Error) {
  const calls: Method[] = []
  const connection = {
    deadline: () => Number.POSITIVE_INFINITY,
    async call(method: Method) {
      calls.push(method)
      if (method === '/etcdserverpb.KV/Txn') return etcdMessage('TxnResponse', { header: { ...header, revision: '12' }, succeeded: true })
      if (stored instanceof Error) throw stored
      return etcdMessage('RangeResponse', {
        header: { ...header, revision: '13' },
        ...(stored && { kvs: [{ key: Buffer.from(key), ...stored }] }),
      })
    },
  }
  return { calls, write: etcdWriter(connection as unknown as EtcdConnection, silentLogger, 60) }
}

describe('the revision of a write', () => {
  it('is that of the response of etcd', async () => {
    const { calls, write } = writing(CLUSTER)
    expect(await write({ key, expected: 0, value }, never)).to.deep.equal({ ok: true, revision: 12 })
    expect(calls).to.deep.equal(['/etcdserverpb.KV/Txn'])
  })

  it('is that of the response of kine for updates and deletions', async () => {
    for (const change of [{ value }, {}]) {
      const { calls, write } = writing({})
      expect(await write({ key, expected: 9 as never, ...change }, never)).to.deep.equal({ ok: true, revision: 12 })
      expect(calls).to.deep.equal(['/etcdserverpb.KV/Txn'])
    }
  })

  it('is that of the key, for a creation in kine', async () => {
    const { write } = writing({}, { create_revision: '11', mod_revision: '11', value })
    expect(await write({ key, expected: 0, value }, never)).to.deep.equal({ ok: true, revision: 11 })
  })

  const unknown: Record<string, Stored | Error | undefined> = {
    'the key has gone': undefined,
    'another writer has created the key again': { create_revision: '13', mod_revision: '13', value: Buffer.from('other') },
    'the key cannot be read': new BackendError('timeout', 'no response'),
  }
  for (const [name, stored] of Object.entries(unknown))
    it(`is never that of another write: a creation in kine fails if ${name}`, async () => {
      const error = await writing({}, stored)
        .write({ key, expected: 0, value }, never)
        .catch(error => error)
      expect(error).to.be.instanceOf(BackendError)
      expect(['unavailable', 'timeout']).to.include(error.code)
    })
})
