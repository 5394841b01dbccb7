import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { seededRandom } from '../../../../src/lib/seeded-random.ts'
import { BoltFile } from '../../../../src/storage/etcd-snapshot/bolt-file.ts'
import { BoltWriter } from '../../../../src/storage/etcd-snapshot/bolt-writer.ts'
import { snapshotState, snapshotValues } from '../../../../src/storage/etcd-snapshot/read-snapshot.ts'
import { checkedSnapshot } from '../../../../src/storage/etcd-snapshot/snapshot-hash.ts'
import { type ExportedValue, writeSnapshot } from '../../../../src/storage/etcd-snapshot/write-snapshot.ts'

describe('snapshots of etcd', () => {
  let folder: string
  let path: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'binnacle-snapshot-'))
    path = join(folder, 'snapshot.db')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const read = (bucket: string): [string, string][] => {
    const file = new BoltFile(path)
    try {
      return [...file.bucket(bucket)].map(entry => [entry.key.toString(), file.read(entry).toString()])
    } finally {
      file.close()
    }
  }

  it('have trees with as many levels as needed', async () => {
    const key = (i: number): string => `key-${String(i).padStart(8, '0')}`
    const many = Array.from({ length: 60_000 }, (_, i): [string, string] => [key(i), `value ${i}`])
    const large = Array.from({ length: 6 }, (_, i): [string, string] => [key(i), String(i).repeat(4000 * 3 ** i)])
    const random = seededRandom(7)
    const mixed = Array.from({ length: 3000 }, (_, i): [string, string] => [key(i), 'x'.repeat(Math.floor(random() ** 8 * 30_000))])
    const buckets: Record<string, [string, string][]> = { empty: [], large, many, mixed, one: [['a', 'b']] }
    const writer = new BoltWriter(path)
    try {
      for (const [name, entries] of Object.entries(buckets))
        await writer.bucket(
          name,
          entries.map(([k, v]) => [Buffer.from(k), Buffer.from(v)] as const),
        )
      writer.finish()
    } finally {
      writer.close()
    }
    for (const [name, entries] of Object.entries(buckets)) expect(read(name), name).to.deep.equal(entries)
    expect(read('none')).to.deep.equal([])
  })

  it('have values with their revisions and leases, and their hash', async () => {
    const value = (key: string, createRevision: number, modRevision: number, seconds?: number): ExportedValue => ({
      key: Buffer.from(`/registry/${key}`),
      value: Buffer.from(`of ${key}`),
      createRevision,
      modRevision,
      seconds,
    })
    await writeSnapshot(
      path,
      [value('pods/a/b', 3, 3), value('events/a/c', 2, 7, 60), value('events/a/d', 8, 8, 60), value('events/a/e', 9, 9, 5)],
      12,
    )
    const state = snapshotState(checkedSnapshot(path, { skipHashCheck: false }))
    expect(state.revision, 'the newest one, whose change is not there').to.equal(12)
    expect([...state.leaseSeconds]).to.deep.equal([
      ['5', 5],
      ['60', 60],
    ])
    expect(
      [...snapshotValues(checkedSnapshot(path, { skipHashCheck: false }), '/registry')].map(each => ({
        ...each,
        value: each.value.toString(),
      })),
    ).to.deep.equal([
      { key: '/registry/pods/a/b', value: 'of pods/a/b', createRevision: 3, modRevision: 3, lease: '0' },
      { key: '/registry/events/a/c', value: 'of events/a/c', createRevision: 2, modRevision: 7, lease: '60' },
      { key: '/registry/events/a/d', value: 'of events/a/d', createRevision: 8, modRevision: 8, lease: '60' },
      { key: '/registry/events/a/e', value: 'of events/a/e', createRevision: 9, modRevision: 9, lease: '5' },
    ])
    const bytes = readFileSync(path)
    expect(bytes.length % 512, 'as etcdutl tells that there is a hash').to.equal(32)
    expect(bytes.subarray(-32)).to.deep.equal(createHash('sha256').update(bytes.subarray(0, -32)).digest())
    const other = await writeSnapshot(path, [], 1).catch((error: unknown) => error)
    expect(other, 'a file that is there').to.have.property('code', 'EEXIST')
  })
})
